"""tgap study sampling: the growing subgraph of one question, step by step (the paper's appendix A)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tgap.cli.explain import check_format, file_format, write_bytes
from tgap.cli.output import print_item, print_notes
from tgap.cli.words import PARTS, split_parts

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.drawing.growth_picture import GrowthPanel
    from tgap.predict import Predictor

_SIZE = click.IntRange(min=1)


@click.command("sampling", short_help="Picture of the growing subgraph.")
@click.argument("run")
@click.argument("parts", nargs=-1, required=True, metavar=PARTS)
@click.option("--core", type=_SIZE, metavar="X", default=2, show_default=True, help="Core nodes a step; the paper's x.")
@click.option("--sampled", type=_SIZE, metavar="Y", default=3, show_default=True, help="Edges looked at for each; y.")
@click.option("--added", type=_SIZE, metavar="Z", default=2, show_default=True, help="Edges that join a step; z.")
@click.option("--as-trained", is_flag=True, help="Grow it as the run answers instead, and show the strongest edges.")
@click.option(
    "--figure",
    "figure_file",
    metavar="FILE",
    default="sampling.png",
    show_default=True,
    help="Picture to draw (.png, .svg or .pdf).",
)
def sampling(
    run: str, parts: tuple[str, ...], core: int, sampled: int, added: int, as_trained: bool, figure_file: str
) -> None:
    """Draw how the subgraph of a question grows: core nodes, candidate edges, and those that join.

    By default with the paper's tiny x = 2, y = 3, z = 2, because a real sample does not fit a picture.

    \b
    Example:
      tgap study sampling icews14 "North Korea" Threaten 2014-04-29 --figure s.png
    """
    from tgap.cli.terminal import make_console
    from tgap.drawing.growth_picture import growth_drawing, growth_panels
    from tgap.drawing.rendering import drawing_figure, render
    from tgap.errors import QueryError
    from tgap.predict.question import parse_question

    check_format(figure_file, ("png", "svg", "pdf"))
    predictor = _load(run, None if as_trained else (core, sampled, added))
    parsed = parse_question(predictor.dataset, *split_parts(parts, None))
    trace = predictor.explainer.trace(parsed.query)
    panels = growth_panels(predictor.names, predictor.explainer.graph, trace)
    if not panels:
        raise QueryError(f"{run} samples no subgraph: it walks one step or the whole graph")
    console = make_console()
    title = f"Growing subgraph of {parsed.question.text}"
    _print(console, title, panels)
    print_notes(console, parsed.notes)
    write_bytes(figure_file, render(drawing_figure(growth_drawing(title, panels)), file_format(figure_file)))


def _load(run: str, size: tuple[int, int, int] | None) -> Predictor:
    """The run's predictor, with another size of the sample: it is no parameter, so the weights still fit."""
    from tgap.compare.variants import asked_values
    from tgap.predict import Predictor

    return Predictor.from_run(run, {} if size is None else asked_values(size))


def _print(console: Console, title: str, panels: tuple[GrowthPanel, ...]) -> None:
    from tgap.cli.terminal import cell

    console.print(cell(title), style="bold")
    for panel in panels:
        core = ", ".join(spot.label for spot in panel.spots if spot.core)
        joins = ", ".join(spot.label for spot in panel.spots if spot.state == "joins") or "none"
        console.print()
        console.print(cell(panel.title), style="bold")
        print_item(console, f"core nodes: {core}")
        print_item(console, f"join: {joins}")
        for _, _, key in panel.keys:
            print_item(console, f"{key.number}. {key.clause}")
