"""The model card: what answers, made from which data with which settings, and how good it was measured to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tgap
from tgap.asking.record import Record
from tgap.data import Dataset
from tgap.evaluation import HEADLINE, PROTOCOLS

if TYPE_CHECKING:
    from tgap.asking.model import Model


class TimelineCard(Record):
    """The time that a dataset covers."""

    unit: str
    first: str
    last: str
    span: int


class DatasetCard(Record):
    """A dataset's sizes."""

    name: str
    entities: int
    relations: int
    facts: dict[str, int]
    timeline: TimelineCard
    checksum: str


class ModelCard(Record):
    """What answers, and how good it was measured to be."""

    version: str
    scorer: str
    explains: bool
    dataset: DatasetCard
    settings: dict[str, Any]
    metrics: dict[str, Any]
    protocol: str


def protocol_words() -> str:
    """How the metrics were measured."""
    rules = "; ".join(f"{name}: {protocol.rule}" for name, protocol in PROTOCOLS.items())
    return (
        f"Ranks among all entities, both directions of every fact, ties count half. {rules}. "
        f"The one to quote is {HEADLINE.name}."
    )


def dataset_card(dataset: Dataset) -> DatasetCard:
    """Sizes and time of a dataset."""
    line = dataset.timeline
    return DatasetCard(
        name=dataset.name,
        entities=dataset.num_entities,
        relations=dataset.num_relations,
        facts={split: len(facts) for split, facts in dataset.parts.items()},
        timeline=TimelineCard(unit=line.unit, first=line.format(0), last=line.format(line.span), span=line.span),
        checksum=dataset.checksum,
    )


def model_card(model: Model) -> ModelCard:
    """The card of a model."""
    return ModelCard(
        version=tgap.__version__,
        scorer=model.scorer.name,
        explains=model.walks,
        dataset=dataset_card(model.dataset),
        settings={} if model.config is None else model.config.to_dict(),
        metrics=model.report,
        protocol=protocol_words(),
    )
