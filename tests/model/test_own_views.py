"""One query under many views at once: the same bits as under each view by itself."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from tgap.config import EvaluationConfig
from tgap.data.world import make_world
from tgap.graph import TemporalGraph, View
from tgap.model.scorer import TGAPScorer
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import Query, QueryBatch

CONFIGS = {
    "recommended": TGAPSettings(),
    "many flows": TGAPSettings(flow_heads=True, scaled=True),
    "two layers": TGAPSettings(pgnn_layers=2),
    "no layer": TGAPSettings(pgnn_layers=0),
    "rows capped for PGNN": TGAPSettings(gather_cap=8),
    "one view at a time": TGAPSettings(walk_cap=20, gather_cap=20, lazy=True),
}


@cache
def world_scorer(name: str, kernels: str = "compiled", batch_size: int = 64) -> TGAPScorer:
    world = make_world()
    model = TGAP(CONFIGS[name], TemporalGraph.of(world), world.timeline.span, seed=1, kernels=kernels)
    return TGAPScorer(model, EvaluationConfig(batch_size=batch_size))


def views_of(graph: TemporalGraph, query: Query) -> list[View]:
    """Nothing hidden, one fact, copies of a view, several facts, most facts of the subject, limits in time."""
    own = np.unique(graph.fact[graph.row[query.subject] : graph.row[query.subject + 1]])
    own = own[own >= 0].tolist()
    far = [fact for fact in range(0, graph.num_facts, 7) if fact not in own]
    hidden = [(), own[:1], own[:1], own[1:2], own[:3], own[1:], own, far[:2], far]
    views = [View.all().without(facts) for facts in hidden]
    limits = View.all().until(query.time).without(own[-2:])
    return [*views, limits, View.all().before_query(), View.all().before_query().without(own[:2])]


@pytest.mark.parametrize("name", CONFIGS)
def test_many_views_at_once_are_each_view_by_itself(name: str) -> None:
    scorer = world_scorer(name)
    world = make_world()
    for fact in (world.test[3], world.test[40]):
        query = Query(fact.subject, fact.relation, fact.time)
        views = views_of(scorer.graph, query)
        together = scorer.score_each(query, views)
        alone = np.concatenate([scorer.score(QueryBatch.of([query]), view) for view in views])
        np.testing.assert_array_equal(together, alone)
        assert len({row.tobytes() for row in together}) >= 6, "the views make a difference"


def test_more_views_than_a_batch_holds() -> None:
    fact = make_world().test[3]
    query = Query(fact.subject, fact.relation, fact.time)
    views = views_of(world_scorer("recommended").graph, query)
    few, many = (world_scorer("recommended", batch_size=size).score_each(query, views) for size in (5, 64))
    np.testing.assert_array_equal(few, many)


def test_the_reference_kernels_agree() -> None:
    fact = make_world().test[40]
    query = Query(fact.subject, fact.relation, fact.time)
    views = views_of(world_scorer("recommended").graph, query)[:6]
    compiled, plain = (
        world_scorer("recommended", kernels).score_each(query, views) for kernels in ("compiled", "reference")
    )
    np.testing.assert_allclose(compiled, plain, atol=2e-5)
