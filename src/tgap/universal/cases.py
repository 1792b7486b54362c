"""A model on a graph: from queries of one relation to candidates with their features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from tgap.graph import TemporalGraph, View
from tgap.graph.candidate_events import pair_events
from tgap.graph.resolve import VisibleGraph
from tgap.scorer import FloatArray, IntArray, QueryBatch
from tgap.universal.candidates import Candidates, choose_candidates
from tgap.universal.event_index import class_of
from tgap.universal.features import candidate_features
from tgap.universal.model import UniversalModel
from tgap.universal.statistics import Profile, Statistics

WALKED, USUAL = 60, 20
_LEAST = 1e-8  # of mass, where its logarithm is read
_SEED = 0


@dataclass(frozen=True)
class Case:
    """Candidates of a batch and their features, in the order of ``features.NAMES``."""

    candidates: Candidates
    features: FloatArray  # [C, len(NAMES)]
    mass: FloatArray  # [B, N] of the walk


class GraphReader:
    """Everything of one graph that answers are made of. Threads may share it."""

    def __init__(self, model: UniversalModel, graph: TemporalGraph, other_end: NDArray[np.int64] | None) -> None:
        self.graph = graph
        self.statistics = Statistics(graph, model.prior.numpy(), other_end)
        self.walked = model.walker.on(graph)

    @torch.no_grad()
    def read(self, queries: QueryBatch, view: View, profile: Profile) -> Case:
        """The case of queries of one relation that see the same: ``view`` is resolved for their time."""
        core = self.walked.answering(profile)
        mass = core.score(queries, view, _SEED, [self.walked.features]).numpy()
        visible = core.views.resolve(view)
        candidates = choose_candidates(
            self.statistics.index, visible, profile.relation, queries.time, mass, WALKED, USUAL
        )
        return Case(candidates, self.features(queries, visible, profile, candidates, mass), mass)

    def features(
        self, queries: QueryBatch, visible: VisibleGraph, profile: Profile, candidates: Candidates, mass: FloatArray
    ) -> FloatArray:
        """[C, len(NAMES)]."""
        read = candidate_features(
            self.statistics.index, self.statistics.by_time, visible, profile, queries.subject, queries.time, *candidates
        )
        return np.concatenate([read, _walk_features(candidates, mass)], axis=1)

    def pair_edges(self, visible: VisibleGraph, subject: int, other: int) -> IntArray:
        """Visible events from one entity to another."""
        return pair_events(visible, np.array([subject]), np.array([other])).edge

    def lifts(self, profile: Profile, edges: IntArray, time: int) -> FloatArray:
        """L of events of a query at this time."""
        graph = self.graph
        classes = [class_of(int(dt), profile.unit) for dt in graph.time[edges].astype(np.int64) - time]
        return profile.event.lift[graph.relation[edges], np.array(classes, np.int64)]


def _walk_features(candidates: Candidates, mass: FloatArray) -> FloatArray:
    """[C, 3] log mass, the same against the query's best, log of the mass on no candidate."""
    held = mass[candidates.query, candidates.entity].astype(np.float64)
    logs = np.log(held + _LEAST)
    sizes = np.diff(candidates.row)
    filled = np.flatnonzero(sizes)
    best, inside = np.zeros(len(sizes)), np.zeros(len(sizes))
    best[filled] = np.maximum.reduceat(logs, candidates.row[filled])
    inside[filled] = np.add.reduceat(held, candidates.row[filled])
    outside = np.log(np.maximum(1 - inside, 0) + 1e-4)
    columns = logs, logs - best[candidates.query], outside[candidates.query]
    return np.stack(columns, axis=1).astype(np.float32)


def same_sight(queries: QueryBatch, view: View, most: int) -> list[IntArray]:
    """Queries by number, in parts of one relation (and of one time, where each sees only its own past).

    Times ascend, so that what is visible changes little from one part to the next.
    """
    keys = np.stack([queries.time if view.past_only else np.zeros_like(queries.time), queries.relation])
    order = np.lexsort((keys[1], keys[0]))
    keys = keys[:, order]
    cut = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    parts = np.split(order, cut) if len(order) else []
    return [part[begin : begin + most] for part in parts for begin in range(0, len(part), most)]
