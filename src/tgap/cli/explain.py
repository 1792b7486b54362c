"""tgap explain: the walk that led to an answer, as tables, JSON, a page or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.output import print_item, print_notes, simple_table, write_output
from tgap.cli.words import PARTS, split_parts

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.explain.schema import CheckTable, Document, ProfileTable
    from tgap.predict import Explanation

_COUNT = click.IntRange(min=1)
_WIDE = 96  # columns of a terminal that has room for the table of edges with a column for each part


@click.command("explain")
@click.argument("run")
@click.argument("parts", nargs=-1, required=True, metavar=PARTS)
@click.option(
    "--object", "object_name", metavar="NAME", help="The object, where SUBJECT is ? and only three parts follow."
)
@click.option("--answer", metavar="NAME", help="Which answer to explain. [default: the best one, or OBJECT]")
@click.option("--edges", type=_COUNT, metavar="N", default=5, show_default=True, help="Strongest edges a step.")
@click.option("--paths", type=_COUNT, metavar="N", default=5, show_default=True, help="Heaviest walks to the answer.")
@click.option("--check", is_flag=True, help="Delete the strongest facts and see how the answer fares without them.")
@click.option("--delete", type=_COUNT, metavar="K", default=5, show_default=True, help="Facts that --check deletes.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, help="Seed of the check's random controls.")
@click.option(
    "--json", "json_file", metavar="FILE", help="Write the explanation as JSON; - prints JSON and nothing else."
)
@click.option("--html", "html_file", metavar="FILE", help="Write a self-contained page with the layered picture.")
@click.option("--figure", "figure_file", metavar="FILE", help="Draw the layered picture (.png, .svg or .pdf).")
@click.option("--profile", "profile_file", metavar="FILE", help="Draw the displacement profile (.png, .svg or .pdf).")
@click.option("--trace", "trace_file", metavar="FILE", help="Write every edge of every step (.csv or .parquet).")
def explain(
    run: str,
    parts: tuple[str, ...],
    object_name: str | None,
    answer: str | None,
    edges: int,
    paths: int,
    check: bool,
    delete: int,
    seed: int,
    json_file: str | None,
    html_file: str | None,
    figure_file: str | None,
    profile_file: str | None,
    trace_file: str | None,
) -> None:
    """Show why an answer has its probability: strongest edges, paths, and how far in time attention looked.

    The question is written as for tgap predict. Given both SUBJECT and OBJECT, the object is the answer to explain.

    \b
    Examples:
      tgap explain icews14 "North Korea" Threaten 2014-04-29
      tgap explain icews14 "North Korea" Threaten 2014-04-29 --check --html a.html
      tgap explain icews14 "?" Threaten "South Korea" 2014-04-29 --figure why.png
    """
    from rich.console import Console

    from tgap.predict import ExplainOptions, Predictor

    subject, relation, obj, time = split_parts(parts, object_name)
    for target in (figure_file, profile_file):
        check_format(target, ("png", "svg", "pdf"))
    check_format(trace_file, ("csv", "parquet"))
    options = ExplainOptions(edges=edges, paths=paths, check=delete if check else 0, seed=seed)
    found = Predictor.from_run(run).explain(subject, relation, obj, time, answer=answer, options=options)
    if json_file != "-":
        print_explanation(Console(highlight=False), found.document)
    write_output(json_file, found.to_json() + "\n")
    if html_file is not None:
        write_output(html_file, found.to_html())
    _write_pictures(found, figure_file, profile_file)
    if trace_file is not None:
        write_bytes(trace_file, _trace_bytes(found, trace_file))


def check_format(target: str | None, endings: tuple[str, ...]) -> None:
    """Refuse a file name whose ending names no format, before any work is done."""
    from tgap.errors import QueryError

    if target is not None and Path(target).suffix.removeprefix(".").lower() not in endings:
        raise QueryError(f"{target} has no known ending; use {', '.join(f'.{ending}' for ending in endings)}")


def write_bytes(target: str, content: bytes) -> None:
    """Write a file atomically and say so."""
    from tgap.data.atomic import write_atomically

    write_atomically(Path(target), content)
    click.echo(f"wrote {target}")


def file_format(target: str) -> str:
    """Format by a file's ending."""
    return Path(target).suffix.removeprefix(".").lower()


def _write_pictures(found: Explanation, figure_file: str | None, profile_file: str | None) -> None:
    if figure_file is not None:
        write_bytes(figure_file, found.draw(file_format(figure_file)))
    if profile_file is not None:
        write_bytes(profile_file, found.draw_profile(file_format(profile_file)))


