"""How far to trust the model on a dataset: it is asked for facts of the dataset itself, each with that fact hidden.

In completion the facts are drawn at random and hidden, in batches of one relation, from the walk, the features and the
statistics alike. In forecasts each question sees only what lies before it. Recency answers the same questions from the
same sight. An answer is ranked against all entities that the known facts do not make true as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.baselines.history import HistoryScorer
from tgap.baselines.recency import RecencySettings
from tgap.graph.temporal import Int32Array
from tgap.scorer import FloatArray
from tgap.universal.scorer import UniversalScorer, answers
from tgap.universal.sources import Questions, Source

QUESTIONS = 300


@dataclass(frozen=True)
class TrustCheck:
    """What the check found. Ranks are time-filtered with mean ties."""

    questions: int
    first: float  # share of questions whose answer ranks first
    reciprocal: float  # mean reciprocal rank
    recency_first: float
    recency_reciprocal: float

    @property
    def sentence(self) -> str:
        """One line for people.

        >>> TrustCheck(300, 0.41, 0.52, 0.28, 0.4).sentence
        'on 300 of your own facts it ranks the answer first in 41 %; recency 28 %'
        """
        mine, other = (f"{100 * share:.0f} %" for share in (self.first, self.recency_first))
        return f"on {self.questions} of your own facts it ranks the answer first in {mine}; recency {other}"


def trust_check(scorer: UniversalScorer, count: int = QUESTIONS, seed: int = 0) -> TrustCheck:
    """Ask for the objects of ``count`` of the facts that a scorer knows (fewer if there are not so many)."""
    past = scorer.setting.limits.past_only
    source = Source(scorer.name, scorer.reader, past)
    settings = RecencySettings()
    recency = HistoryScorer("recency", scorer.graph, settings.time_scale, settings.any_relation)
    mine: list[NDArray[np.float64]] = []
    others: list[NDArray[np.float64]] = []
    for edges, batch in source.batches(count, np.random.default_rng(seed), objects_only=True):
        case = source.reader.read(batch.queries, batch.view, batch.profile)
        found = answers(scorer.model, case.candidates, case.features, case.mass)
        mine.append(_ranks(source, edges, batch, found))
        others.append(_ranks(source, edges, batch, recency.score(batch.queries, batch.view)))
    if not mine:
        return TrustCheck(0, 0.0, 0.0, 0.0, 0.0)
    own, plain = np.concatenate(mine), np.concatenate(others)
    return TrustCheck(
        len(own), float((own == 1).mean()), float((1 / own).mean()),
        float((plain == 1).mean()), float((1 / plain).mean()),
    )  # fmt: skip


def _ranks(source: Source, edges: Int32Array, batch: Questions, scores: FloatArray) -> NDArray[np.float64]:
    """[B] rank of each answer among those that are not true as well."""
    ranks = np.empty(len(edges))
    for b, edge in enumerate(edges.tolist()):
        row, answer = scores[b].astype(np.float64), int(batch.answers[b])
        own = row[answer]
        row[source.true_answers(edge)] = -np.inf
        ranks[b] = 1 + (row > own).sum() + 0.5 * (row == own).sum()
    return ranks
