"""tgap study displacement: how far in time attention looks for the questions of a relation (the paper's figure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tgap.cli.explain import check_format, file_format, write_bytes
from tgap.cli.explain_output import print_profile
from tgap.cli.study_options import json_option, seed_option, side_option, split_option
from tgap.cli.study_shared import progress_bar, split_questions, write_json

if TYPE_CHECKING:
    from tgap.evaluation.queries import SplitQueries
    from tgap.predict import Predictor

_VERSION = "tgap.displacement/2"


@click.command("displacement", short_help="How far in time attention looks, by relation.")
@click.argument("run")
@click.option(
    "--relation",
    "relations",
    multiple=True,
    metavar="NAME",
    help="Relation to study; may be repeated. [default: all together]",
)
@split_option
@side_option("tail")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Only a random sample of N questions a relation."
)
@seed_option("that sample")
@click.option(
    "--axis",
    type=click.IntRange(min=1),
    metavar="N",
    default=100,
    show_default=True,
    help="Units to both sides in the figure.",
)
@click.option(
    "--figure", "figure_file", metavar="FILE", help="Draw a row of panels for each relation (.png, .svg or .pdf)."
)
@json_option
def displacement(
    run: str,
    relations: tuple[str, ...],
    split: str,
    side: str,
    limit: int | None,
    seed: int,
    axis: int,
    figure_file: str | None,
    json_file: str | None,
) -> None:
    """Attention against displacement, beside the displacements of all edges within reach.

    Self-loops have no displacement and are shown apart. The number of questions stands with every figure: a relation
    with two test facts shows two anecdotes, not a habit.

    \b
    Examples:
      tgap study displacement icews14 --relation Threaten --figure profile.png
      tgap study displacement icews14 --side both
    """
    from tgap.cli.terminal import cell, make_console
    from tgap.errors import QueryError
    from tgap.explain.profile import queries_profile
    from tgap.explain.schema import plain
    from tgap.explain.tables import profile_table
    from tgap.predict import Predictor

    check_format(figure_file, ("png", "svg", "pdf"))
    predictor = Predictor.from_run(run)
    explainer = predictor.explainer
    asked = split_questions(predictor.dataset, split, side)
    console = make_console(quiet=json_file == "-")
    tables = []
    for name, part in _by_relation(predictor, asked, relations):
        if not len(part):
            raise QueryError(f"no {split} fact has the relation {name!r}; choose another relation or --split")
        queries = part if limit is None else part.sample(limit, seed)
        with progress_bar(name) as progress:
            profile = profile_table(predictor.names, queries_profile(explainer, queries.batch, progress))
        title = f"{name} ({split}, {side}): {_number(profile.queries, queries.available)}"
        console.print(cell(title), style="bold")
        print_profile(console, profile)
        tables.append((name, title, profile))
    if figure_file is not None:
        from tgap.drawing.profile_figure import Panel, profile_figure
        from tgap.drawing.rendering import render

        panels = [Panel(title, profile) for _, title, profile in tables]
        write_bytes(figure_file, render(profile_figure(panels, axis), file_format(figure_file)))
    document = {"schema": _VERSION, "dataset": predictor.dataset.name, "split": split, "side": side}
    profiles = [{"relation": name, **plain(profile)} for name, _, profile in tables]
    write_json(json_file, {**document, "profiles": profiles})


def _by_relation(
    predictor: Predictor, asked: SplitQueries, relations: tuple[str, ...]
) -> list[tuple[str, SplitQueries]]:
    """The questions of each relation named, or all of them."""
    if not relations:
        return [("all relations", asked)]
    vocabulary = predictor.dataset.relations
    found = []
    for text in relations:
        relation = vocabulary.find(text)
        part = asked.only(asked.batch.relation % len(vocabulary) == relation)
        found.append((vocabulary.name(relation), part))
    return found


def _number(queries: int, available: int) -> str:
    words = f"{queries:,} question{'s' if queries != 1 else ''}"
    return words if queries == available else f"{words} of {available:,}"
