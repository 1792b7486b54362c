"""From a question to the walk that explains an answer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tgap.asking.answers import answer_row, is_new, limit_notes
from tgap.asking.known import Known
from tgap.asking.question import Question
from tgap.data import Fact
from tgap.evaluation.calibration import Calibration
from tgap.evaluation.ranks import scored_rank
from tgap.explain.explanation import Explanation, Reason, make_explanation, make_reason
from tgap.explain.labels import first_new_answer
from tgap.explain.options import ExplainOptions
from tgap.explain.schema import Answer
from tgap.explain.wording import percent
from tgap.graph import View
from tgap.scorer import Trace

if TYPE_CHECKING:
    from tgap.asking.model import Model

__all__ = ["Explanation", "Reason", "explain_question", "reason_of"]


class _Walk(NamedTuple):
    """A trace and the answer to explain by it."""

    trace: Trace
    entity: int
    answer: Answer
    notes: tuple[str, ...]
    hidden: bool  # the asked fact was taken out of sight
    calibration: Calibration | None


def explain_question(model: Model, question: Question, options: ExplainOptions) -> Explanation:
    """Why the question's answer (by default the best one) has its probability."""
    walk = _walk(model, question, hide=options.hide_asked)
    return make_explanation(
        model.walker,
        model.names,
        question.named,
        (walk.entity, walk.answer),
        walk.trace,
        options=options,
        notes=walk.notes,
        asked_fact_hidden=walk.hidden,
        calibration=walk.calibration,
    )


def reason_of(model: Model, question: Question, effects: int) -> Reason:
    """The sentence of an explanation by itself, with the facts that were taken away for it."""
    walk = _walk(model, question, hide=True)
    return make_reason(
        model.walker,
        model.names,
        (walk.entity, walk.answer),
        walk.trace,
        effects=effects,
        asked_fact_hidden=walk.hidden,
        calibration=walk.calibration,
    )


def _walk(model: Model, question: Question, *, hide: bool) -> _Walk:
    """The walk to explain an answer by; ``hide``: not by the asked fact itself."""
    query = question.query
    trace = model.walker.trace(query)
    notes = question.notes + limit_notes(model, query)
    index = first_new_answer(model.walker.graph, trace) if question.answer is None else question.answer
    first = int(trace.scores.argmax())
    if question.answer is None and index != first:
        there = f"{model.names.entity(first)} comes first and is on record already"
        notes += (f"{there}; {model.names.entity(index)}, the first new answer, is explained",)
    visible = trace.view.at(query.time).shows(query.time)  # a fact out of sight tells nothing
    asked = int(model.fact_ids([Fact(query.subject, query.relation, index, query.time)])[0]) if visible else -1
    hidden = hide and asked >= 0
    if hidden:
        seen = scored_rank(trace.scores, index)
        in_sight = f"the probability would be {percent(seen.score)}, rank {seen.rank:g}"
        notes += (f"the asked fact is in the training data and was hidden; with it in sight {in_sight}",)
        trace = model.walker.trace(query, View.all().without([asked]))
    answer = answer_row(model, trace.scores, index, Known(model.dataset, query))
    repeats = asked >= 0 and not hidden  # a fact in sight is repeated: that was not calibrated
    uncalibrated = repeats or is_new(model, query)
    return _Walk(trace, index, answer, notes, hidden, None if uncalibrated else model.calibration)
