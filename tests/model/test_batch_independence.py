"""A query's scores do not depend on the queries beside it: bit for bit, with features of the recommended width."""

from __future__ import annotations

import numpy as np
import pytest

from tgap.config import EvaluationConfig
from tgap.data.world import make_world
from tgap.graph import TemporalGraph, View
from tgap.model.scorer import TGAPScorer
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import QueryBatch

CONFIGS = {
    "recommended": TGAPSettings(),
    "paper": TGAPSettings(key_map=True, arrival_term=False, query_vector="paper", bias=False, activation=False),
    "many flows": TGAPSettings(flow_heads=True, scaled=True),
    "capped": TGAPSettings(walk_cap=20, gather_cap=20, lazy=True),
}


@pytest.mark.parametrize("view", [View.all(), View.all().before_query()])
@pytest.mark.parametrize("name", CONFIGS)
def test_alone_and_in_any_batch_a_query_has_the_same_scores(name: str, view: View) -> None:
    world = make_world()
    graph = TemporalGraph.of(world)
    scorer = TGAPScorer(TGAP(CONFIGS[name], graph, world.timeline.span, seed=1), EvaluationConfig())
    test = world.test
    asked = QueryBatch(test.subject, test.relation, test.time).take(np.arange(0, len(test.subject), 9)[:22])
    together = scorer.score(asked, view)
    assert len({row.tobytes() for row in together}) > 15, "the queries differ"
    for size in (1, 5, 17):
        parts = [scorer.score(asked.take(slice(first, first + size)), view) for first in range(0, len(asked), size)]
        np.testing.assert_array_equal(np.concatenate(parts), together, err_msg=f"batches of {size}")
