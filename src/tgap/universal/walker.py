"""The universal walker: T-GAP's flow over any graph, with nothing in its weights that belongs to one.

There is no PGNN and entities have no embedding (zero); relations and displacements have computed vectors
(``relation_vectors.py``, ``displacements.py``), relations with respect to the relation that is asked. So a batch is of
one relation. All other parameters are T-GAP's own, and so are its kernels.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn

from tgap.graph import TemporalGraph
from tgap.model.displacement import Displacement
from tgap.model.pgnn import Features
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.universal.displacements import EXACT, OCTAVE, SPAN, DisplacementVectors
from tgap.universal.relation_vectors import RelationVectors, relation_inputs
from tgap.universal.statistics import Profile

WIDTH, HIDDEN = 64, 128


def walk_settings(core_nodes: int, edges: int) -> TGAPSettings:
    """The settings of the T-GAP inside."""
    return TGAPSettings(
        dimension=WIDTH, heads=4, pgnn_layers=0, displacement_exact=EXACT, displacement_octave=OCTAVE,
        flow_displacement="signed", core_nodes=core_nodes, sampled_edges=edges, added_edges=edges,
    )  # fmt: skip


class Walker(nn.Module):
    """The parameters. ``on(graph)`` and ``asking`` make a T-GAP of them."""

    def __init__(self, settings: TGAPSettings, seed: int, kernels: str = "compiled") -> None:
        super().__init__()
        none = np.zeros(0, np.int64)
        core = TGAP(settings, TemporalGraph.build(1, 1, none, none, none, none), SPAN, seed, kernels)
        core._parameters.clear()
        core.displacement._parameters.clear()
        self.core = core
        generator = torch.Generator().manual_seed(seed + 1)
        self.displacements = DisplacementVectors(settings.dimension)
        self.relations = RelationVectors(settings.dimension, HIDDEN)
        with torch.no_grad():
            for name, parameter in self.displacements.named_parameters():
                assert name, "every table has a name"
                parameter.normal_(0, settings.initial_scale, generator=generator)
            for parameter in self.relations.parameters():
                bound = parameter.shape[-1] ** -0.5
                parameter.uniform_(-bound, bound, generator=generator)

    def on(self, graph: TemporalGraph) -> WalkedGraph:
        """The walker on a graph; parameters are shared."""
        core = copy.copy(self.core)
        core._walk(graph)
        core._modules = {**core._modules, "flow": core.flow.with_loop(graph.loop_relation)}
        core.entity = torch.zeros(graph.num_entities, core.config.dimension, dtype=core.flow.key.dtype)  # type: ignore[assignment]
        return WalkedGraph(self, core)


Vectors = tuple[Tensor, Tensor, Tensor]  # of relations, displacements by size, displacements by signed size


@dataclass(frozen=True, eq=False)
class WalkedGraph:
    """A walker on one graph. Threads may share it: what depends on the query is a copy per call."""

    walker: Walker
    core: TGAP
    _known: WeakKeyDictionary[Profile, Vectors] = field(default_factory=WeakKeyDictionary)

    @torch.no_grad()
    def answering(self, profile: Profile) -> TGAP:
        """The same as ``asking`` with vectors that are kept: for weights that do not change any more."""
        vectors = self._known.get(profile)
        if vectors is None:
            vectors = self._known[profile] = self._vectors(profile)
        return self._with(vectors)

    def asking(self, profile: Profile) -> TGAP:
        """The T-GAP for one relation of the query."""
        return self._with(self._vectors(profile))

    def _vectors(self, profile: Profile) -> Vectors:
        size, signed = self.walker.displacements(profile.unit)
        rows = torch.from_numpy(relation_inputs(profile)).to(size.dtype)
        return self.walker.relations(rows), size, signed

    def _with(self, vectors: Vectors) -> TGAP:
        core = copy.copy(self.core)
        displacement: Displacement = copy.copy(core.displacement)
        relation, displacement.size, displacement.flow = vectors  # type: ignore[assignment]
        core.relation = relation  # type: ignore[assignment]
        core._modules = {**core._modules, "displacement": displacement}
        return core

    @cached_property
    def features(self) -> Features:
        """What stands for PGNN's output: zero for every entity, whatever the query and the weights."""
        with torch.no_grad():
            return Features(self.core.entity, self.core.flow.h_table(self.core.entity))
