"""Tiny graphs, settings and random parameters that many tests share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle import parameter_shapes
from tgap.graph import TemporalGraph
from tgap.methods import config_for
from tgap.model.settings import TGAPSettings

Parameters = dict[str, NDArray[np.float64]]


def from_facts(entities: int, relations: int, facts: list[tuple[int, int, int, int]]) -> TemporalGraph:
    """Graph of facts (s, r, o, t) written out by hand."""
    table = np.array(facts, dtype=np.int64).reshape(-1, 4)
    return TemporalGraph.build(entities, relations, table[:, 0], table[:, 1], table[:, 2], table[:, 3])


def tiny_graph(
    seed: int, *, entities: int = 8, relations: int = 3, facts: int = 25, span: int = 12, copies: bool = True
) -> TemporalGraph:
    """Random graph at times 0..span; with ``copies`` about a fifth of its facts repeat another one."""
    random = np.random.default_rng(seed)
    bounds = np.array([entities, relations, entities, span + 1])
    table = random.integers(0, bounds, size=(facts, 4))
    if copies and facts > 1:
        repeats = max(1, facts // 5)
        table[-repeats:] = table[random.integers(0, facts - repeats, size=repeats)]
    return TemporalGraph.build(entities, relations, *(table[:, column] for column in range(4)))


def one_edge() -> TemporalGraph:
    """Two entities, one fact at t = 2."""
    return from_facts(2, 1, [(0, 0, 1, 2)])


def lonely_entity() -> TemporalGraph:
    """Entity 2 has only its self-loop."""
    return from_facts(3, 2, [(0, 0, 1, 1), (1, 1, 0, 3)])


def repeated_times() -> TemporalGraph:
    """Many facts on two days, and the same pair and relation on both."""
    return from_facts(
        4, 2, [(0, 0, 1, 2), (0, 1, 1, 2), (0, 0, 2, 2), (0, 0, 1, 6), (1, 0, 3, 6), (2, 1, 3, 6), (3, 0, 3, 2)]
    )


def parallel_copies() -> TemporalGraph:
    """One fact three times and another twice, so that edges tie exactly."""
    return from_facts(3, 1, [(0, 0, 1, 4)] * 3 + [(1, 0, 2, 5)] * 2 + [(2, 0, 0, 4)])


def star_hub(leaves: int = 12) -> TemporalGraph:
    """Entity 0 points at every other entity, each at a time of its own; -k and +k about the middle tie in size."""
    return from_facts(leaves + 1, 1, [(0, 0, leaf, leaf - 1) for leaf in range(1, leaves + 1)])


NAMED_SPAN = 12
NAMED = {
    "one_edge": one_edge,
    "lonely_entity": lonely_entity,
    "repeated_times": repeated_times,
    "parallel_copies": parallel_copies,
    "star_hub": star_hub,
}

_SMALL: dict[str, Any] = {"dimension": 7, "heads": 3, "core_nodes": 3, "sampled_edges": 4, "added_edges": 6}


def tiny_config(base: str = "recommended", **values: Any) -> TGAPSettings:
    """A preset's model cut down to 7 numbers in 3 uneven heads, with settings changed by name."""
    model = config_for("tgap", "world", base).model.replace(**{**_SMALL, **values})
    assert isinstance(model, TGAPSettings)
    return model


def variants() -> dict[str, TGAPSettings]:
    """Every choice of the model at least once, for tests that run through all of them."""
    changes: dict[str, Mapping[str, Any]] = {
        "recommended": {},
        "even_heads": {"dimension": 6},
        "one_head": {"heads": 1},
        "many_flows": {"flow_heads": True},
        "many_flows_signed": {"flow_heads": True, "flow_displacement": "signed"},
        "many_flows_no_subgraph": {"flow_heads": True, "subgraph": False},
        "many_flows_scaled": {"flow_heads": True, "scaled": True},
        "no_pgnn": {"pgnn_layers": 0},
        "two_pgnn": {"pgnn_layers": 2},
        "absolute": {"displacement": "absolute"},
        "absolute_both": {"displacement": "absolute", "flow_displacement": "absolute"},
        "absolute_signed": {"displacement": "absolute", "flow_displacement": "signed"},
        "flow_signed": {"flow_displacement": "signed"},
        "flow_absolute": {"flow_displacement": "absolute"},
        "no_subgraph": {"subgraph": False},
        "query_paper": {"query_vector": "paper"},
        "no_arrival": {"arrival_term": False},
        "key_map": {"key_map": True},
        "no_bias": {"bias": False},
        "scaled": {"scaled": True},
        "no_activation": {"activation": False},
        "steep": {"leaky_slope": 0.3},
        "one_step": {"steps": 1},
        "four_steps": {"steps": 4},
        "buckets": {"displacement_exact": 3, "displacement_octave": 2},
        "buckets_signed": {"displacement_exact": 2, "displacement_octave": 1, "flow_displacement": "signed"},
        "narrow": {"core_nodes": 1, "sampled_edges": 2, "added_edges": 1},
    }
    paper: dict[str, Mapping[str, Any]] = {
        "paper": {},
        "paper_two_pgnn": {"pgnn_layers": 2},
        "paper_no_pgnn": {"pgnn_layers": 0},
        "paper_absolute": {"displacement": "absolute"},
        "paper_no_subgraph": {"subgraph": False},
    }
    found = {name: tiny_config(**change) for name, change in changes.items()}
    found.update({name: tiny_config("paper", **change) for name, change in paper.items()})
    return found


def random_parameters(
    config: TGAPSettings, num_entities: int, num_relations: int, span: int, seed: int, *, scale: float = 1.0
) -> Parameters:
    """Normal numbers, maps scaled by their width so that scores stay moderate.

    All are representable in 32 bits: implementations of either precision start from the same values.
    """
    random = np.random.default_rng(seed)
    return {
        name: (random.normal(0, scale, shape) * _spread(name, shape)).astype(np.float32).astype(np.float64)
        for name, shape in parameter_shapes(config, num_entities, num_relations, span).items()
    }


def _spread(name: str, shape: tuple[int, ...]) -> float:
    """Standard deviation of a parameter: embeddings and biases 0.5, maps 1 / sqrt(inputs)."""
    if name in ("entity", "relation", "displacement.size", "displacement.flow") or name.endswith("bias"):
        return 0.5
    return 1 / math.sqrt(shape[-1])


def zero_parameters(config: TGAPSettings, num_entities: int, num_relations: int, span: int) -> Parameters:
    """All zero: every row is uniform and every choice a tie."""
    shapes = parameter_shapes(config, num_entities, num_relations, span)
    return {name: np.zeros(shape) for name, shape in shapes.items()}


def random_entries(parameters: Parameters, seed: int, each: int = 2) -> dict[str, list[tuple[int, ...]]]:
    """Up to ``each`` distinct random entries of every parameter, for gradient checks."""
    random = np.random.default_rng(seed)
    return {
        name: [
            tuple(int(i) for i in np.unravel_index(flat, value.shape))
            for flat in random.choice(value.size, size=min(each, value.size), replace=False)
        ]
        for name, value in parameters.items()
    }
