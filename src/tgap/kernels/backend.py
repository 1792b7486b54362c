"""What the model asks of its kernels: one interface, two implementations (reference and compiled).

Attention over incoming messages serves PGNN and SGNN: ``Backend.maps`` prepares a layer, ``AttentionMaps.tables`` its
features, ``AttentionTables.attend`` runs it along edges. The flow moves mass: ``Backend.step``. Both implementations
take plain features and weights, so that the model reads the same with either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.structure import Adjacency, EdgeSet, QueryState


@dataclass(frozen=True)
class AttentionWeights:
    """Weights of one PGNN or SGNN layer (docs/model.md, Parameters)."""

    message: Tensor  # [S, d, d] W_sign
    message_bias: Tensor | None  # [S, d]
    query: Tensor  # [d, d] W_Q
    key: Tensor | None  # [K, w, w] W_K


@dataclass(frozen=True)
class AttentionSettings:
    """Sizes and switches of attention over messages."""

    heads: int  # K
    scale: float  # factor of every score
    slope: float  # of LeakyReLU
    buckets: DisplacementBuckets


@dataclass(frozen=True)
class FlowSettings:
    """Sizes and switches of the flow."""

    flows: int  # H
    scale: float
    slope: float
    buckets: DisplacementBuckets
    loop: int  # relation id of self-loops, the last
    signed: bool  # the time of an edge stands in row D - 1 + sign * bucket of its table, else in row bucket


@dataclass(frozen=True)
class FlowTables:
    """What the flow scores against: features h, and relations and times, in the form that the implementation wants."""

    h: Tensor
    shared: Tensor  # relations, then times


@dataclass(frozen=True)
class Mass:
    """Attention mass of a batch as one list for each query. Columns of ``value`` beyond the flows are padding (0)."""

    row: NDArray[np.int64]  # [B+1]
    entity: NDArray[np.int32]  # [M]
    value: Tensor  # [M, H or more]
    flows: int  # H

    def mean(self) -> Tensor:
        """[M] mean over flows."""
        return self.value.sum(1) / self.flows


@dataclass(frozen=True)
class FlowBatch:
    """Everything that a step of the flow reads."""

    mass: Mass
    g: Tensor  # [Q, d] features of the subgraph entities
    query: Tensor  # [d, d] W_Q
    key: Tensor  # [d, d] W_K
    tables: FlowTables
    state: QueryState
    adjacency: Adjacency
    settings: FlowSettings
    own: tuple[Adjacency, ...] = ()  # [B] what each query sees, where they differ: the same edges, other ones hidden

    def seen_by(self, query: int) -> Adjacency:
        """The edges as a query sees them."""
        return self.own[query] if self.own else self.adjacency


@dataclass
class Recording:
    """Where a step writes the attention of edges: those of mass entry m from start[m] on (-1: nowhere)."""

    start: NDArray[np.int64]  # [M]
    mean: NDArray[np.floating]  # [room] mean over flows
    full: NDArray[np.floating]  # [room, columns of Mass.value], or no rows where the mean is enough

    @classmethod
    def of(cls, mass: Mass, start: NDArray[np.int64], room: int, full: bool = False) -> Recording:
        """``room`` for the edges of a step from ``mass``; ``full``: each flow's attention besides the mean."""
        kind = mass.value[:0].numpy(force=True).dtype
        return cls(start, np.zeros(room, kind), np.zeros((room if full else 0, mass.value.shape[1]), kind))

    @classmethod
    def nothing(cls, mass: Mass) -> Recording:
        """Record no edge."""
        return cls.of(mass, np.full(len(mass.entity), -1, np.int64), 0)


class AttentionTables(Protocol):
    """What attention over messages reads of features. The same for every query time, so it can be shared."""

    def attend(self, edges: EdgeSet) -> Tensor:
        """[M, d]: for each target the attention-weighted sum of its incoming messages, 0 where there are none."""
        ...


class AttentionMaps(Protocol):
    """What a layer makes of its weights and embeddings alone."""

    def tables(self, target: Tensor, source: Tensor) -> AttentionTables:
        """What attention reads of the receivers' features, target [M, d], and the senders', source [.., d]."""
        ...


class Backend(Protocol):
    """Kernels of the model."""

    cpu_only: bool  # tensors must be on the CPU; otherwise they may be anywhere, all in one place

    def product(self, rows: Tensor, weight: Tensor) -> Tensor:
        """Rows [M, k] times weight [k, n], for the maps that the model applies itself."""
        ...

    def maps(
        self, weights: AttentionWeights, relation: Tensor, displacement: Tensor, settings: AttentionSettings
    ) -> AttentionMaps:
        """What a layer makes of weights and embeddings (relation [2R+1, d], displacement [D, d]) alone."""
        ...

    def columns(self, flows: int) -> int:
        """Columns of ``Mass.value`` for this number of flows."""
        ...

    def h_table(self, h: Tensor, key: Tensor, settings: FlowSettings) -> Tensor:
        """``FlowTables.h`` of features h [rows, d]; worth caching with them."""
        ...

    def flow_tables(self, h_table: Tensor, relation: Tensor, time: Tensor, key: Tensor, s: FlowSettings) -> FlowTables:
        """Tables of one batch; relation [2R+1, d], time [D or 2D-1, d]."""
        ...

    def step(self, batch: FlowBatch, recording: Recording) -> Mass:
        """One step of the flow."""
        ...

    def to_targets(self, batch: FlowBatch, row: NDArray[np.int64], entity: NDArray[np.int32]) -> Tensor:
        """[targets] mean mass that given entities (``row``: those of each query) hold after one more step.

        Adjacency must be symmetric: the edges into an entity are found as those out of it.
        """
        ...

    def to_all(self, batch: FlowBatch) -> Tensor:
        """[B, N] mean mass of every entity after one more step; no gradient."""
        ...
