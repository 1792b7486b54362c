"""The model card: what is served, made from which data with which settings, and how good it was measured to be."""

from __future__ import annotations

from typing import Any

import tgap
from tgap.capabilities import capabilities_of
from tgap.data import Dataset
from tgap.evaluation import HEADLINE, PROTOCOLS
from tgap.runs import LoadedRun
from tgap.scorer import Scorer


def protocol_words() -> str:
    """How the metrics were measured."""
    rules = "; ".join(f"{name}: {protocol.rule}" for name, protocol in PROTOCOLS.items())
    return (
        f"Ranks among all entities, both directions of every fact, ties count half. {rules}. "
        f"The one to quote is {HEADLINE.name}."
    )


def dataset_card(dataset: Dataset) -> dict[str, Any]:
    """Sizes and time of a dataset."""
    line = dataset.timeline
    return {
        "name": dataset.name,
        "entities": dataset.num_entities,
        "relations": dataset.num_relations,
        "facts": {split: len(facts) for split, facts in dataset.parts.items()},
        "timeline": {
            "unit": line.unit,
            "first": line.format(0),
            "last": line.format(line.span),
            "span": line.span,
        },
        "checksum": dataset.checksum,
    }


def model_card(scorer: Scorer, dataset: Dataset, run: LoadedRun | None = None) -> dict[str, Any]:
    """The card of a scorer on its dataset; ``run`` tells settings and metrics."""
    return {
        "version": tgap.__version__,
        "scorer": scorer.name,
        "explains": capabilities_of(scorer).walks is not None,
        "dataset": dataset_card(dataset),
        "settings": {} if run is None else run.config.to_dict(),
        "metrics": {} if run is None else run.report,
        "protocol": protocol_words(),
    }
