"""tgap explain: why an answer has its probability, as text, JSON, a page or a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.ask_options import dataset_option, sight_options
from tgap.cli.explain_output import print_explanation, print_walk
from tgap.cli.output import write_output
from tgap.cli.support_output import print_support
from tgap.cli.words import PARTS, split_parts

if TYPE_CHECKING:
    from tgap.predict import Explanation

_COUNT, _EDGES = click.IntRange(1, 50), click.IntRange(1, 200)  # the bounds of ExplainOptions


@click.command("explain")
@click.argument("run")
@click.argument("parts", nargs=-1, required=True, metavar=PARTS)
@click.option(
    "--object", "object_name", metavar="NAME", help="The object, where SUBJECT is ? and only three parts follow."
)
@click.option("--answer", metavar="NAME", help="Which answer to explain. [default: the best one, or OBJECT]")
@click.option("--facts", type=_COUNT, metavar="N", default=20, show_default=True, help="Facts to take away one by one.")
@click.option("--chains", type=_COUNT, metavar="N", default=5, show_default=True, help="Heaviest chains of entities.")
@dataset_option
@sight_options
@click.option("--show-asked", is_flag=True, help="Let the walk see the asked fact where it is in the training data.")
@click.option("--walk", is_flag=True, help="Tell the whole walk, too: edges of each step, paths, attention over time.")
@click.option("--edges", type=_EDGES, metavar="N", default=5, show_default=True, help="With --walk: edges per step.")
@click.option("--paths", type=_COUNT, metavar="N", default=5, show_default=True, help="With --walk: heaviest paths.")
@click.option(
    "--json", "json_file", metavar="FILE", help="Write the explanation as JSON; - prints JSON and nothing else."
)
@click.option("--html", "html_file", metavar="FILE", help="Write a self-contained page with the flow picture.")
@click.option("--figure", "figure_file", metavar="FILE", help="Draw the flow picture (.png, .svg or .pdf).")
@click.option("--profile", "profile_file", metavar="FILE", help="Draw the displacement profile (.png, .svg or .pdf).")
@click.option("--trace", "trace_file", metavar="FILE", help="Write every edge of every step (.csv or .parquet).")
def explain(
    run: str,
    parts: tuple[str, ...],
    object_name: str | None,
    answer: str | None,
    facts: int,
    chains: int,
    dataset: str | None,
    past_only: bool,
    as_of: str | None,
    show_asked: bool,
    walk: bool,
    edges: int,
    paths: int,
    json_file: str | None,
    html_file: str | None,
    figure_file: str | None,
    profile_file: str | None,
    trace_file: str | None,
) -> None:
    """Say why an answer has its probability, by taking facts away and asking again.

    First one sentence; then the facts that speak for and against the answer, each with the probability that would be
    left without it; what would change the answer; how few facts are enough; and the chains that attention took. Every
    number is of this answer and measured. The question is written as for tgap predict. Given both SUBJECT and OBJECT,
    the object is the answer to explain. A fact that is asked about and stands in the training data is hidden, as it was
    in training.

    With --dataset a T-GAP answers about facts that it was not trained on, if it knows their relations by name.

    For a method that has no walk, the nearest training facts of subject and answer are shown instead.

    \b
    Examples:
      tgap explain icews14 "North Korea" Threaten 2014-04-29
      tgap explain icews14 "North Korea" Threaten 2014-04-29 --answer Japan --html a.html
      tgap explain icews14 "?" Threaten "South Korea" 2014-04-29 --walk --figure why.png
    """
    from tgap.cli.terminal import make_console
    from tgap.predict import ExplainOptions, Predictor

    subject, relation, obj, time = split_parts(parts, object_name)
    for target in (figure_file, profile_file):
        check_format(target, ("png", "svg", "pdf"))
    check_format(trace_file, ("csv", "parquet"))
    predictor = Predictor.from_run(run, dataset=dataset).seeing(as_of=as_of, past_only=past_only)
    if not predictor.walks and not any((walk, html_file, figure_file, profile_file, trace_file)):
        support = predictor.support(subject, relation, obj, time, answer=answer, count=facts)
        if json_file != "-":
            print_support(make_console(), support)
        write_output(json_file, support.to_json() + "\n")
        return
    options = ExplainOptions(effects=facts, chains=chains, edges=edges, paths=paths, hide_asked=not show_asked)
    found = predictor.explain(subject, relation, obj, time, answer=answer, options=options)
    if json_file != "-":
        console = make_console()
        print_explanation(console, found.document)
        if walk:
            print_walk(console, found.document)
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
