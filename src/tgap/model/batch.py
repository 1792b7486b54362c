"""What one training step of T-GAP learns from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tgap.graph import View
from tgap.graph.view import WHOLE
from tgap.scorer import IntArray, QueryBatch


@dataclass(frozen=True)
class HiddenBatch:
    """Queries with their answers, and what of the graph is hidden from the model while it answers.

    In completion the batch's own facts are, with their inverses and all copies; otherwise the graph would tell the
    answers. In forecasts the limits of the task hide everything from each query's time on, its own fact with it.
    """

    epoch: int
    index: int
    queries: QueryBatch
    answers: IntArray
    facts: IntArray  # hidden by name: distinct ids as in ``graph.fact``
    seed: int  # key of the hash that decides samples and ties
    limits: View = WHOLE  # of the task
    true: tuple[IntArray, IntArray] | None = None  # query and entity of every true answer; None: all entities compete

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def view(self) -> View:
        """What the limits show, without the hidden facts, their inverses and all copies."""
        return self.limits.without(self.facts.tolist())

    def describe(self, shown: int = 3) -> str:
        """One line that names the batch in a message, ids as in the dataset."""
        times = np.unique(self.queries.time)
        columns = (self.queries.subject, self.queries.relation, self.answers, self.queries.time)
        rows = [tuple(int(column[row]) for column in columns) for row in range(min(shown, len(self)))]
        days = ", ".join(str(int(time)) for time in times[:shown]) + (", ..." if len(times) > shown else "")
        queries = ", ".join(map(str, rows))
        return (
            f"epoch {self.epoch + 1}, batch {self.index + 1} ({len(self)} queries at times {days}; "
            f"first as (subject, relation, answer, time) ids: {queries})"
        )
