"""What the commands print and write alike: tables, notes, lists, and files that a user names."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


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


def write_output(target: str | None, text: str) -> None:
    """Write ``text`` to a file, or to standard output for ``-``; None does nothing.

    Programs that read standard output get the text as it is; a terminal gets what would act on it spelt out.
    """
    from tgap.data.atomic import write_atomically
    from tgap.data.display import shown_lines

    if target == "-":
        click.echo(shown_lines(text) if sys.stdout.isatty() else text, nl=False)
    elif target is not None:
        write_atomically(Path(target), text.encode())
        click.echo(f"wrote {target}")


def print_notes(console: Console, notes: tuple[str, ...]) -> None:
    """What the reader should know, one line each."""
    from tgap.cli.terminal import cell

    for note in notes:
        console.print(f"note: {cell(note)}", style="yellow")


def print_item(console: Console, text: str) -> None:
    """A line of a list; where it wraps, it stays indented."""
    from rich.padding import Padding
    from rich.text import Text

    from tgap.data.display import shown

    console.print(Padding(Text(shown(text)), (0, 0, 0, 2), expand=False))


def simple_table(*columns: tuple[str, str]) -> Table:
    """A table with a line under its head; columns are (heading, side), side "whole" is a left one that never wraps."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=side != "left")
    return table
