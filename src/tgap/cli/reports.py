"""Reports of evaluations on the terminal, and a look at the files that they are to be written to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.evaluation import Report
    from tgap.evaluation.tables import Table


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
    from tgap.evaluation.breakdown import BREAKDOWNS
    from tgap.evaluation.protocols import headline_of
    from tgap.evaluation.tables import breakdown_table, directions_table, interval_tables, notes, results_table

    print_table(console, results_table(reports, protocols))
    for table in interval_tables(reports, protocols):
        print_table(console, table)
    print_table(console, directions_table(reports, protocols))
    if details:
        for name in BREAKDOWNS:
            print_table(console, breakdown_table(reports, name, headline_of(protocols)))
    for line in notes(reports, protocols):
        console.print(line, highlight=False, markup=False)


def print_table(console: Console, table: Table) -> None:
    """One table under its title, numbers to the right."""
    from rich import box
    from rich.markup import escape
    from rich.table import Table as RichTable

    console.print(escape(table.title), style="bold", highlight=False)
    shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for at, column in enumerate(table.columns):
        number = at >= table.numbers_from
        shown.add_column(escape(column), justify="right" if number else "left", no_wrap=number)
    for at, row in enumerate(table.rows):
        last_of_block = bool(table.block) and (at + 1) % table.block == 0 and table.block > 1
        shown.add_row(*map(escape, row), end_section=last_of_block)
    console.print(shown)
