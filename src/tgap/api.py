"""The door for notebooks: datasets, training, trained models, evaluation, answers and reasons, without a folder.

``import tgap`` offers what stands here: ``tgap.datasets()``, ``tgap.load_dataset(...)``,
``tgap.train(...)``, ``tgap.load(...)``. docs/tutorial.md shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tgap.capabilities import setting_of, under_setting
from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.data.catalog import is_here, stored_folders
from tgap.data.entries import CATALOG
from tgap.data.time import When
from tgap.errors import QueryError, RunError
from tgap.evaluation import HEADLINE, Evaluation, evaluate
from tgap.explain.explanation import Explanation, Reason
from tgap.explain.options import ExplainOptions
from tgap.kernels import num_threads, set_threads
from tgap.learner import DEFAULT_TASK, Learner
from tgap.methods import DEFAULT, config_for, find_method, make_scorer
from tgap.predict import Prediction, Predictor, WhatIf
from tgap.predict.predictor import QuestionParts
from tgap.predict.what_if import FactParts
from tgap.runs import RunFolder, create_run, load_scorer
from tgap.runs.files import write_json, write_tensors
from tgap.training.events import Listener
from tgap.training.session import train as train_config

if TYPE_CHECKING:
    import polars as pl


def datasets() -> pl.DataFrame:
    """Every dataset that ``load_dataset`` knows by name, and whether it is here."""
    import polars as pl  # noqa: PLC0415

    rows = [(name, entry.summary, is_here(name)) for name, entry in CATALOG.items()]
    rows += [(name, "imported", True) for name in stored_folders() if name not in CATALOG]
    return pl.DataFrame(rows, schema=["name", "summary", "here"], orient="row")


def train(
    dataset: str | Path | Dataset,
    method: str = DEFAULT,
    *,
    preset: str = "recommended",
    task: str = DEFAULT_TASK,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    threads: int | None = None,
    listeners: Sequence[Listener] | None = None,
    **more: Any,
) -> Model:
    """Train a method on a dataset and give back the model with its best weights.

    ``task="forecast"`` learns to answer from what lies strictly before a question. Settings are given by name,
    ``train("world", epochs=0.3, dimension=16)``, or by dotted name in ``settings`` where a name alone is ambiguous.
    With ``out`` everything is kept in that run folder, which the command line can resume; without, nothing is written.
    ``listeners`` hear what happens (default: a progress bar and a line per validation).
    """
    data = dataset if isinstance(dataset, Dataset) else load_dataset(dataset)
    named = data.name if isinstance(dataset, Dataset) else str(dataset)
    config = config_for(method, named, preset, task).with_values({**more, **(settings or {})})
    used = set_threads(threads) if threads is not None else num_threads()
    folder = None if out is None else create_run(Path(out), config, data, used)
    if find_method(method).learn is None:
        return Model(Predictor(make_scorer(config, data), data), config)
    if listeners is None:
        from tgap.cli.train_display import Display  # noqa: PLC0415  the terminal's library, only to show something

        listeners = [Display()]
    trained = train_config(config, data, folder=folder, listeners=listeners)
    report = {"status": trained.reason, "validation": trained.best or {}}
    return Model(Predictor(trained.learner.scorer(), data), config, report, trained.learner)


def load(run: str | Path, dataset: str | None = None, **settings: Any) -> Model:
    """The model of a run folder, or a shipped one by name; ``settings`` change what fits the same weights.

    With ``dataset`` a T-GAP answers about facts that it was not trained on, if it knows their relations by name.
    """
    loaded = load_scorer(run, settings, dataset)
    return Model(
        Predictor(loaded.scorer, loaded.dataset, loaded.calibration), loaded.config, loaded.report, folder=loaded.folder
    )


class Model:
    """Something that answers questions about a dataset: a trained method, or one that needs no training."""

    def __init__(
        self,
        predictor: Predictor,
        config: RunConfig,
        report: Mapping[str, Any] | None = None,
        learner: Learner | None = None,
        folder: Path | None = None,
    ) -> None:
        self.predictor = predictor
        self.config = config
        self.report = dict(report or {})  # validation metrics and how training ended, where there was one
        self._learner = learner
        self._folder = folder

    @property
    def dataset(self) -> Dataset:
        """The dataset that is asked about."""
        return self.predictor.dataset

    def __repr__(self) -> str:
        metrics = self.report.get("validation", {}).get(HEADLINE.name)
        result = f", validation MRR {metrics['mrr']:.3f} ({HEADLINE.title})" if metrics else ""
        return f"<Model {self.predictor.scorer.name} on {self.dataset.name}{result}>"

    def knowing(self, context: str | None = None, *, as_of: When | None = None, past_only: bool = False) -> Model:
        """The same model, knowing other facts: ``context`` "train", "train+valid" or "all", nothing later than

        ``as_of``, only what lies strictly before each question (``past_only``). What is not given stays as it is.
        """
        known = setting_of(self.predictor.scorer).chosen(self.dataset, context, as_of, past_only)
        predictor = Predictor(under_setting(self.predictor.scorer, self.dataset, known), self.dataset)
        return Model(predictor, self.config, self.report, self._learner, self._folder)

    def predict(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002  the fourth part of a fact has no other name
        time: When | None = None,
        *,
        top: int = 10,
        evidence: int = 0,
    ) -> Prediction:
        """The ``top`` best answers; ``"?"`` or ``None`` stands where the answer goes."""
        return self.predictor.predict(subject, relation, object, time, top=top, evidence=evidence)

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
        """Why an answer has its probability: the best one, or the one that is named."""
        return self.predictor.explain(subject, relation, object, time, answer=answer, options=options)

    def why(
        self,
        subject: str | None,
        relation: str,
        object: str | None = None,  # noqa: A002
        time: When | None = None,
        *,
        answer: str | None = None,
    ) -> Reason:
        """The sentence of ``explain`` alone, several times as quick."""
        return self.predictor.why(subject, relation, object, time, answer=answer)

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
    ) -> WhatIf:
        """The answers as they are, and as if facts had not happened (``without``) or others had (``added``)."""
        return self.predictor.what_if(
            subject, relation, object, time, without=without, added=added, answer=answer, top=top
        )

    def predict_many(
        self, questions: Iterable[QuestionParts], *, top: int = 10, evidence: int = 0
    ) -> Iterator[Prediction | QueryError]:
        """Answers to many questions, (subject, relation, object, time) each, in order; an error takes its place."""
        return self.predictor.predict_many(questions, top=top, evidence=evidence)

    def evaluate(self, split: str = "test", *, limit: int | None = None, seed: int = 0, top: int = 0) -> Evaluation:
        """Rank the true answers of a split under all protocols; ``.report`` has the metrics."""
        size = self.config.evaluation.batch_size
        return evaluate(self.predictor.scorer, self.dataset, split, batch_size=size, limit=limit, seed=seed, top=top)

    def save(self, folder: str | Path) -> Path:
        """Write a model that was trained in memory as a run folder that the commands and ``load`` take."""
        if self._learner is None:
            raise RunError(f"{self!r} was not trained here; copy its run folder {self._folder} instead")
        target: RunFolder = create_run(Path(folder), self.config, self.dataset, num_threads())
        weights: dict[str, torch.Tensor] = self._learner.module.state_dict()
        write_tensors(target.weights_file, weights, {})
        write_json(target.report_file, self.report)
        return target.path
