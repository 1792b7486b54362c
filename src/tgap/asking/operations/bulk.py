"""Answer many questions at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, WithJsonSchema

from tgap.asking.operation import Operation, Web
from tgap.asking.operations.predict import PredictOptions
from tgap.asking.options import Options
from tgap.text import Block, Line, Table

if TYPE_CHECKING:
    from tgap.asking.bulk_replies import BulkReply
    from tgap.asking.model import Model


class BulkQuestion(PredictOptions):
    """A question among many."""

    reason: bool = Field(default=False, description="Also say why the best answer (or the given one) is what it is")


class BulkOptions(Options):
    """Many questions. Each is validated by itself, so that a wrong one spoils no other."""

    questions: list[Annotated[Any, WithJsonSchema({"$ref": "#/components/schemas/BulkQuestion"})]] = Field(
        min_length=1, max_length=256, description="The questions, each with the fields of ``predict`` and ``reason``"
    )


def bulk(model: Model, options: BulkOptions) -> BulkReply:
    """An entry per question, in their order; a question that cannot be answered has an error in its entry."""
    from tgap.asking.bulk_replies import BulkReply, entry_of

    return BulkReply(entries=tuple(entry_of(model, index, one) for index, one in enumerate(options.questions)))


def entries(model: Model, options: BulkOptions) -> list[tuple[int, Callable[[], dict[str, Any]]]]:
    """By time, since features are computed for a time and cached for a while."""
    from tgap.asking.bulk_replies import answer_of

    def time(index: int) -> str:
        question = options.questions[index]
        return str(question.get("time")) if isinstance(question, dict) else ""

    def work(question: Any) -> Callable[[], dict[str, Any]]:
        return lambda: answer_of(model, question)

    order = sorted(range(len(options.questions)), key=time)
    return [(index, work(options.questions[index])) for index in order]


def text(found: BulkReply, options: BulkOptions) -> Iterator[Block]:  # noqa: ARG001
    """The best answer to each question."""
    rows = []
    for entry in found.entries:
        if entry.prediction is None:
            assert entry.error is not None, "an entry holds an answer or an error"
            yield Line(f"question {entry.index}: {entry.error}", "warning")
        else:
            best = entry.prediction.answers[:1]
            rows.append(
                (entry.prediction.question.text, *((best[0].name, f"{best[0].score:.4f}") if best else ("", "")))
            )
    yield Table(("question", "best answer", "score"), tuple(rows), "llr")


OPERATION = Operation(
    name="bulk",
    summary="Answer many questions at once.",
    options=BulkOptions,
    run=bulk,
    reply="tgap.asking.bulk_replies:BulkReply",
    text=text,
    web=Web(media="application/x-ndjson"),
    entries=entries,
    entry="tgap.asking.bulk_replies:BulkLine",
    command=False,
)
