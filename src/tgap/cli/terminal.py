"""What commands print with: one kind of console, plain tables whose labels are never cut, names that cannot act."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tgap.data.display import shown

_NARROW = 10  # least columns that a broken text gets: a date stays whole
_WIDE = 200  # columns where no terminal sets a limit


def make_console() -> Console:
    """Console that takes whole lines when it is not a terminal, so that piped output is never cut at 80 columns."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)


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


def say(console: Console, text: str) -> None:
    """A sentence: broken between words in a terminal, whole where a program reads it."""
    console.print(text, soft_wrap=not console.is_terminal)
