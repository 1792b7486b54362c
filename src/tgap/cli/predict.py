"""tgap predict: the best answers to a question, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from tgap.predict import Prediction

PARTS = "SUBJECT RELATION [OBJECT] TIME"


@click.command("predict")
@click.argument("run")
@click.argument("parts", nargs=-1, required=True, metavar=PARTS)
@click.option(
    "--object", "object_name", metavar="NAME", help="The object, where SUBJECT is ? and only three parts follow."
)
@click.option("--top", type=click.IntRange(min=1), metavar="N", default=10, show_default=True, help="Answers to list.")
@click.option("--json", "json_file", metavar="FILE", help="Write the answers as JSON; - prints JSON and nothing else.")
def predict(run: str, parts: tuple[str, ...], object_name: str | None, top: int, json_file: str | None) -> None:
    """Answer a question: a fact with a hole.

    RUN is a run folder or the name of a pretrained model. Then come the parts of the fact in their order; ? stands
    where the answer goes, and an OBJECT that is asked for may be left out. Given both SUBJECT and OBJECT, the object is
    asked for and its own place is told, too. Names are matched whatever their case, spaces or underscores.

    \b
    Examples:
      tgap predict icews14 "North Korea" Threaten 2014-04-29
      tgap predict icews14 "North Korea" Threaten "?" 2014-04-29 --top 3
      tgap predict icews14 "?" Threaten "South Korea" 2014-04-29
      tgap predict icews14 "?" Threaten 2014-04-29 --object "South Korea"
    """
    from rich.console import Console

    from tgap.predict import Predictor

    subject, relation, obj, time = split_parts(parts, object_name)
    found = Predictor.from_run(run).predict(subject, relation, obj, time, top=top)
    if json_file != "-":
        print_prediction(Console(highlight=False), found)
    write_output(json_file, found.to_json() + "\n")


def split_parts(parts: tuple[str, ...], object_name: str | None) -> tuple[str, str, str | None, str]:
    """Subject, relation, object and time from three or four words on the command line."""
    from tgap.errors import QueryError

    if len(parts) not in (3, 4):
        raise QueryError(
            f"a question has three or four parts ({PARTS}), {len(parts)} were given; quote names that hold spaces"
        )
    if len(parts) == 4 and object_name is not None:
        raise QueryError("the object is given twice, as a part and by --object; leave one out")
    obj = parts[2] if len(parts) == 4 else object_name
    return parts[0], parts[1], obj, parts[-1]


def write_output(target: str | None, text: str) -> None:
    """Write ``text`` to a file, or to standard output for ``-``; None does nothing."""
    from tgap.data.atomic import write_atomically

    if target == "-":
        click.echo(text, nl=False)
    elif target is not None:
        write_atomically(Path(target), text.encode())
        click.echo(f"wrote {target}")


def print_prediction(console: Console, found: Prediction) -> None:
    """The answers as a table, notes below it."""
    from rich.markup import escape

    from tgap.predict.prediction import known_words

    console.print(escape(found.question.text), style="bold")
    table = simple_table(("rank", "right"), ("answer", "left"), (_score_name(found), "right"), ("", "left"))
    for answer in found.answers:
        known = escape(known_words(answer))
        table.add_row(f"{answer.rank:g}", escape(answer.name), f"{answer.score:.4f}", known)
    console.print(table)
    if found.asked is not None:
        asked = (
            f"{found.asked.name} stands at rank {found.asked.rank:g} with {_score_name(found)} {found.asked.score:.4g}"
        )
        console.print(escape(asked if found.asked.score > 0 or not found.probabilities else f"{asked}: out of reach"))
    print_notes(console, found.notes)


def print_notes(console: Console, notes: tuple[str, ...]) -> None:
    """What the reader should know, one line each."""
    from rich.markup import escape

    for note in notes:
        console.print(f"note: {escape(note)}", style="yellow")


def print_item(console: Console, text: str) -> None:
    """A line of a list; where it wraps, it stays indented."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Padding(Text(text), (0, 0, 0, 2), expand=False))


def simple_table(*columns: tuple[str, str]) -> Table:
    """A table with a line under its head; columns are (heading, side), side "whole" is a left one that never wraps."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for heading, side in columns:
        table.add_column(heading, justify="right" if side == "right" else "left", no_wrap=side != "left")
    return table


def _score_name(found: Prediction) -> str:
    return "probability" if found.probabilities else "score"
