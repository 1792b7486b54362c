"""Replies to many questions at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tgap.asking.answers import predictions
from tgap.asking.explanations import reason_of
from tgap.asking.options import read_options
from tgap.asking.prediction import Prediction
from tgap.errors import TgapError
from tgap.explain.evidence_schema import EvidenceRow
from tgap.explain.schema import plain

if TYPE_CHECKING:
    from tgap.asking.model import Model

_EFFECTS = 10  # facts taken away for the short reason


@dataclass(frozen=True)
class ShortReason:
    """Why, in short."""

    answer: str
    sentence: str
    kind: str
    strongest: EvidenceRow | None  # event of strongest measured effect


@dataclass(frozen=True)
class BulkEntry:
    """The reply to one of many questions."""

    index: int
    prediction: Prediction | None
    reason: ShortReason | None
    error: str | None


@dataclass(frozen=True)
class BulkLine:
    """One line of a reply that is sent line by line."""

    index: int
    prediction: Prediction | None
    reason: ShortReason | None
    error: dict[str, Any] | None


@dataclass(frozen=True)
class BulkReply:
    """An entry per question, in their order."""

    entries: tuple[BulkEntry, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found


def entry_of(model: Model, index: int, question: Any) -> BulkEntry:
    """The reply to a question; what is wrong with it stands in its place."""
    try:
        prediction, reason = _answered(model, question)
    except TgapError as error:
        return BulkEntry(index, None, None, str(error))
    return BulkEntry(index, prediction, reason, None)


def answer_of(model: Model, question: Any) -> dict[str, Any]:
    """The reply to a question as a document; raises what is wrong with it."""
    prediction, reason = _answered(model, question)
    return {"prediction": prediction.to_dict(), "reason": None if reason is None else plain(reason)}


def _answered(model: Model, values: Any) -> tuple[Prediction, ShortReason | None]:
    from tgap.asking.operations.bulk import BulkQuestion  # noqa: PLC0415  that file reads this one when it is used

    options = read_options(BulkQuestion, values)
    question = model.resolve(options)
    under = model.under(question.setting)
    prediction = next(predictions(under, [question], options.top, options.evidence))
    if not options.reason:
        return prediction, None
    found = reason_of(under, question, _EFFECTS)
    return prediction, ShortReason(
        found.answer.name, found.sentence, found.kind, found.evidence[0] if found.evidence else None
    )
