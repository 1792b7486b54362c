"""What can be shown for an answer without a walk, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgap.cli.output import print_notes, simple_table

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.predict import Support


def print_support(console: Console, support: Support) -> None:
    """How the answer stands, and the nearest facts of the pair."""
    from tgap.cli.terminal import cell, say

    answer = support.answer
    console.print(cell(support.question.text), style="bold")
    what = "probability" if support.probability else "score"
    console.print(cell(f"{answer.name}: {what} {answer.score:.4f}, rank {answer.rank:g}"), style="green")
    say(console, cell(support.sentence))
    print_notes(console, support.notes)
    if support.facts:
        table = simple_table(("fact", "left"), ("displacement", "whole"))
        for edge in support.facts:
            table.add_row(cell(" · ".join(edge.fact)), cell(edge.relative_time))
        console.print(table)
