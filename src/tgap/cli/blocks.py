"""Blocks of text (``tgap.text``) on the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.text import Block, Table

_STYLES = {"plain": None, "strong": "bold", "result": "green", "warning": "yellow"}
_WIDE = 96  # columns from which a table is printed that has a narrow form, too
_LABEL = 20  # columns within which a longer label is broken into lines
_GAP, _EDGES = 2, 2  # columns between two cells of a table, and at its two sides


def print_blocks(console: Console, blocks: Iterable[Block]) -> None:
    """Print blocks in their order."""
    from rich.padding import Padding
    from rich.text import Text

    from tgap import text
    from tgap.cli.terminal import cell, say
    from tgap.data.display import shown

    for block in blocks:
        match block:
            case text.Heading():
                console.print(cell(block.text), style="bold")
            case text.Line():
                say(console, cell(block.text), _STYLES[block.style])
            case text.Note():
                console.print(f"note: {cell(block.text)}", style="yellow")
            case text.Item():
                console.print(Padding(Text(shown(block.text)), (0, 0, 0, 2), expand=False))
            case text.Blank():
                console.print()
            case text.Table():
                print_table(console, block)


def print_table(console: Console, table: Table) -> None:
    """One table under its title, numbers to the right.

    Where all numbers follow the labels and have no room in a narrow window, those that do not fit follow below, with
    the labels repeated: nothing is cut.
    """
    from tgap.cli.terminal import cell

    if table.narrow is not None and console.width < _WIDE:
        print_table(console, table.narrow)
        return
    if table.title:
        console.print(cell(table.title), style="bold")
    first = table.numbers_from
    if first == 0 or set(table.align[first:]) != {"r"}:
        _print_columns(console, table, range(len(table.columns)))
        return
    for numbers in _parts_that_fit(table, console.width):
        _print_columns(console, table, [*range(first), *numbers])


def _parts_that_fit(table: Table, width: int) -> list[list[int]]:
    """The columns of numbers in as few equal parts as have room beside the labels: equal, since they go in groups."""
    numbers = list(range(table.numbers_from, len(table.columns)))
    room = width - _EDGES - sum(min(_width(table, at), _LABEL) + _GAP for at in range(table.numbers_from))
    for count in range(1, len(numbers)):
        size = math.ceil(len(numbers) / count)
        parts = [numbers[begin : begin + size] for begin in range(0, len(numbers), size)]
        if all(sum(_width(table, at) + _GAP for at in part) <= room + _GAP for part in parts):
            return parts
    return [[at] for at in numbers]


def _width(table: Table, column: int) -> int:
    """Columns of a terminal that a column takes if nothing is broken."""
    from rich.cells import cell_len

    return max(cell_len(line[column]) for line in (table.columns, *table.rows))


def _print_columns(console: Console, table: Table, chosen: Sequence[int]) -> None:
    from rich import box
    from rich.table import Table as RichTable

    from tgap.cli.terminal import cell

    laid_out = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for at in chosen:
        whole, least = table.align[at] != "l", min(_width(table, at), _LABEL)
        justify: Literal["left", "right"] = "right" if table.align[at] == "r" else "left"
        laid_out.add_column(cell(table.columns[at]), justify=justify, no_wrap=whole, overflow="fold", min_width=least)
    for index, row in enumerate(table.rows):
        last_of_block = table.block > 1 and (index + 1) % table.block == 0
        laid_out.add_row(*(cell(row[at]) for at in chosen), end_section=last_of_block)
    console.print(laid_out)
