"""The models that one server serves, by name. The first is the one meant where none is named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import Query

from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.asking.options import LONGEST_NAME
from tgap.asking.record import Record
from tgap.errors import TgapError
from tgap.methods import needs_dataset
from tgap.server.errors import ApiError
from tgap.server.log import say
from tgap.server.source import Source

ModelName = Annotated[
    str | None, Query(min_length=1, max_length=LONGEST_NAME, description="Which model; none: the first")
]


class ModelSummary(Record):
    """A model that is served."""

    name: str
    scorer: str
    explains: bool
    dataset: str


class ModelsReply(Record):
    """All models that are served."""

    models: tuple[ModelSummary, ...]


@dataclass(frozen=True)
class ServedModel:
    """A model under the name that requests use. Calls that walk must come from one thread at a time."""

    name: str
    model: Model
    source: Source | None = None  # where it came from, where facts can be appended to its dataset

    @classmethod
    def load(cls, name: str, run: str | Path, dataset: str | None = None) -> ServedModel:
        """A run folder, a pretrained run, or what else ``load_model`` takes."""
        # Before loading: what is appended meanwhile is noticed afterwards.
        source = None if dataset is not None else Source.of(run)
        return cls(name, load_model(run, dataset), source)

    @property
    def revision(self) -> int:
        """Version of the facts appended to the dataset that the model knows."""
        return 0 if self.source is None else self.source.version

    def key(self, path: str, asked: str) -> str:
        """What an answer is cached under: it holds as long as nothing is appended to the dataset."""
        return f"{self.name} {self.revision} {path} {asked}"

    def warm(self) -> None:
        """Answer the first example, so that kernels are compiled and indexes are built before anybody waits."""
        model = self.model
        model.name_index, model.history  # noqa: B018  built by the first use
        for question in model.example_questions.questions[:1]:
            asked = model.question(question.subject, question.relation, question.object, question.time)
            model.predict(asked)
            if model.walks:
                model.explain(asked)


class Models:
    """Models by name, in order."""

    def __init__(self, served: Iterable[ServedModel]) -> None:
        self._served = {one.name: one for one in served}
        assert self._served, "a server needs a model"

    @classmethod
    def of(cls, model: Model) -> Models:
        """A single model, named after its dataset."""
        return cls([ServedModel(model.dataset.name, model)])

    @classmethod
    def from_runs(cls, runs: Iterable[str | Path], dataset: str | None = None) -> Models:
        """The models of run folders or pretrained runs; folders of the same name get a number.

        What is no run but a method without training, or a class of one's own, answers about ``dataset``, and so does a
        run that is the only one.
        """
        served: dict[str, ServedModel] = {}
        runs = list(runs)
        for run in runs:
            name, number = Path(run).name, 1
            while name in served:
                number += 1
                name = f"{Path(run).name}-{number}"
            served[name] = ServedModel.load(name, run, dataset if needs_dataset(str(run)) or len(runs) == 1 else None)
        return cls(served.values())

    @property
    def first(self) -> ServedModel:
        """The model that is meant where none is named."""
        return next(iter(self._served.values()))

    def choose(self, model: ModelName = None) -> ServedModel:
        """The model that a request means; a dependency of the routes."""
        name = model or self.first.name
        if name not in self._served:
            known = ", ".join(self._served)
            raise ApiError(422, "unknown_model", f"no model {name!r} is served here; choose one of {known}", given=name)
        return self._served[name]

    def refresh(self) -> None:
        """Load anew the models whose datasets have got other facts; requests under way keep what they began with."""
        for name, served in list(self._served.items()):
            if served.source is None or not served.source.stale:
                continue
            try:
                fresh = ServedModel.load(name, served.source.run)
            except TgapError as error:  # the facts as they were go on being served; nothing is tried until they change
                self._served[name] = ServedModel(name, served.model, Source.of(served.source.run))
                say("not refreshed", model=name, error=str(error))
                continue
            self._served[name] = fresh
            say("refreshed", model=name, version=fresh.revision, appended=len(fresh.model.dataset.context))

    def reply(self) -> ModelsReply:
        """What is served, in short."""
        return ModelsReply(
            models=tuple(
                ModelSummary(
                    name=name,
                    scorer=one.model.scorer.name,
                    explains=one.model.walks,
                    dataset=one.model.dataset.name,
                )
                for name, one in self._served.items()
            )
        )

    def warm(self) -> None:
        """Let every model answer once."""
        for served in list(self._served.values()):
            served.warm()
