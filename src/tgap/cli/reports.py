"""Reports of evaluations on the terminal, and a look at the files that they are to be written to."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.evaluation import Report
    from tgap.evaluation.tables import Table

_LABEL = 20  # columns within which a longer label is broken into lines
_GAP, _EDGES = 2, 2  # columns between two cells of a table, and at its two sides


def check_target(path: Path) -> None:
    """Refuse a file that cannot be written before minutes of scoring are spent on it."""
    from tgap.errors import EvaluationError

    if path.is_dir():
        raise EvaluationError(f"{path} is a folder; give the name of a file in it")
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise EvaluationError(
            f"cannot write {path}: {folder} is no folder that may be written to; choose another place"
        )


def print_reports(console: Console, reports: Sequence[Report], protocols: Sequence[str], details: bool) -> None:
    """All tables, then the notes; ``details`` adds the breakdowns."""
    from tgap.cli.terminal import cell, say
    from tgap.evaluation.breakdown import BREAKDOWNS
    from tgap.evaluation.protocols import headline_of
    from tgap.evaluation.tables import breakdown_table, directions_table, interval_tables, notes, results_table

    print_table(console, results_table(reports, protocols))
    for table in interval_tables(reports, protocols):
        print_table(console, table)
    print_table(console, directions_table(reports, protocols))
    if details:
        for name in (name for name in BREAKDOWNS if name in reports[0].breakdowns):
            print_table(console, breakdown_table(reports, name, headline_of(protocols)))
    for line in notes(reports, protocols):
        say(console, cell(line))


def print_table(console: Console, table: Table) -> None:
    """One table under its title, numbers to the right.

    In a narrow window the numbers that have no room follow below, with the labels repeated: nothing is cut.
    """
    from tgap.cli.terminal import cell

    console.print(cell(table.title), style="bold")
    labels = list(range(table.numbers_from))
    for numbers in _parts_that_fit(table, console.width):
        _print_columns(console, table, [*labels, *numbers])


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
        number, least = at >= table.numbers_from, min(_width(table, at), _LABEL)
        justify: Literal["left", "right"] = "right" if number else "left"
        laid_out.add_column(cell(table.columns[at]), justify=justify, no_wrap=number, overflow="fold", min_width=least)
    for index, row in enumerate(table.rows):
        last_of_block = bool(table.block) and (index + 1) % table.block == 0 and table.block > 1
        laid_out.add_row(*(cell(row[at]) for at in chosen), end_section=last_of_block)
    console.print(laid_out)
