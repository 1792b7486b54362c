"""What the commands print and write alike: command lines that work as printed, and files that a user names."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

import click

from tgap.errors import ConfigError


def program() -> str:
    """How this command is called here: ``tgap`` where a shell finds that very program, else the way it was called."""
    called = Path(sys.argv[0])
    if called.name == "__main__.py" and called.parent.name == "tgap":
        return "tgap" if shutil.which("tgap") else f"{shlex.quote(sys.executable)} -m tgap"
    found = shutil.which("tgap")
    if called.name != "tgap" or (found is not None and called.exists() and Path(found).samefile(called)):
        return "tgap"
    try:
        return shlex.quote(str(called.absolute().relative_to(Path.cwd())))
    except ValueError:
        return shlex.quote(str(called.absolute()))


def command(*words: str | Path) -> str:
    """A command line of ours that works as printed."""
    return f"{program()} {shlex.join(map(str, words))}"


def check_one_stdout(**targets: str | None) -> None:
    """Refuse two documents for one standard output; ``targets`` by the names of their flags."""
    wanted = [f"--{flag} -" for flag, target in targets.items() if target == "-"]
    if len(wanted) > 1:
        raise ConfigError(f"{' and '.join(wanted)} would mix on standard output; give all but one of them a file")


def check_target(target: str | None, endings: tuple[str, ...] = ()) -> None:
    """Refuse a file that cannot be written, or whose ending names no known format, before any work is done."""
    if target is None or (target == "-" and not endings):
        return
    path = Path(target)
    if endings and path.suffix.removeprefix(".").lower() not in endings:
        raise ConfigError(f"{target} has no known ending; use {', '.join(f'.{ending}' for ending in endings)}")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder; give the name of a file in it")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise ConfigError(f"cannot write {path}: {folder} is no folder that may be written to; choose another place")


def write_file(target: str, content: bytes) -> None:
    """Write a file atomically and say so; - prints text."""
    if target == "-":
        write_output("-", content.decode())
    else:
        write_bytes(target, content)


def write_output(target: str | None, text: str) -> None:
    """Write ``text`` to a file, or to standard output for ``-``; None does nothing. A file is told on standard error.

    Programs that read standard output get the text as it is; a terminal gets what would act on it spelt out.
    """
    from tgap.data.display import shown_lines

    if target == "-":
        click.echo(shown_lines(text) if sys.stdout.isatty() else text, nl=False)
    elif target is not None:
        write_bytes(target, text.encode())


def write_bytes(target: str, content: bytes) -> None:
    """Write a file atomically and say so on standard error, so that standard output has results alone."""
    from tgap.data.atomic import write_atomically

    write_atomically(Path(target), content)
    click.echo(f"wrote {target}", err=True)


def file_format(target: str) -> str:
    """Format by a file's ending."""
    return Path(target).suffix.removeprefix(".").lower()
