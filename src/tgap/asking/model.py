"""``Model``: something that answers questions about a dataset. Command line, server and notebooks all go through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgap.asking.answers import predictions
from tgap.asking.examples import Examples, QuestionSource
from tgap.asking.explanations import Explanation, Reason
from tgap.asking.history import History
from tgap.asking.names import NameIndex
from tgap.asking.operation import BoundOperation, OperationMethod
from tgap.asking.operations import OPERATIONS
from tgap.asking.options import QuestionOptions, read_options
from tgap.asking.prediction import Prediction
from tgap.asking.question import Question, find_name, read_time, resolve
from tgap.asking.support import Support
from tgap.asking.what_if import WhatIf
from tgap.capabilities import (
    GraphScorer,
    Walker,
    capabilities_of,
    require_graph,
    require_walker,
    setting_of,
    under_setting,
)
from tgap.config import RunConfig
from tgap.data import Dataset, Fact
from tgap.data.facts import Facts
from tgap.data.time import When
from tgap.errors import DataError, QueryError, RunError
from tgap.evaluation import HEADLINE
from tgap.evaluation.calibration import Calibration
from tgap.explain.naming import Names
from tgap.graph.setting import EvaluationSetting
from tgap.graph.view import WHOLE, View
from tgap.learner import Learner
from tgap.scorer import QueryBatch, Scorer

QuestionParts = tuple[str | None, str, str | None, When]  # subject, relation, object, time
_KEPT = 8  # models under other settings, each with cached features of its own


class Model:
    """A trained method, or one that needs no training, on a dataset.

    A question is a fact with a hole: ``predict("North Korea", "Threaten", "?", "2014-04-29")`` asks for the object,
    ``predict("?", "Threaten", "South Korea", "2014-04-29")`` for the subject. Every operation in
    ``tgap.asking.operations`` is a method.
    """

    predict = OperationMethod[Prediction]("predict")
    explain = OperationMethod[Explanation]("explain")
    why = OperationMethod[Reason]("why")
    support = OperationMethod[Support]("support")
    what_if = OperationMethod[WhatIf]("what_if")

    def __init__(
        self,
        scorer: Scorer,
        dataset: Dataset,
        *,
        config: RunConfig | None = None,
        report: Mapping[str, Any] | None = None,
        calibration: Calibration | None = None,
        learner: Learner | None = None,
        folder: Path | None = None,
    ) -> None:
        self.scorer = scorer
        self.dataset = dataset
        self.config = config
        self.report = dict(report or {})  # validation metrics and how training ended, where there was one
        self.calibration = calibration  # how often answers of a probability were right, if that was measured
        self.folder = folder
        self.names = Names(dataset)
        self._learner = learner
        # Each keeps features of its own, so that a second question as of the same day is as quick as any.
        self._under = lru_cache(maxsize=_KEPT)(self._make_under)

    def __getattr__(self, name: str) -> BoundOperation[Any]:
        """Operations that have no annotated attribute above."""
        if name in OPERATIONS.names:
            return BoundOperation(OPERATIONS.find(name), self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *OPERATIONS.names})

    def __repr__(self) -> str:
        metrics = self.report.get("validation", {}).get(HEADLINE.name)
        result = f", validation MRR {metrics['mrr']:.3f} ({HEADLINE.title})" if metrics else ""
        return f"<Model {self.scorer.name} on {self.dataset.name}{result}>"

    # Questions

    def question(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002  the fourth part of a fact has no other name
        time: When | None = None,
        *,
        answer: str | None = None,
        as_of: When | None = None,
        past_only: bool = False,
        window: int | None = None,
    ) -> Question:
        """Resolve a question once; every operation takes it in place of its parts."""
        parts: dict[str, Any] = {"subject": subject, "relation": relation, "object": object}
        parts |= {} if time is None else {"time": time}
        return self.resolve(
            read_options(
                QuestionOptions, {**parts, "answer": answer, "as_of": as_of, "past_only": past_only, "window": window}
            )
        )

    def resolve(self, options: QuestionOptions) -> Question:
        """The question that options ask, by ids."""
        if options.resolved is not None:
            return options.resolved
        fields = ("subject", "relation", "object", "time", "answer", "as_of", "past_only", "window")
        parts = {name: getattr(options, name) for name in fields}
        setting = self.setting.chosen(self.dataset, None, None, options.past_only, options.window)
        setting = setting.until(None if options.as_of is None else read_time(self.dataset, options.as_of))
        return resolve(self.dataset, setting, self.names, parts, options.answer)

    def entity_id(self, name: str, field: str = "entity") -> int:
        """Id of an entity by name."""
        return find_name(self.dataset, field, name)

    def relation_id(self, name: str) -> int:
        """Id of a relation by name."""
        return find_name(self.dataset, "relation", name)

    def fact_of(self, parts: Sequence[Any], field: str) -> Fact:
        """A fact by the names of its four parts."""
        subject, relation, obj, time = parts
        ends = find_name(self.dataset, field, subject), find_name(self.dataset, field, obj)
        return Fact(ends[0], self.relation_id(relation), ends[1], read_time(self.dataset, time))

    # What is known and seen

    @property
    def setting(self) -> EvaluationSetting:
        """Which facts are known, and what a question sees of them."""
        return setting_of(self.scorer)

    def under(self, setting: EvaluationSetting) -> Model:
        """The same model answering under another setting. Weights are shared; calibration does not carry over."""
        return self if setting == self.setting else self._under(setting)

    def with_setting(
        self,
        context: str | None = None,
        *,
        as_of: When | None = None,
        past_only: bool = False,
        window: int | None = None,
    ) -> Model:
        """The same model with other facts in sight; what is not given stays as it is.

        ``context`` is "train", "train+valid" or "all"; nothing later than ``as_of`` is seen, and with ``past_only``
        only facts strictly before each question, with ``window`` only those of the last so many units before it.
        """
        return self.under(self.setting.chosen(self.dataset, context, as_of, past_only, window))

    def with_facts(self, facts: Facts) -> Model:
        """The same model with more facts known, without training."""
        scorer = require_graph(self.scorer)
        more = replace(self.dataset, context=Facts.concatenate([self.dataset.context, facts]))
        return Model(scorer.with_context(more, scorer.setting), self.dataset, calibration=self.calibration)

    def _make_under(self, setting: EvaluationSetting) -> Model:
        scorer = under_setting(self.scorer, self.dataset, setting)
        # Metrics were measured under another setting, so the report stays behind.
        return Model(scorer, self.dataset, config=self.config, learner=self._learner, folder=self.folder)

    # What the scorer can do

    @property
    def walks(self) -> bool:
        """Whether the method can show its walk."""
        return capabilities_of(self.scorer).walks is not None

    @property
    def walker(self) -> Walker:
        """The scorer, if it can show its walk."""
        return require_walker(self.scorer)

    @property
    def reader(self) -> GraphScorer:
        """The scorer, if it reads a graph while it answers."""
        return require_graph(self.scorer)

    def scores(self, batch: QueryBatch, view: View = WHOLE) -> NDArray[np.float32]:
        """Scores [B, N] of queries that see what a view shows."""
        return self.scorer.score(batch) if view == WHOLE else self.reader.score(batch, view)

    def fact_ids(self, facts: Sequence[Fact]) -> NDArray[np.int64]:
        """Ids of facts in the graph that is read, -1 for those that it does not have."""
        return self.reader.graph.find_facts(*Facts.of(facts).columns)

    # Many questions

    def predict_many(
        self, questions: Iterable[QuestionParts | Question], *, top: int = 10, evidence: int = 0, batch_size: int = 64
    ) -> Iterator[Prediction | QueryError]:
        """Answers to many questions in their order, scored ``batch_size`` at a time.

        Each is a ``Question`` or (subject, relation, object, time). One that cannot be answered gives its error in its
        place and spoils no other.
        """
        if evidence:
            self.walker  # noqa: B018  a method without a walk is refused before anything is scored
        remaining = iter(questions)
        while part := list(islice(remaining, batch_size)):
            found = [self._resolve_or_error(question) for question in part]
            answered = iter(predictions(self, [one for one in found if isinstance(one, Question)], top, evidence))
            yield from (next(answered) if isinstance(one, Question) else one for one in found)

    def _resolve_or_error(self, question: QuestionParts | Question) -> Question | QueryError:
        try:
            return question if isinstance(question, Question) else self.question(*question)
        except (QueryError, DataError) as error:  # a time that cannot be read is a DataError
            return QueryError(str(error))

    # What is stored

    @cached_property
    def name_index(self) -> NameIndex:
        """Names for people who type."""
        return NameIndex(self.dataset)

    @cached_property
    def history(self) -> History:
        """The facts of all splits in the order of time."""
        return History(self.dataset)

    @cached_property
    def question_source(self) -> QuestionSource:
        """Questions to begin with."""
        return QuestionSource(self.dataset)

    @cached_property
    def example_questions(self) -> Examples:
        """A few questions that show what the dataset is about."""
        return Examples(self.question_source.examples())

    def save(self, folder: str | Path) -> Path:
        """Write a model that was trained in memory as a run folder that the commands and ``load`` take."""
        from tgap.kernels import num_threads  # noqa: PLC0415  what only training needs
        from tgap.runs import create_run  # noqa: PLC0415
        from tgap.runs.files import write_json, write_tensors  # noqa: PLC0415

        if self._learner is None or self.config is None:
            raise RunError(f"{self!r} was not trained here; copy its run folder {self.folder} instead")
        target = create_run(Path(folder), self.config, self.dataset, num_threads())
        write_tensors(target.weights_file, self._learner.module.state_dict(), {})
        write_json(target.report_file, self.report)
        return target.path