def _trace_bytes(found: Explanation, target: str) -> bytes:
    import io

    buffer = io.BytesIO()
    frame = found.trace_frame()
    if file_format(target) == "csv":
        frame.write_csv(buffer)
    else:
        frame.write_parquet(buffer)
    return buffer.getvalue()


def print_explanation(console: Console, document: Document) -> None:
    """Everything as tables."""
    from rich.markup import escape

    from tgap.predict.prediction import known_words

    answer = document.answer
    known = known_words(answer)
    console.print(escape(document.question.text), style="bold")
    stands = f"{answer.name}: probability {answer.score:.4f}, rank {answer.rank:g}{', ' + known if known else ''}"
    console.print(escape(stands), style="green")
    console.print(escape(document.reach.sentence))
    print_notes(console, document.notes)
    print_steps(console, document)
    _print_paths(console, document)
    console.print("How far in time attention looked", style="bold")
    print_profile(console, document.profile)
    if document.check is not None:
        _print_check(console, document.check)


def print_steps(console: Console, document: Document) -> None:
    """The paper's case-study table, one a step; on a narrow screen an edge is one clause instead of three columns."""
    from rich.markup import escape

    from tgap.explain.sentences import edge_arrow
    from tgap.explain.wording import percent

    narrow = console.width < _WIDE
    ends = (("edge", "left"),) if narrow else (("subject", "left"), ("relation", "left"), ("object", "left"))
    for step in document.steps:
        waiting = f"{step.carried:,} edges carried attention, {percent(step.waiting)} stayed where it was"
        console.print(f"\n[bold]Step {step.step}[/bold]  {waiting}")
        when = (("date", "whole"), ("displacement", "whole"))
        table = simple_table(*ends, *when, ("attention", "right"), ("of answer", "right"))
        for edge in step.edges:
            named = (edge_arrow(edge),) if narrow else (edge.subject, edge.label, edge.object)
            table.add_row(*map(escape, (*named, edge.time, edge.words)), f"{edge.attention:.4f}", percent(edge.through))
        console.print(table)


def _print_paths(console: Console, document: Document) -> None:
    from rich.markup import escape

    from tgap.explain.wording import percent

    console.print("Paths to the answer", style="bold")
    if not document.paths.walks:
        console.print("No walk leads to the answer.\n")
        return
    table = simple_table(("share", "right"), ("walk", "left"))
    for walk in document.paths.walks:
        table.add_row(percent(walk.share), escape(walk.sentence))
    console.print(table)
    console.print(f"The other walks ({document.paths.number:,.0f} in all) bring {percent(document.paths.rest)}.")
    if not document.paths.complete:
        console.print("The search was cut short: heavier walks may be missing.", style="yellow")
    console.print()


def print_profile(console: Console, profile: ProfileTable) -> None:
    """Past, same time and future: attention beside the edges within reach; then by edge relation."""
    from rich.markup import escape

    from tgap.explain.naming import INVERSE
    from tgap.explain.wording import percent

    sides = ("past", "present", "future")
    table = simple_table(
        ("", "left"), ("past", "right"), ("same time", "right"), ("future", "right"), ("self-loops", "right")
    )
    table.add_row("attention", *(percent(profile.attention[side]) for side in sides), percent(profile.waiting))
    table.add_row("edges within reach", *(percent(profile.base[side]) for side in sides), "")
    console.print(table)
    table = simple_table(
        ("edge relation", "left"),
        ("attention", "right"),
        ("past", "right"),
        ("same time", "right"),
        ("future", "right"),
    )
    for row in profile.relations[:5]:
        shares = (row.attention, row.past, row.present, row.future)
        table.add_row(escape(row.relation + (INVERSE if row.inverse else "")), *map(percent, shares))
    console.print(table)


def _print_check(console: Console, check: CheckTable) -> None:
    from tgap.explain.wording import CONTROL_WORDS, percent, percent_change

    console.print("Is it faithful?", style="bold")
    table = simple_table(("", "left"), ("probability", "right"), ("rank", "right"), ("change", "right"))
    table.add_row("as it is", percent(check.probability), f"{check.rank:g}", "")
    rows = [
        (f"without the {len(check.strongest.facts)} strongest facts", check.strongest),
        (f"without the {len(check.brought.facts)} facts that brought it most", check.brought),
    ]
    for control, words in CONTROL_WORDS:
        if control in check.controls:
            row = check.controls[control]
            rows.append((f"without {len(row.facts)} {words}", row))
    for name, row in rows:
        table.add_row(name, percent(row.probability), f"{row.rank:g}", percent_change(row.drop))
    console.print(table)
    for words, row in (("Deleted as strongest:", check.strongest), ("Deleted as bringing it most:", check.brought)):
        console.print(words)
        for fact in row.facts:
            print_item(console, " · ".join(fact))
