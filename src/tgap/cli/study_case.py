"""tgap study case: the paper's case study, the strongest edges of each step for one question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tgap.cli.explain import check_format, file_format, write_bytes
from tgap.cli.explain_output import print_explanation, print_walk
from tgap.cli.output import write_output
from tgap.cli.words import PARTS, split_parts

if TYPE_CHECKING:
    from tgap.explain.schema import Document

PAPER = ("North Korea", "Threaten", "?", "2014-04-29")
PAPER_ANSWER = "South Korea"


@click.command("case", short_help="Strongest edges of each step for one question.")
@click.argument("run")
@click.argument("parts", nargs=-1, metavar=f"[{PARTS}]")
@click.option(
    "--answer", metavar="NAME", help="Which answer to explain. [default: South Korea for the paper's question]"
)
@click.option("--edges", type=click.IntRange(min=1), metavar="N", default=5, show_default=True, help="Edges a step.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="Write the table as Markdown; - prints it.")
@click.option("--json", "json_file", metavar="FILE", help="Write the explanation as JSON; - prints it.")
@click.option("--figure", "figure_file", metavar="FILE", help="Draw the flow picture (.png, .svg or .pdf).")
def case(
    run: str,
    parts: tuple[str, ...],
    answer: str | None,
    edges: int,
    markdown_file: str | None,
    json_file: str | None,
    figure_file: str | None,
) -> None:
    """Table of the strongest edges of each step, as in the paper's case study.

    Without a question it is the paper's: whom does North Korea threaten on 2014-04-29? That needs a run on ICEWS14.

    \b
    Examples:
      tgap study case icews14
      tgap study case icews14 Japan Consult 2014-05-02 --figure case.png
    """
    from tgap.cli.terminal import make_console
    from tgap.errors import QueryError
    from tgap.predict import ExplainOptions, Predictor

    check_format(figure_file, ("png", "svg", "pdf"))
    subject, relation, obj, time = split_parts(parts or PAPER, None)
    predictor = Predictor.from_run(run)
    if not parts and "North Korea" not in predictor.dataset.entities:
        raise QueryError(
            f"the paper's question is about ICEWS14, and {run} answers about {predictor.dataset.name}; "
            f"give a question: {PARTS}"
        )
    chosen = answer or (None if parts else PAPER_ANSWER)
    found = predictor.explain(subject, relation, obj, time, answer=chosen, options=ExplainOptions(edges=edges))
    if "-" not in (markdown_file, json_file):
        console = make_console()
        print_explanation(console, found.document)
        print_walk(console, found.document)
    write_output(markdown_file, case_markdown(found.document))
    write_output(json_file, found.to_json() + "\n")
    if figure_file is not None:
        write_bytes(figure_file, found.draw(file_format(figure_file)))


def case_markdown(document: Document) -> str:
    """The table in Markdown, pipes in names escaped."""

    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    answer = document.answer
    stands = f"probability {answer.score:.3f}, rank {answer.rank:g}"
    lines = [
        f"Question {cell(document.question.text)}, answer {cell(answer.name)}: {stands}.",
        "",
        "| step | subject | relation | object | date | displacement | attention |",
        "|---|---|---|---|---|---|---|",
    ]
    for step in document.steps:
        for edge in step.edges:
            named = (edge.subject, edge.label, edge.object, edge.time, edge.relative_time)
            lines.append(f"| {step.step} | {' | '.join(map(cell, named))} | {edge.attention:.3f} |")
    return "\n".join(lines) + "\n"
