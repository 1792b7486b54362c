"""The questions of a split that a study asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tgap.data import Dataset
from tgap.errors import Option, QueryError
from tgap.evaluation.queries import SplitQueries, queries_of

if TYPE_CHECKING:
    from tgap.asking.model import Model


def split_questions(dataset: Dataset, split: str, side: str) -> SplitQueries:
    """Questions of a split: for the tails of its facts, for their heads, or for both."""
    asked = queries_of(dataset.splits[split], dataset.num_relations)
    return asked if side == "both" else asked.only(asked.head == (side == "head"))


def questions_about(model: Model, asked: SplitQueries, relations: tuple[str, ...], split: str) -> SplitQueries:
    """Those of the questions that are about some relations."""
    chosen = [model.relation_id(name) for name in relations]
    found = asked.only(np.isin(asked.batch.relation % model.dataset.num_relations, chosen))
    if not len(found):
        named = ", ".join(map(repr, relations))
        raise QueryError(f"no {split} fact has the relation {named}; choose another relation or ", Option("split"))
    return found
