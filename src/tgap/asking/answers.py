"""From scores to answers: ranks, probabilities, what is known already, how far a probability can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.asking.known import SAME, Known
from tgap.asking.prediction import Prediction
from tgap.asking.question import Question
from tgap.evaluation.ranks import scored_rank
from tgap.evaluation.top import top_answers
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import measure_evidence
from tgap.explain.evidence_schema import CalibrationRow
from tgap.explain.evidence_tables import calibrated_answer, evidence_rows
from tgap.explain.schema import Answer
from tgap.graph.view import WHOLE, View
from tgap.scorer import Query, QueryBatch

if TYPE_CHECKING:
    from tgap.asking.model import Model


def predictions(
    model: Model, questions: Sequence[Question], top: int, evidence: int = 0, view: View = WHOLE
) -> Iterator[Prediction]:
    """The ``top`` best answers to each question, all scored as one batch.

    ``evidence`` adds so many facts to each best answer, with their measured effects. A ``view`` other than the whole
    graph needs a scorer that reads one.
    """
    if not questions:
        return
    scores = model.scores(QueryBatch.of([question.query for question in questions]), view)
    for question, row in zip(questions, scores, strict=True):
        found = _prediction(model, question, row, top, calibrated=view == WHOLE)
        yield _with_evidence(model, found, question, evidence, view)


def standings(model: Model, question: Question, entities: Sequence[int]) -> tuple[Answer, ...]:
    """How some entities stand as answers, the best one of all in front of them."""
    scores = model.scores(QueryBatch.of([question.query]))[0]
    known = Known(model.dataset, question.query)
    return tuple(answer_row(model, scores, entity, known) for entity in (int(scores.argmax()), *entities))


def answer_row(model: Model, scores: NDArray[np.float32], entity: int, known: Known) -> Answer:
    """An entity as an answer."""
    found, chances = scored_rank(scores, entity), model.scorer.kind.probabilities(scores)
    score = found.score if chances is None else float(chances[entity])
    words, when, splits = known.of(entity)
    return Answer(model.names.entity(entity), found.rank, score, words, when, splits)


def limit_notes(model: Model, query: Query) -> tuple[str, ...]:
    """A note on what the answer was made from, where that is not all that stands in the graph."""
    return model.setting.limits.notes(model.dataset.timeline, query.time)


def is_new(model: Model, query: Query) -> bool:
    """Whether train has no fact of the entity asked about: what such answers are given says nothing."""
    train = model.dataset.train
    return not len(train.with_subject(query.subject)) and not len(train.with_object(query.subject))


def _prediction(
    model: Model, question: Question, scores: NDArray[np.float32], top: int, *, calibrated: bool
) -> Prediction:
    known = Known(model.dataset, question.query)
    chances = model.scorer.kind.probabilities(scores)
    best = top_answers(scores[np.newaxis], top).entity[0]
    listed = [int(entity) for entity in best if chances is None or chances[entity] > 0]
    answers = tuple(answer_row(model, scores, entity, known) for entity in listed)
    return Prediction(
        question=question.named,
        answers=answers,
        asked=None if question.answer is None else answer_row(model, scores, question.answer, known),
        probabilities=chances is not None,
        rest=None if chances is None else max(0.0, 1.0 - float(chances[listed].sum(dtype=np.float64))),
        scorer=model.scorer.name,
        calibration=None if not calibrated or chances is None else _calibration(model, question, answers, chances),
        notes=question.notes + limit_notes(model, question.query),
    )


def _with_evidence(model: Model, found: Prediction, question: Question, count: int, view: View) -> Prediction:
    """The prediction with the ``count`` facts that carried most of the way to its best answer."""
    if not count or not found.answers:
        return found
    trace = model.walker.trace(question.query, view)
    best = model.dataset.entities.id(found.answers[0].name)
    flow = AnswerFlow.of(model.walker.graph, trace, best)
    measured = measure_evidence(Counterfactual(model.walker, trace, best), flow, count, pairs=0, together=False)
    return replace(found, evidence=evidence_rows(model.names, flow, measured))


def _calibration(
    model: Model, question: Question, answers: Sequence[Answer], chances: NDArray[np.float32]
) -> CalibrationRow | None:
    """For the first answer that train does not tell: to repeat a fact is no prediction, and none was calibrated."""
    new = next((row for row in answers if not (row.known_when == SAME and "train" in row.known_in)), None)
    if model.calibration is None or new is None or is_new(model, question.query):
        return None
    entity = model.dataset.entities.id(new.name)
    return calibrated_answer(model.calibration, model.dataset, question.query, chances, entity)
