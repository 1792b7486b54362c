"""List the strongest edges of each step for one question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from tgap.asking.operation import QUESTION, FileOutput, Operation
from tgap.asking.options import Name, QuestionOptions, Time
from tgap.studies.options import PICTURES
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.explain.explanation import Explanation
    from tgap.explain.schema import Document

_PAPER_ANSWER = "South Korea"


class CaseOptions(QuestionOptions):
    """A question, by default the paper's: whom does North Korea threaten on 2014-04-29?"""

    subject: Name | None = Field(default="North Korea", description='An entity, or null or "?" where it is asked for')
    relation: Name = Field(default="Threaten", description="A relation, in the direction of the fact")
    time: Time = Field(default="2014-04-29", description="The time that is asked about")
    edges: int = Field(default=5, ge=1, description="Edges of each step")

    @model_validator(mode="after")
    def _whole(self) -> CaseOptions:
        """Parts of the paper's question do not complete another one."""
        given = self.model_fields_set & set(QUESTION)
        if given and not {"relation", "time"} <= given:
            raise ValueError("a question needs a relation and a time; without any part it is the paper's question")
        return self

    @property
    def of_the_paper(self) -> bool:
        """Whether no question was given."""
        return not self.model_fields_set & set(QUESTION)


def case(model: Model, options: CaseOptions) -> Explanation:
    """Explain the answer to the question, for the paper's question the paper's answer."""
    from tgap.errors import QueryError

    chosen = options.answer
    if options.of_the_paper:
        if "North Korea" not in model.dataset.entities:
            raise QueryError(
                f"the paper's question is about ICEWS14, and {model!r} answers about {model.dataset.name}; "
                f"give a question: subject, relation, object and time"
            )
        chosen = chosen or _PAPER_ANSWER
    subject = options.subject if options.of_the_paper or "subject" in options.model_fields_set else None
    return model.explain(
        subject,
        options.relation,
        options.object,
        options.time,
        answer=chosen,
        as_of=options.as_of,
        past_only=options.past_only,
        window=options.window,
        edges=options.edges,
    )


def text(found: Explanation, options: CaseOptions) -> Iterator[Block]:  # noqa: ARG001
    """Why, and the whole walk."""
    from tgap.asking.explanation_text import explanation_text, walk_text

    yield from explanation_text(found.document)
    yield from walk_text(found.document)


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


OPERATION = Operation(
    name="case",
    summary="List the strongest edges of each step for one question.",
    options=CaseOptions,
    run=case,
    reply="tgap.explain.schema:Document",
    text=text,
    description=(
        "As in the paper's case study. Without a question it is the paper's: whom does North Korea threaten on "
        "2014-04-29, and why South Korea? That needs a run on ICEWS14."
    ),
    examples=("study case icews14", "study case icews14 Japan Consult 2014-05-02 --figure case.png"),
    files=(
        FileOutput(
            name="markdown",
            description="Write the table as Markdown",
            write=lambda found, _, __: case_markdown(found.document).encode(),
        ),
        FileOutput(
            name="figure",
            description="Draw the flow picture",
            endings=PICTURES,
            write=lambda found, _, ending: found.draw(ending),
        ),
    ),
)
