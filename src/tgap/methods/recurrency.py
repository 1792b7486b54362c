"""Recurrency as a method: share and decay of each relation and direction are chosen by the validation split.

Every pair of a grid is tried, and the one with the highest time-filtered MRR taken; a relation that validation lacks
gets what is best for all of them together. Nothing else is learned.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from tgap.baselines.recurrency import DECAY, SHARE, Asked, Float64Array, RecurrencyScorer, Room, rank_over_grid
from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.evaluation.queries import SplitQueries, queries_of
from tgap.evaluation.true_answers import TrueAnswers
from tgap.graph import TemporalGraph
from tgap.graph.task import TASKS, find_task
from tgap.learner import Method
from tgap.scorer import Scorer

DECAYS = (0.001, 0.01, 0.05, 0.1, 0.3, 1.0)
SHARES = (0.0, 0.1, 0.5, 0.9, 0.99, 0.9999, 1.0)


class RecurrencySettings(Settings):
    """What is looked at to choose share and decay."""

    validation_queries: int = Field(
        1000, ge=1, description="most validation queries that choose share and decay, for each relation and direction"
    )


def choose(scorer: RecurrencyScorer, dataset: Dataset, most: int) -> RecurrencyScorer:
    """The scorer with the decay and share of each relation and direction that rank validation queries best."""
    sides = 2 * dataset.num_relations
    queries = _sample(queries_of(dataset.valid, dataset.num_relations), sides, most)
    grid = [(decay, share) for share in SHARES for decay in (DECAYS if 0 < share < 1 else DECAYS[:1])]
    if not len(queries):
        return scorer
    found = _reciprocal_ranks(scorer, dataset, queries, grid)
    gains = np.stack([np.bincount(queries.batch.relation, row, minlength=sides) for row in found])
    best = gains.argmax(axis=0)
    best[np.bincount(queries.batch.relation, minlength=sides) == 0] = gains.sum(axis=1).argmax()
    decay, share = np.array(grid)[best].T
    return RecurrencyScorer(scorer.graph, scorer.setting, decay.copy(), share.copy())


def _sample(queries: SplitQueries, sides: int, most: int) -> SplitQueries:
    """At most so many queries of each relation and direction, spread evenly over the split."""
    kept = np.zeros(len(queries), dtype=bool)
    for side in range(sides):
        mine = np.flatnonzero(queries.batch.relation == side)
        kept[mine[np.linspace(0, len(mine) - 1, min(most, len(mine))).astype(np.int64)]] = True
    return queries.only(kept)


def _reciprocal_ranks(
    scorer: RecurrencyScorer, dataset: Dataset, queries: SplitQueries, grid: list[tuple[float, float]]
) -> Float64Array:
    """[G, Q] of the answers for each pair of the grid: time-filtered, mean ties, as an evaluation gives them."""
    aside = TrueAnswers.of(dataset).at_that_time().rows(queries.batch)
    batch, entities = queries.batch, scorer.num_entities
    found = np.zeros((len(grid), len(queries)))
    decays, shares = np.array(grid).T
    room = Room(
        np.zeros(entities, np.int64), np.full(entities, -1, np.int64), np.zeros(entities, np.int64), np.zeros(entities)
    )
    for rows, mask in scorer.parts(batch):
        asked = Asked(batch.subject, batch.relation, batch.time, queries.answer, *aside)
        rank_over_grid(scorer.arrays, mask, rows, asked, decays.copy(), shares.copy(), room, found)
    return 1.0 / found


def _build(dataset: Dataset, config: RunConfig) -> Scorer:
    settings = config.model
    assert isinstance(settings, RecurrencySettings), "the table of methods gives every method its own settings"
    setting = find_task(config.task).setting
    everywhere = np.ones(2 * dataset.num_relations)
    graph = TemporalGraph.of(dataset, setting.context)
    scorer = RecurrencyScorer(graph, setting, DECAY * everywhere, SHARE * everywhere)
    return choose(scorer, dataset, settings.validation_queries)


METHOD = Method(
    name="recurrency",
    title="recurrency",
    summary="Repeats what happened, the nearest first, mixed by relation with what is usual. No training.",
    settings=RecurrencySettings,
    build=_build,
    tasks={task: {} for task in TASKS},
)
