"""Preliminary GNN (PGNN): a feature h for every entity, as seen from the time of a query.

    h^(0) = entity embeddings,    h^(l+1)_j = act( h'_j )  with h' by attention over messages (attention.py)

over all visible edges into j. It depends on the query only through its time and the visible edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from tgap.kernels.backend import AttentionMaps, AttentionTables
from tgap.kernels.structure import EdgeSet
from tgap.model.attention import MessageAttention


@dataclass(frozen=True)
class Features:
    """What PGNN gives for one query time: a function of weights, time and visible edges only, so it can be cached."""

    h: Tensor  # [N, d]
    table: Tensor  # h as the flow scores against it

    @property
    def nbytes(self) -> int:
        """Memory of the tensors."""
        return self.h.nbytes + self.table.nbytes

    def replaced(self, rows: Tensor, fresh: Features) -> Features:
        """The same but for the given rows."""
        return Features(self.h.index_copy(0, rows, fresh.h), self.table.index_copy(0, rows, fresh.table))

    @staticmethod
    def join(parts: Sequence[Features]) -> Features:
        """Features of several times, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return Features(torch.cat([part.h for part in parts]), torch.cat([part.table for part in parts]))


class PGNN(nn.ModuleList):
    """The layers, none to two; rho and tau are the model's own tables."""

    def layers(self) -> Iterator[MessageAttention]:
        """The layers by their type."""
        for layer in self:
            assert isinstance(layer, MessageAttention), "PGNN is made of attention layers"
            yield layer

    def maps(self, relation: Tensor, size: Tensor) -> list[AttentionMaps]:
        """What each layer makes of its parameters and embeddings alone."""
        return [layer.maps(relation, size) for layer in self.layers()]

    def first_tables(self, entity: Tensor, relation: Tensor, size: Tensor) -> AttentionTables | None:
        """What the first layer reads, which does not depend on the query's time; None without layers."""
        return next((layer.maps(relation, size).tables(entity, entity) for layer in self.layers()), None)

    def forward(
        self, entity: Tensor, relation: Tensor, size: Tensor, edges: EdgeSet, first: AttentionTables | None = None
    ) -> Tensor:
        """[N, d] features of all entities. ``first``: the result of ``first_tables``, where several times share it."""
        h = entity
        for number, layer in enumerate(self.layers()):
            shared = first if number == 0 else None
            tables = layer.maps(relation, size).tables(h, h) if shared is None else shared
            h = layer.activate(tables.attend(edges))
        return h

    def rows(self, maps: Sequence[AttentionMaps], own: Tensor, senders: Tensor, edges: EdgeSet) -> Tensor:
        """Features of some entities only, from ``maps``, the edges into them and the embeddings of both ends.

        For one layer at most.
        """
        h = own
        for layer, mapped in zip(self.layers(), maps, strict=True):
            h = layer.activate(mapped.tables(h, senders).attend(edges))
        return h
