"""Contracts of a scorer that declares ``transfers``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tgap.data import Dataset, Facts, Vocabulary
from tgap.testing.contract import Contract, Trial, far_apart
from tgap.testing.score_contracts import kind_broken


def other_dataset(dataset: Dataset) -> Dataset:
    """The same facts with their entities in the opposite order and one more that has no fact."""
    last = dataset.num_entities - 1
    names = Vocabulary([*dataset.entities.names[::-1], "an entity of the other dataset"], dataset.entities.what)
    train, valid, test = (
        Facts(last - facts.subject, facts.relation, last - facts.object, facts.time)
        for facts in (dataset.train, dataset.valid, dataset.test)
    )
    return Dataset(f"{dataset.name}-turned", names, dataset.relations, dataset.timeline, train, valid, test)


def _transfer(trial: Trial) -> Iterator[str]:
    scorer = trial.declared.transfers
    assert scorer is not None, "this contract is of scorers that declare transfers"
    other = other_dataset(trial.dataset)
    before = trial.scorer.score(trial.queries)
    moved = scorer.transferred(trial.dataset, other)
    if (moved.num_entities, moved.num_relations) != (other.num_entities, other.num_relations):
        yield f"the other dataset has {other.num_entities} entities, the scorer {moved.num_entities}"
        return
    queries = replace(trial.queries, subject=trial.dataset.num_entities - 1 - trial.queries.subject)
    scores = moved.score(queries)
    if scores.shape != (len(queries), other.num_entities) or np.isnan(scores).any():
        yield f"{len(queries)} queries give the shape {list(scores.shape)} or scores that are NaN"
    else:
        yield from kind_broken(queries, moved.kind, scores)
    yield from far_apart(trial.queries, before, trial.scorer.score(trial.queries), "before and after another one moved")


TRANSFER_CONTRACTS = (
    Contract("transferred answers about the other dataset and leaves the scorer as it is", _transfer),
)
