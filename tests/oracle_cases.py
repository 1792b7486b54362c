"""Oracles to ask: the variants of the model, each on a graph of its own with random parameters."""

from __future__ import annotations

from tests.oracle import Oracle
from tests.tiny import random_parameters, variants
from tgap.graph import TemporalGraph
from tgap.model.settings import TGAPSettings

SPAN = 12
VARIANTS = variants()


def build(config: TGAPSettings, graph: TemporalGraph, seed: int = 1, span: int = SPAN) -> Oracle:
    parameters = random_parameters(config, graph.num_entities, graph.num_relations, span, seed)
    return Oracle(config, parameters, graph, 0, span, None, seed)


def whole(config: TGAPSettings) -> TGAPSettings:
    """The same with limits so wide that no hash decides anything."""
    return config.replace(core_nodes=1000, sampled_edges=1000, added_edges=1000)
