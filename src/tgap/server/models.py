"""The models that one server serves, by name. The first is the one meant where none is named."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query

from tgap.errors import TgapError
from tgap.methods import needs_dataset
from tgap.server import limits
from tgap.server.errors import ApiError
from tgap.server.log import say
from tgap.server.service import Service
from tgap.server.source import Source

ModelName = Annotated[
    str | None, Query(min_length=1, max_length=limits.LONGEST_NAME, description="Which model; none: the first")
]


class Models:
    """Services by name, in order."""

    def __init__(self, services: dict[str, Service]) -> None:
        assert services, "a server needs a model"
        self._services = services

    @classmethod
    def of(cls, service: Service) -> Models:
        """A single model, named after its dataset."""
        return cls({service.dataset.name: service})

    @classmethod
    def from_runs(cls, runs: Iterable[str | Path], dataset: str | None = None) -> Models:
        """The models of run folders or pretrained runs; folders of the same name get a number.

        What is no run but a method without training, or a class of one's own, answers about ``dataset``, and so does a
        run that is the only one.
        """
        services: dict[str, Service] = {}
        runs = list(runs)
        for run in runs:
            name, number = Path(run).name, 1
            while name in services:
                number += 1
                name = f"{Path(run).name}-{number}"
            services[name] = Service.from_run(run, dataset if needs_dataset(str(run)) or len(runs) == 1 else None)
        return cls(services)

    @property
    def first(self) -> Service:
        """The model that is meant where none is named."""
        return next(iter(self._services.values()))

    def choose(self, model: ModelName = None) -> tuple[str, Service]:
        """The name and the service that a request means; a dependency of the routes."""
        name = model or next(iter(self._services))
        if name not in self._services:
            known = ", ".join(self._services)
            raise ApiError(422, "unknown_model", f"no model {name!r} is served here; choose one of {known}", given=name)
        return name, self._services[name]

    def refresh(self) -> None:
        """Load anew the models whose datasets have got other facts; requests under way keep what they began with."""
        for name, service in list(self._services.items()):
            source = service.source
            if source is None or not source.stale:
                continue
            try:
                fresh = Service.from_run(source.run)
            except TgapError as error:  # the facts as they were go on being served; nothing is tried until they change
                service.source = Source.of(source.run)
                say("not refreshed", model=name, error=str(error))
                continue
            self._services[name] = fresh
            say("refreshed", model=name, version=fresh.revision, appended=len(fresh.dataset.context))

    def cards(self) -> list[dict[str, Any]]:
        """What is served, in short."""
        return [
            {
                "name": name,
                "scorer": service.card["scorer"],
                "explains": service.card["explains"],
                "dataset": service.dataset.name,
            }
            for name, service in self._services.items()
        ]

    def warm(self) -> None:
        """Let every model answer once."""
        for service in self._services.values():
            service.warm()
