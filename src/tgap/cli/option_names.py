"""How the command line writes the options that messages of the library name, and those that were renamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click

from tgap.errors import Message

_META = "tgap.option_names"
_COMPLETE = "tgap complete RUN --ask FILE --out PLACE"
_WHAT_IF = "tgap what-if RUN SUBJECT RELATION TIME"

RENAMED: Mapping[tuple[str, str], str] = {  # command, former option: what to write now
    ("explain", "--facts"): "--effects",
    ("predict", "--file"): _COMPLETE,
    ("predict", "--out"): _COMPLETE,
    ("predict", "--without"): f"{_WHAT_IF} --without S R O T",
    ("predict", "--with"): f"{_WHAT_IF} --with S R O T",
}


def renamed(error: click.NoSuchOption) -> str | None:
    """One line about an option that has another name now, or belongs to another command."""
    if error.ctx is None:
        return None
    _, _, command = error.ctx.command_path.partition(" ")
    now = RENAMED.get((command, error.option_name))
    return None if now is None else f"{error.option_name} is now {now}"


def remember(ctx: click.Context, names: Mapping[str, str]) -> None:
    """Tell how a command writes those options that it does not write as ``--name``."""
    ctx.meta[_META] = names


def option_writer(ctx: click.Context | None) -> Callable[[str], str]:
    """What writes an option's name as the command line does: ``past_only`` as --past-only."""
    own: Mapping[str, str] = {} if ctx is None else ctx.meta.get(_META, {})
    return lambda name: own.get(name) or f"--{name.replace('_', '-')}"


def as_written(text: str, ctx: click.Context | None = None) -> str:
    """A text of the library as the command line shows it."""
    return text.written(option_writer(ctx)) if isinstance(text, Message) else text
