"""Everything the server can be asked, as plain calls that give JSON documents. Knows nothing of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tgap.data import Dataset
from tgap.errors import QueryError
from tgap.evaluation.calibration import Calibration
from tgap.evaluation.queries import queries_of
from tgap.explain.profile import profile_in_turns
from tgap.explain.schema import plain
from tgap.explain.tables import profile_table
from tgap.predict import ExplainOptions, Explanation, Predictor
from tgap.scorer import Scorer
from tgap.server.card import model_card
from tgap.server.history import History
from tgap.server.names import NameIndex
from tgap.server.questions import QuestionSource
from tgap.server.schemas import (
    BulkQuestion,
    CounterfactualRequest,
    ExplainRequest,
    PredictRequest,
    QuestionRequest,
    Side,
    SightRequest,
    SupportRequest,
    SweepRequest,
)
from tgap.server.source import Source

PROFILE_VERSION = "tgap.displacement/2"
StoredFact = tuple[str, str, str, str]


class Service:
    """One model on its dataset, ready to be asked. Calls that walk must come from one thread at a time."""

    def __init__(
        self,
        scorer: Scorer,
        dataset: Dataset,
        card: dict[str, Any] | None = None,
        source: Source | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self.dataset = dataset
        self.source = source
        self.predictor = Predictor(scorer, dataset, calibration)
        self.card = card or model_card(scorer, dataset)
        self.names = NameIndex(dataset)
        self.history = History(dataset)
        self.questions = QuestionSource(dataset)
        self.examples = self.questions.examples()
        # Each keeps features of its own, so that a second question as of the same day is as quick as any.
        self._limited = lru_cache(maxsize=8)(lambda as_of, past: self.predictor.seeing(as_of=as_of, past_only=past))
        self._time = lru_cache(maxsize=4096)(self._read_time)  # reading a text costs more than looking up the answer

    @classmethod
    def from_run(cls, path_or_name: str | Path, dataset: str | None = None) -> Service:
        """The service of a run folder, of a pretrained run by its name, or of what ``load_scorer`` takes besides."""
        from tgap.runs import load_scorer  # noqa: PLC0415  brings torch along

        # Before loading: what is appended meanwhile is noticed afterwards.
        source = None if dataset is not None else Source.of(path_or_name)
        run = load_scorer(path_or_name, dataset=dataset)
        return cls(run.scorer, run.dataset, model_card(run.scorer, run.dataset, run), source, run.calibration)

    @property
    def revision(self) -> int:
        """Version of the facts appended to the dataset that this service knows."""
        return 0 if self.source is None else self.source.version

    def first_fact(self) -> StoredFact:
        """A training fact by name, to show what one looks like."""
        fact, names = self.dataset.train[0], self.predictor.names
        return names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time)

    def warm(self) -> None:
        """Answer the first example, so that the kernels are compiled before anybody waits for them."""
        if not self.examples:
            return
        first = asdict(self.examples[0])
        self.predict(PredictRequest(**first))
        if self.card["explains"]:
            self.explain(ExplainRequest(**first))

    def predict(self, asked: PredictRequest) -> dict[str, Any]:
        """The best answers: a document ``tgap.prediction/1``."""
        predictor = self._seeing(asked)
        return predictor.predict(*self._parts(asked), top=asked.top, answer=self._answer(asked.answer)).to_dict()

    def bulk(self, questions: Sequence[Any]) -> list[tuple[int, Callable[[], dict[str, Any]]]]:
        """How to answer many questions: by time, since features are computed for a time and kept for a while."""

        def time(index: int) -> str:
            question = questions[index]
            return str(question.get("time")) if isinstance(question, dict) else ""

        def work(question: Any) -> dict[str, Any]:
            asked = BulkQuestion.model_validate(question)
            return {"prediction": self.predict(asked), "reason": self._reason(asked) if asked.reason else None}

        return [(index, partial(work, questions[index])) for index in sorted(range(len(questions)), key=time)]

    def sweep(self, asked: SweepRequest) -> list[tuple[int, Callable[[], dict[str, Any]]]]:
        """How to follow some answers through time: at evenly spread instants, in their order."""
        subject, relation, obj = self.names.exact_parts(asked.subject, asked.relation, asked.object)
        names = [self.names.exact("entity", "answers", name) for name in asked.answers]
        line, predictor = self.dataset.timeline, self._seeing(asked)
        ends = [line.parse(self._time(time)) for time in (asked.since, asked.until)]
        if ends[0] > ends[1]:
            raise QueryError(f"the sweep begins after its end: {asked.since!r} to {asked.until!r}; swap them")
        instants = np.unique(np.linspace(ends[0], ends[1], num=asked.points).round().astype(np.int64)).tolist()

        def work(instant: int) -> dict[str, Any]:
            time = line.format(instant)
            best, *others = predictor.standings(subject, relation, obj, time, names)
            return {"point": {"time": time, "instant": instant, "best": plain(best), "answers": plain(others)}}

        return [(index, partial(work, instant)) for index, instant in enumerate(instants)]

    def report(self, asked: ExplainRequest) -> str:
        """The explanation as a page that stands alone."""
        return self._explanation(asked).to_html()

    def explain(self, asked: ExplainRequest) -> dict[str, Any]:
        """Why an answer has its probability: a document ``tgap.explanation/3``."""
        return self._explanation(asked).to_dict()

    def support(self, asked: SupportRequest) -> dict[str, Any]:
        """What can be shown for an answer whatever the method: a document ``tgap.support/1``."""
        answer = self._answer(asked.answer)
        return self._seeing(asked).support(*self._parts(asked), answer=answer, count=asked.count).to_dict()

    def counterfactual(self, asked: CounterfactualRequest) -> dict[str, Any]:
        """The best answers, and how one of them stands, as they are and if facts had not happened, or others had."""
        found = self._seeing(asked).what_if(
            *self._parts(asked),
            without=[self._stored("facts", fact) for fact in asked.facts],
            added=[self._stored("added", fact) for fact in asked.added],
            answer=self._answer(asked.answer),
            top=asked.top,
            hide_asked=asked.hide_asked,
        )
        return found.to_dict()

    def profile(self, relation: str, side: Side, limit: int) -> Generator[object, None, dict[str, Any]]:
        """How far in time attention looks for test questions of a relation, as `tgap study displacement` tells it.

        Gives way after every question.
        """
        name = self.names.exact("relation", "relation", relation)
        asked = queries_of(self.dataset.test, self.dataset.num_relations)
        index = self.dataset.relations.id(name) + (self.dataset.num_relations if side == "head" else 0)
        chosen = np.flatnonzero(asked.batch.relation == index)
        if not len(chosen):
            raise QueryError(f"no test fact has the relation {name!r}; choose another one")
        if len(chosen) > limit:
            chosen = np.sort(np.random.default_rng(0).choice(chosen, size=limit, replace=False))
        found = yield from profile_in_turns(self.predictor.explainer, asked.batch.take(chosen))
        document = {"schema": PROFILE_VERSION, "dataset": self.dataset.name, "split": "test", "side": side}
        return {**document, "profiles": [{"relation": name, **plain(profile_table(self.predictor.names, found))}]}

    def facts(
        self, entity: str, time: str, limit: int, partner: str | None = None, relation: str | None = None
    ) -> dict[str, Any]:
        """Stored facts of an entity around a time, those with one partner or of one relation if these are given."""
        name = self.names.exact("entity", "entity", entity)
        other = None if partner is None else self.names.exact("entity", "partner", partner)
        what = None if relation is None else self.names.exact("relation", "relation", relation)
        return self.history.around(name, self.dataset.timeline.parse(self._time(time)), limit, other, what)

    def entity(self, entity: str) -> dict[str, Any]:
        """What the dataset knows of an entity: when it was active, with whom, in which relations."""
        return self.history.entity(self.names.exact("entity", "entity", entity))

    def _reason(self, asked: PredictRequest) -> dict[str, Any]:
        """Why, in short: the sentence, its kind, and the event of strongest effect."""
        predictor = self._seeing(asked)
        found = predictor.why(*self._parts(asked), answer=self._answer(asked.answer), effects=10)
        return {
            "answer": found.answer.name,
            "sentence": found.sentence,
            "kind": found.kind,
            "strongest": plain(found.evidence[0]) if found.evidence else None,
        }

    def _explanation(self, asked: ExplainRequest) -> Explanation:
        options = ExplainOptions(**asked.model_dump(include=set(ExplainOptions.model_fields)))
        predictor = self._seeing(asked)
        return predictor.explain(*self._parts(asked), answer=self._answer(asked.answer), options=options)

    def _seeing(self, asked: SightRequest) -> Predictor:
        """The predictor that sees what a request allows."""
        if asked.as_of is None and not asked.past_only:
            return self.predictor
        return self._limited(None if asked.as_of is None else self._time(asked.as_of), asked.past_only)

    def _parts(self, asked: QuestionRequest) -> tuple[str | None, str, str | None, str]:
        """Subject, relation, object and time by their stored names."""
        return (*self.names.exact_parts(asked.subject, asked.relation, asked.object), self._time(asked.time))

    def _answer(self, name: str | None) -> str | None:
        """An answer by its stored name."""
        return None if name is None else self.names.exact("entity", "answer", name)

    def _read_time(self, time: str | int) -> str:
        """The time in the dataset's style; one absurdly far from the data is refused, it would only cost memory."""
        line = self.dataset.timeline
        instant = line.read(time)
        far = 2 * line.span + 1000
        if not -far <= instant <= line.span + far:
            covered = f"{line.format(0)} to {line.format(line.span)}"
            raise QueryError(f"{str(time)!r} lies too far from the data ({covered}); ask about a nearer time")
        return line.format(instant)

    def _stored(self, field: str, fact: StoredFact) -> StoredFact:
        """A fact by its stored names."""
        subject, relation, obj, time = fact
        return (
            self.names.exact("entity", field, subject),
            self.names.exact("relation", field, relation),
            self.names.exact("entity", field, obj),
            self._time(time),
        )
