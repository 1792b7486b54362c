"""What commands print with: one kind of console, plain tables whose labels are never cut, names that cannot act."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Literal

from rich import box
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.control import Control
from rich.markup import escape
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table

from tgap.data.display import shown

_NARROW = 10  # least columns that a broken text gets: a date stays whole
_WIDE = 200  # columns where no terminal sets a limit


def make_console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """Console of every command. Nothing that a name holds can act on the terminal, whoever prints it.

    Where no terminal sets a limit lines are long, so that piped output is not cut at 80 columns; COLUMNS overrules it.
    """
    console = Console(highlight=False, stderr=stderr, quiet=quiet)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE
    console.push_render_hook(_SpellOut())
    return console


class _SpellOut(RenderHook):
    """Wraps whatever is printed, save the console's own control codes (cursor of a progress bar)."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [one if isinstance(one, Control) else _SpeltOut(one) for one in renderables]


class _SpeltOut:
    """Something printable with every character spelt out that would act instead of being seen (``display.shown``)."""

    def __init__(self, content: ConsoleRenderable) -> None:
        self._content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._content, options):
            text, style, control = segment
            if control is not None or text.isprintable():
                yield segment
            else:  # segments hold line ends of their own
                yield Segment("\n".join(map(shown, text.split("\n"))), style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._content)


def plain_table(*titles: str, numbers: Collection[str] = (), flowing: Collection[str] = ()) -> Table:
    """A table with a line under its titles. Columns stay whole in a narrow window; the ``flowing`` ones are broken."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in titles:
        justify: Literal["left", "right"] = "right" if title in numbers else "left"
        flows = title in flowing
        table.add_column(
            title, justify=justify, no_wrap=not flows, overflow="fold", min_width=_NARROW if flows else None
        )
    return table


def labelled_lines() -> Table:
    """A list of labels, each with a text beside it that may be broken into lines."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def cell(text: str, *, spaces: bool = False) -> str:
    """A text from outside (a name, a path), as it can safely stand in a terminal."""
    return escape(shown(text, spaces=spaces))


def say(console: Console, text: str, style: str | None = None) -> None:
    """Print a sentence: broken between words in a terminal, whole where a program reads it."""
    console.print(text, style=style, soft_wrap=console.width >= _WIDE)
