"""A model on facts that it was not trained on: embeddings by name, the rest as it was, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.model.tiny_models import batch_of, model_of, scores_of
from tests.oracle import Oracle
from tests.tiny import random_parameters, tiny_config
from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.errors import ConfigError
from tgap.graph import TemporalGraph
from tgap.model.tgap import TGAP
from tgap.model.transfer import transferred

ENTITIES, RELATIONS, SPAN, LONGER = 6, 3, 16, 25
WIDE: dict[str, Any] = {"core_nodes": 50, "sampled_edges": 500, "added_edges": 500}  # nothing is sampled


def facts(seed: int, entities: int, relations: int, span: int, count: int = 40) -> Facts:
    random = np.random.default_rng(seed)
    return Facts(*(random.integers(0, most, count) for most in (entities, relations, entities, span + 1)))


def dataset(entities: list[str], relations: list[str], span: int, seed: int = 0, unit: str = "day") -> Dataset:
    train, valid, test = (facts(seed + part, len(entities), len(relations), span) for part in range(3))
    timeline = Timeline(unit, 0, span)  # type: ignore[arg-type]
    return Dataset("some", Vocabulary(entities), Vocabulary(relations), timeline, train, valid, test)


OWN = dataset([f"e{number}" for number in range(ENTITIES)], ["Fight", "Make a visit", "Praise"], SPAN)
# Another order, unknown names, a name written otherwise.
OTHER = dataset(["new", "e4", "e0", "newer", "e2"], ["Praise", "Blame", "make_a_visit"], LONGER, seed=7)
ENTITY, RELATION = [None, 4, 0, None, 2], [2, None, 1]


def model(dtype: torch.dtype = torch.float64, **settings: Any) -> TGAP:
    config = tiny_config(**{**WIDE, **settings})
    graph = TemporalGraph.of(OWN)
    return model_of(config, graph, SPAN, random_parameters(config, ENTITIES, RELATIONS, SPAN, 3), dtype=dtype)


def by_hand(known: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The parameters that the model should have on the other dataset, row by row."""
    entity, relation, size = known["entity"], known["relation"], known["displacement.size"]
    rows = [entity.mean(0) if found is None else entity[found] for found in ENTITY]
    parts = []
    for first in (0, RELATIONS):
        half = relation[first : first + RELATIONS]
        parts += [half.mean(0) if found is None else half[found] for found in RELATION]
    moved = {"entity": np.stack(rows), "relation": np.stack([*parts, relation[-1]])}
    far = [15, 16]  # an eighth of the 17 displacements that are known
    moved["displacement.size"] = np.stack([size[k] if k <= SPAN else size[far].mean(0) for k in range(LONGER + 1)])
    if "displacement.flow" in known:
        flow = known["displacement.flow"]

        def places(dt: int) -> list[int]:
            return [SPAN + dt] if abs(dt) <= SPAN else [SPAN + (k if dt > 0 else -k) for k in far]

        moved["displacement.flow"] = np.stack([flow[places(dt)].mean(0) for dt in range(-LONGER, LONGER + 1)])
    return {**known, **moved}


@pytest.mark.parametrize("settings", [{}, {"flow_displacement": "signed"}, {"pgnn_layers": 2, "query_vector": "paper"}])
def test_it_is_the_oracles_answer_with_parameters_moved_by_hand(settings: dict[str, Any]) -> None:
    known = model(**settings)
    graph = TemporalGraph.of(OTHER)
    moved = transferred(known, OWN, OTHER, graph)
    parameters = by_hand({name: value.numpy() for name, value in known.state_dict().items()})
    queries = [(0, 1, 4), (1, 0, 25), (4, 5, 0), (3, 2, 12)]
    for row, (subject, relation, time) in zip(scores_of(moved, batch_of(*queries)), queries, strict=True):
        oracle = Oracle(known.config, parameters, graph, 0, LONGER, None, 0)
        np.testing.assert_allclose(row, oracle.run(subject, relation, time).scores, rtol=1e-9, atol=1e-12)


def test_on_its_own_dataset_it_is_the_same_model() -> None:
    known = model(torch.float32)
    same = transferred(known, OWN, OWN, known.graph)
    for name, value in known.state_dict().items():
        assert torch.equal(same.state_dict()[name], value), name
    queries = batch_of((0, 1, 4), (5, 3, 16))
    np.testing.assert_array_equal(scores_of(same, queries), scores_of(known, queries))
    assert not same.training


def test_a_shorter_timeline_needs_fewer_displacements() -> None:
    short = dataset(["a"], ["Praise"], 3)
    moved = transferred(model(), OWN, short, TemporalGraph.of(short))
    assert torch.equal(moved.displacement.size, model().displacement.size[:4])


@pytest.mark.parametrize(
    ("settings", "other", "reason"),
    [
        ({}, dataset(["e0"], ["Praise"], 4, unit="year"), "some counts in years, the model learned from days of some"),
        ({}, dataset(["e0"], ["shouts"], 4), "no relation of some is known to the model, which learned 'Fight'"),
        ({"displacement": "absolute", "flow_displacement": "absolute"}, OTHER, "reads dates instead of displacements"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(settings: dict[str, Any], other: Dataset, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as refused:
        transferred(model(**settings), OWN, other, TemporalGraph.of(other))
    assert "\n" not in str(refused.value)
