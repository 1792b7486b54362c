"""Predictor: names in, ranked answers with reasons out. Command line, server and notebooks all go through here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Fact
from tgap.data.facts import Facts
from tgap.data.time import When
from tgap.errors import DataError, QueryError
from tgap.evaluation.calibration import Calibration
from tgap.evaluation.ranks import scored_rank
from tgap.evaluation.top import top_answers
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import measure_evidence
from tgap.explain.evidence_schema import CalibrationRow
from tgap.explain.evidence_tables import calibrated_answer, evidence_rows
from tgap.explain.explanation import Explanation, Reason, make_explanation, make_reason
from tgap.explain.labels import first_new_answer
from tgap.explain.naming import Names
from tgap.explain.nearby import nearby_facts
from tgap.explain.options import ExplainOptions
from tgap.explain.schema import Answer
from tgap.explain.wording import percent
from tgap.graph import View
from tgap.graph.setting import visible_facts
from tgap.graph.view import WHOLE
from tgap.predict.known import SAME, Known
from tgap.predict.prediction import Prediction
from tgap.predict.question import ParsedQuestion, parse_question
from tgap.predict.support import Support, support_sentence
from tgap.predict.what_if import FactParts, WhatIf, ask_what_if
from tgap.scorer import (
    Explainer,
    IntArray,
    Query,
    QueryBatch,
    ScoreKind,
    Scorer,
    Trace,
    informed,
    reading,
    setting_of,
)

QuestionParts = tuple[str | None, str, str | None, When]  # subject, relation, object, time


class _Walk(NamedTuple):
    """A trace and the answer to explain by it."""

    trace: Trace
    entity: int
    answer: Answer
    notes: tuple[str, ...]
    hidden: bool  # the asked fact was taken out of sight
    calibration: Calibration | None


class Predictor:
    """Answers questions about one dataset with one scorer.

    A question is a fact with a hole: ``predict("North Korea", "Threaten", "?", "2014-04-29")`` asks for the object,
    ``predict("?", "Threaten", "South Korea", "2014-04-29")`` for the subject.
    """

    def __init__(self, scorer: Scorer, dataset: Dataset, calibration: Calibration | None = None) -> None:
        self.scorer = scorer
        self.dataset = dataset
        self.calibration = calibration
        self.names = Names(dataset)

    @classmethod
    def from_run(
        cls, path_or_name: str | Path, changes: Mapping[str, Any] | None = None, dataset: str | None = None
    ) -> Self:
        """The predictor of a run folder, of a pretrained run by its name, or of what ``load_scorer`` takes besides."""
        from tgap.runs import load_scorer  # noqa: PLC0415  brings torch along

        run = load_scorer(path_or_name, changes, dataset)
        return cls(run.scorer, run.dataset, run.calibration)

    def seeing(self, *, as_of: When | None = None, past_only: bool = False) -> Predictor:
        """The same predictor, answering from less: from nothing later than ``as_of``, or only from what lies strictly

        before each question. Answers, reasons and counts all keep to it. The model and its graph are shared.
        """
        known = setting_of(self.scorer)
        limited = known.chosen(self.dataset, None, as_of, past_only)
        return self if limited == known else Predictor(informed(self.scorer, self.dataset, limited), self.dataset)

    def predict(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002  the fourth part of a fact has no other name
        time: When | None = None,
        *,
        top: int = 10,
        answer: str | None = None,
        view: View = WHOLE,
        evidence: int = 0,
    ) -> Prediction:
        """The ``top`` best answers. ``None`` or ``"?"`` stands where the answer goes.

        Given ``answer``, or both subject and object (then the object is asked for), ``Prediction.asked`` tells how that
        one stands. A ``view`` other than the whole graph needs a scorer that reads one. ``evidence`` adds so many known
        facts to the best answer, each with its measured effect; that needs a scorer that walks.
        """
        parsed = self._parse(subject, relation, object, time)
        batch = QueryBatch.of([parsed.query])
        scores = (self.scorer.score(batch) if view == WHOLE else self._under(view, batch))[0]
        asked = parsed.answer if answer is None else self._chosen_answer(parsed, answer, scores)
        found = self._prediction(parsed, scores, top, asked, calibrated=view == WHOLE)
        return self._with_evidence(found, parsed, view, evidence)

    def _under(self, view: View, batch: QueryBatch) -> NDArray[np.float32]:
        """Scores under a view, by whatever can be limited to one."""
        limited = self.scorer if isinstance(self.scorer, Explainer) else reading(self.scorer)
        return limited.score(batch, view)

    def predict_many(
        self, questions: Iterable[QuestionParts], *, top: int = 10, evidence: int = 0, batch_size: int = 64
    ) -> Iterator[Prediction | QueryError]:
        """Answers to many questions in their order, scored ``batch_size`` at a time.

        Each is (subject, relation, object, time) as in ``predict``. One that cannot be answered gives its error in its
        place and spoils no other.
        """
        if evidence:
            self.explainer  # noqa: B018  a method without a walk is refused before anything is scored
        waiting = iter(questions)
        while part := list(islice(waiting, batch_size)):
            found = [self._parse_or_tell(question) for question in part]
            asked = [parsed for parsed in found if isinstance(parsed, ParsedQuestion)]
            rows = iter(self.scorer.score(QueryBatch.of([parsed.query for parsed in asked])) if asked else ())
            for parsed in found:
                if isinstance(parsed, ParsedQuestion):
                    one = self._prediction(parsed, next(rows), top, parsed.answer)
                    yield self._with_evidence(one, parsed, WHOLE, evidence)
                else:
                    yield parsed

    def _parse(self, subject: str | None, relation: str, obj: str | None, time: When | None) -> ParsedQuestion:
        return parse_question(self.dataset, subject, relation, obj, time, setting_of(self.scorer).context)

    def _parse_or_tell(self, question: QuestionParts) -> ParsedQuestion | QueryError:
        try:
            return self._parse(*question)
        except (QueryError, DataError) as error:  # a time that cannot be read is a DataError
            return QueryError(str(error))

    def standings(
        self,
        subject: str | None,
        relation: str,
        object: str | None,  # noqa: A002
        time: When | None,
        answers: Sequence[str],
    ) -> tuple[Answer, ...]:
        """How the named answers stand, the best one of all in front of them."""
        parsed = self._parse(subject, relation, object, time)
        scores = self.scorer.score(QueryBatch.of([parsed.query]))[0]
        known = Known(self.dataset, parsed.query)
        entities = [int(scores.argmax()), *(self.dataset.entities.find(name) for name in answers)]
        return tuple(self._answer(scores, entity, known) for entity in entities)

    def _prediction(
        self,
        parsed: ParsedQuestion,
        scores: NDArray[np.float32],
        top: int,
        asked: int | None,
        *,
        calibrated: bool = True,
    ) -> Prediction:
        known = Known(self.dataset, parsed.query)
        chances = self.scorer.kind.probabilities(scores)
        best = top_answers(scores[np.newaxis], top).entity[0]
        listed = [int(entity) for entity in best if chances is None or chances[entity] > 0]
        answers = tuple(self._answer(scores, entity, known) for entity in listed)
        return Prediction(
            question=parsed.question,
            answers=answers,
            asked=None if asked is None else self._answer(scores, asked, known),
            probabilities=chances is not None,
            rest=None if chances is None else max(0.0, 1.0 - float(chances[listed].sum(dtype=np.float64))),
            scorer=self.scorer.name,
            calibration=None if not calibrated or chances is None else self._calibrated(parsed.query, answers, chances),
            notes=parsed.notes + self._sight(parsed.query),
        )

    def _with_evidence(self, found: Prediction, parsed: ParsedQuestion, view: View, count: int) -> Prediction:
        """The prediction with the ``count`` facts that carried most of the way to its best answer."""
        if not count or not found.answers:
            return found
        trace = self.explainer.trace(parsed.query, view)
        best = self.dataset.entities.id(found.answers[0].name)
        flow = AnswerFlow.of(self.explainer.graph, trace, best)
        measured = measure_evidence(Counterfactual(self.explainer, trace, best), flow, count, pairs=0, together=False)
        return replace(found, evidence=evidence_rows(self.names, flow, measured))

    def what_if(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002
        time: When | None = None,
        *,
        without: Sequence[FactParts] = (),
        added: Sequence[FactParts] = (),
        answer: str | None = None,
        top: int = 10,
        hide_asked: bool = True,
    ) -> WhatIf:
        """The answers as they are, and as if facts had not happened (``without``) or others had (``added``).

        A fact is (subject, relation, object, time). See ``what_if``.
        """
        question = (subject, relation, object, time)
        return ask_what_if(self, question, without=without, added=added, answer=answer, top=top, hide_asked=hide_asked)

    def knowing_also(self, facts: Facts) -> Predictor:
        """The same method with more facts known, without training; names and marks stay as here."""
        scorer = reading(self.scorer)
        more = replace(self.dataset, context=Facts.concatenate([self.dataset.context, facts]))
        return Predictor(scorer.knowing(more, scorer.setting), self.dataset, self.calibration)

    def fact_ids(self, facts: Sequence[Fact]) -> IntArray:
        """Ids of facts in the graph that is read, -1 for those that it does not have."""
        graph = (self.scorer if isinstance(self.scorer, Explainer) else reading(self.scorer)).graph
        return graph.find_facts(*Facts.of(facts).columns)

    def explain(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002
        time: When | None = None,
        *,
        answer: str | None = None,
        options: ExplainOptions = ExplainOptions(),  # noqa: B008  frozen
    ) -> Explanation:
        """Why ``answer`` (by default the best one, or the object if both sides are given) has its probability."""
        parsed = self._parse(subject, relation, object, time)
        walk = self._walk(parsed, answer, hide=options.hide_asked)
        return make_explanation(
            self.explainer,
            self.names,
            parsed.question,
            (walk.entity, walk.answer),
            walk.trace,
            options=options,
            notes=walk.notes,
            asked_fact_hidden=walk.hidden,
            calibration=walk.calibration,
        )

    def why(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002
        time: When | None = None,
        *,
        answer: str | None = None,
        effects: int = 20,
    ) -> Reason:
        """The sentence of ``explain`` by itself, with the facts that were taken away for it."""
        parsed = self._parse(subject, relation, object, time)
        walk = self._walk(parsed, answer, hide=True)
        return make_reason(
            self.explainer,
            self.names,
            (walk.entity, walk.answer),
            walk.trace,
            effects=effects,
            asked_fact_hidden=walk.hidden,
            calibration=walk.calibration,
        )

    def _walk(self, parsed: ParsedQuestion, answer: str | None, *, hide: bool) -> _Walk:
        """The walk to explain an answer by; ``hide``: not by the asked fact itself."""
        trace = self.explainer.trace(parsed.query)
        notes = parsed.notes + self._sight(parsed.query)
        if answer is None and parsed.answer is None:
            index = first_new_answer(self.explainer.graph, trace)
            if index != (first := int(trace.scores.argmax())):
                there = f"{self.names.entity(first)} comes first and is on record already"
                notes += (f"{there}; {self.names.entity(index)}, the first new answer, is explained",)
        else:
            index = self._chosen_answer(parsed, answer, trace.scores)
        told = trace.view.at(parsed.query.time).shows(parsed.query.time)  # what lies out of sight tells nothing
        asked = self.asked_fact(parsed, index) if told else -1
        hidden = hide and asked >= 0
        if hidden:
            seen = scored_rank(trace.scores, index)
            visible = f"the probability would be {percent(seen.score)}, rank {seen.rank:g}"
            notes += (f"the asked fact is in the training data and was hidden; with it in sight {visible}",)
            trace = self.explainer.trace(parsed.query, View.all().without([asked]))
        found = self._answer(trace.scores, index, Known(self.dataset, parsed.query))
        repeats = asked >= 0 and not hidden  # a fact in sight is repeated: that was not calibrated
        useless = repeats or self._unknown(parsed.query)
        return _Walk(trace, index, found, notes, hidden, None if useless else self.calibration)

    def support(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002
        time: When | None = None,
        *,
        answer: str | None = None,
        count: int = 5,
    ) -> Support:
        """What can be shown for an answer whatever the method: how it stands, and the nearest facts of the pair."""
        parsed = self._parse(subject, relation, object, time)
        scores = self.scorer.score(QueryBatch.of([parsed.query]))[0]
        index = self._chosen_answer(parsed, answer, scores)
        seen = visible_facts(self.dataset, setting_of(self.scorer), parsed.query.time)
        facts = nearby_facts(seen, self.names, parsed.query, index, count)
        pair = (self.names.entity(parsed.query.subject), self.names.entity(index))
        return Support(
            question=parsed.question,
            answer=self._answer(scores, index, Known(self.dataset, parsed.query)),
            probability=self.scorer.kind is not ScoreKind.ORDER,
            scorer=self.scorer.name,
            sentence=support_sentence(self.scorer.name, len(facts), pair),
            facts=facts,
            notes=parsed.notes + self._sight(parsed.query),
        )

    def _sight(self, query: Query) -> tuple[str, ...]:
        """A note on what the answer was made from, where that is not all that stands in the graph."""
        last = setting_of(self.scorer).limits.at(query.time).last
        if last is None:
            return ()
        return (f"answered from what is known until {self.dataset.timeline.format(last)}; nothing later was seen",)

    @property
    def walks(self) -> bool:
        """Whether the scorer can show its walk."""
        return isinstance(self.scorer, Explainer)

    def _unknown(self, query: Query) -> bool:
        """Whether train has no fact of the entity asked about: what such answers are given says nothing."""
        train = self.dataset.train
        return not ((train.subject == query.subject) | (train.object == query.subject)).any()

    def _calibrated(
        self, query: Query, answers: Sequence[Answer], chances: NDArray[np.float32]
    ) -> CalibrationRow | None:
        """For the first answer that train does not tell: to repeat a fact is no prediction, and none was calibrated."""
        new = next((row for row in answers if not (row.known_when == SAME and "train" in row.known_in)), None)
        if self.calibration is None or new is None or self._unknown(query):
            return None
        return calibrated_answer(self.calibration, self.dataset, query, chances, self.dataset.entities.id(new.name))

    @property
    def explainer(self) -> Explainer:
        """The scorer, if it can show its walk."""
        if not isinstance(self.scorer, Explainer):
            raise QueryError(
                f"{self.scorer.name} gives answers without reasons: it has no walk to show; "
                "use a run of a method that walks"
            )
        return self.scorer

    def asked_fact(self, parsed: ParsedQuestion, answer: int) -> int:
        """Id of the training fact that the question asks about, -1 where train does not have it."""
        query = parsed.query
        return int(self.fact_ids([Fact(query.subject, query.relation, answer, query.time)])[0])

    def _chosen_answer(self, parsed: ParsedQuestion, answer: str | None, scores: NDArray[np.float32]) -> int:
        if answer is None:
            return int(scores.argmax()) if parsed.answer is None else parsed.answer
        index = self.dataset.entities.find(answer)
        if parsed.answer is not None and parsed.answer != index:
            raise QueryError(
                f"two answers are given, {self.names.entity(parsed.answer)!r} and {self.names.entity(index)!r}; "
                "leave one of them out"
            )
        return index

    def _answer(self, scores: NDArray[np.float32], entity: int, known: Known) -> Answer:
        found, chances = scored_rank(scores, entity), self.scorer.kind.probabilities(scores)
        shown = found.score if chances is None else float(chances[entity])
        words, when, splits = known.of(entity)
        return Answer(self.names.entity(entity), found.rank, shown, words, when, splits)
