"""Other divisions of a published dataset: without its leaks, and with days that train never saw."""

from __future__ import annotations

import numpy as np

from tgap.data.dataset import Dataset
from tgap.data.facts import Facts, contained, distinct, fact_keys, in_order
from tgap.data.splits import hold_out, split_facts
from tgap.data.time import date_from_days

Parts = tuple[Facts, Facts, Facts]
UNSEEN_DAYS = (5, 15, 25)
UNSEEN_SEED = 0


def cleaned(dataset: Dataset) -> Parts:
    """Each fact once; a fact that an earlier split has is removed from the later one."""
    keys = fact_keys(list(dataset.splits.values()))
    seen = np.empty(0, dtype=np.int64)
    parts: list[Facts] = []
    for facts, key in zip(dataset.splits.values(), keys, strict=True):
        fresh = np.unique(key, return_index=True)[1]
        fresh = fresh[~contained(key[fresh], seen)]
        parts.append(facts[np.sort(fresh)])
        seen = distinct(np.concatenate([seen, key]))
    train, valid, test = parts
    return train, valid, test


def new_entities(dataset: Dataset) -> Parts:
    """All splits pooled and cut by time 5:2:3, so that many entities of valid and test are new since train."""
    pooled = Facts.concatenate(list(dataset.splits.values()))
    return split_facts(pooled, "chronological", shares=(0.5, 0.2, 0.3))


def unseen_days(dataset: Dataset) -> Parts:
    """All splits pooled; facts of the 5th, 15th and 25th of each month divided at random into valid and test."""
    pooled = in_order(Facts.concatenate(list(dataset.splits.values())))
    day = date_from_days(pooled.time + dataset.timeline.first)[2]
    return hold_out(pooled, np.isin(day, UNSEEN_DAYS), UNSEEN_SEED)
