"""A judge: orders the candidates that a walker names by the events that speak for each.

A walker's mass is one number for each entity: two pieces of evidence can only add. The judge reads the events of a
candidate o of the query q = (s, r_q, ?, t) one by one and keeps a vector of them,

    z_o = log(1 + sum over the events (s, r, o, t_e) of              reading(r, t_e - t, r_q))
    y_o = log(1 + sum over the events of o nearest to t, without s,  reading'(r, t_e - t, r_q))
    reading(r, dt, r_q) = relu( R_r a_q + T_dt b_q + R'_r T'_dt + c_q )        (products by element)
    v_o = w . relu( W_z z_o + W_y y_o + u_q )

so relation, signed displacement and the relation of the query act together, and what several events say together
matters. It has no embedding of any entity. Its softmax over the candidates is learned by itself; the mass does not
enter, so that the judge does not lean on it. The two are mixed in ``judged.py``.

Legend: B queries, C candidates of all of them, w channels.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.data import Dataset
from tgap.graph.candidate_events import ByTime, EventRows, near_events, pair_events
from tgap.graph.resolve import VisibleGraph
from tgap.graph.temporal import TemporalGraph
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.event_sums import CandidateEvents, ReadingTables, event_sums
from tgap.kernels.products import product
from tgap.learner import Loss
from tgap.model.transfer import for_longer, relations_by_name
from tgap.model.unseen import with_unseen_relations
from tgap.scorer import FloatArray, IntArray, QueryBatch

_EXACT, _OCTAVE = 16, 8  # displacements below have a row of their own; beyond, so many rows per doubling


class Candidates(NamedTuple):
    """The entities that a walker finds likeliest, query after query, each query's in the order of their ids."""

    row: IntArray  # [B+1]
    entity: IntArray  # [C]

    @property
    def query(self) -> IntArray:
        """[C]."""
        return np.repeat(np.arange(len(self.row) - 1), np.diff(self.row))

    @classmethod
    def of(cls, scores: FloatArray, most: int) -> Candidates:
        """At most ``most`` entities of each row with the highest scores above 0."""
        most = min(most, scores.shape[1])
        best = np.sort(np.argpartition(-scores, most - 1, axis=1)[:, :most], axis=1)
        reached = np.take_along_axis(scores, best, axis=1) > 0
        return cls(np.append(0, np.cumsum(reached.sum(axis=1))), best[reached].astype(np.int64))


@dataclass(frozen=True)
class Case:
    """What a judge reads: the candidates of a batch of queries and the events that speak for each."""

    relation: IntArray  # [B] of the queries
    candidates: Candidates
    pair: CandidateEvents
    near: CandidateEvents

    def __len__(self) -> int:
        return len(self.relation)


@dataclass(frozen=True)
class JudgedBatch:
    """A case with its answers: what a step of training learns from."""

    case: Case
    answer: IntArray  # [B] which of all candidates is the answer; -1 where the walker does not name it
    words: str  # names the batch in a message

    def __len__(self) -> int:
        return len(self.case)

    def describe(self) -> str:
        """One line that names the batch in a message."""
        return self.words


class CaseReader:
    """Finds the events that speak for candidates on one graph."""

    def __init__(self, graph: TemporalGraph, span: int, near: int) -> None:
        self._by_time = ByTime.of(graph)
        self._buckets = DisplacementBuckets.of(span, _EXACT, _OCTAVE)
        self._near = near

    def read(self, queries: QueryBatch, candidates: Candidates, visible: VisibleGraph) -> Case:
        """The case of queries that all see the same."""
        query = candidates.query
        time = queries.time[query]
        pair, near = (
            self._events(visible.graph, rows, query, time) for rows in self.rows(queries, candidates, visible)
        )
        return Case(queries.relation, candidates, pair, near)

    def rows(self, queries: QueryBatch, candidates: Candidates, visible: VisibleGraph) -> tuple[EventRows, EventRows]:
        """The edges behind a case: of the pair, and of the candidate with others."""
        query = candidates.query
        subject, time = queries.subject[query], queries.time[query]
        pair = pair_events(visible, subject, candidates.entity)
        return pair, near_events(visible, self._by_time, subject, candidates.entity, time, self._near)

    def _events(self, graph: TemporalGraph, rows: EventRows, query: IntArray, time: IntArray) -> CandidateEvents:
        displacement = graph.time[rows.edge] - np.repeat(time, np.diff(rows.row))
        bucket = self._buckets.bucket(np.abs(displacement)) + self._buckets.count * (displacement < 0)
        return CandidateEvents(rows.row, graph.relation[rows.edge], bucket, query)


class Reading(nn.Module):
    """R, R', T, T' and the query's a, b, c: a vector for each candidate from its events."""

    BY_RELATION = ("relation", "relation_of_time", "relation_gate", "time_gate", "shift")
    BY_TIME = ("time", "time_of_relation")

    def __init__(self, relations: int, buckets: int, width: int) -> None:
        super().__init__()
        by_relation, by_time = (2 * relations + 1, width), (2 * buckets, width)
        self.relation = nn.Parameter(torch.empty(by_relation))
        self.relation_of_time = nn.Parameter(torch.empty(by_relation))
        self.time = nn.Parameter(torch.empty(by_time))
        self.time_of_relation = nn.Parameter(torch.empty(by_time))
        self.relation_gate = nn.Parameter(torch.empty(by_relation))
        self.time_gate = nn.Parameter(torch.empty(by_relation))
        self.shift = nn.Parameter(torch.empty(by_relation))

    def forward(self, relation: Tensor, events: CandidateEvents) -> Tensor:
        """[C, w] log(1 + sum of the readings)."""
        gates = (table.index_select(0, relation) for table in (self.relation_gate, self.time_gate, self.shift))
        tables = ReadingTables(self.relation, self.relation_of_time, self.time, self.time_of_relation, *gates)
        return torch.log1p(event_sums(tables, events))

    def without_each(self, relation: Tensor, events: CandidateEvents) -> Tensor:
        """[E, w] of a lone candidate: ``forward`` without each of its E events."""
        lone = CandidateEvents(
            np.arange(len(events.relation) + 1), events.relation, events.bucket, np.zeros_like(events.bucket)
        )
        own = torch.expm1(self(relation, lone))
        return torch.log1p((own.sum(dim=0) - own).clamp(min=0))


class Judge(nn.Module):
    """The parameters, the verdict on candidates and its loss."""

    def __init__(self, relations: int, span: int, width: int, seed: int) -> None:
        super().__init__()
        self.relations = relations
        buckets = DisplacementBuckets.of(span, _EXACT, _OCTAVE).count
        self.pair = Reading(relations, buckets, width)
        self.near = Reading(relations, buckets, width)
        self.from_pair = nn.Parameter(torch.empty(width, width))
        self.from_near = nn.Parameter(torch.empty(width, width))
        self.query = nn.Parameter(torch.empty(2 * relations + 1, width))
        self.out = nn.Parameter(torch.empty(width, 1))
        self._initialise(seed)

    def _initialise(self, seed: int) -> None:
        """Tables normal with deviation .3, gates around 1; maps uniform within 1 / sqrt(inputs)."""
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name in ("from_pair", "from_near", "out"):
                    bound = len(parameter) ** -0.5
                    parameter.uniform_(-bound, bound, generator=generator)
                else:
                    parameter.normal_(1.0 if name.endswith("gate") else 0.0, 0.3, generator=generator)

    def with_relations(self, relations: int) -> Judge:
        """The same judge with more relations; those that joined read as the mean of the others."""
        if relations == self.relations:
            return self
        other = copy.deepcopy(self)
        other.relations = relations
        tables = [
            (other, "query"),
            *((part, name) for part in (other.pair, other.near) for name in Reading.BY_RELATION),
        ]
        for owner, name in tables:
            grown = with_unseen_relations(getattr(owner, name).detach(), self.relations, relations)
            setattr(owner, name, nn.Parameter(grown))
        return other

    def transferred(self, own: Dataset, other: Dataset) -> Judge:
        """The same judge on another dataset, as ``tgap.model.transfer`` does it."""
        given = {}
        for name, table in self.state_dict().items():
            if name == "query" or name.rpartition(".")[2] in Reading.BY_RELATION:
                given[name] = relations_by_name(table, own, other)
            elif name.rpartition(".")[2] in Reading.BY_TIME:
                count = DisplacementBuckets.of(other.timeline.span, _EXACT, _OCTAVE).count
                given[name] = torch.cat([for_longer(half, count) for half in table.chunk(2)])
            else:
                given[name] = table
        fresh = Judge(other.num_relations, other.timeline.span, len(self.from_pair), seed=0)
        fresh.load_state_dict(given)
        return fresh

    def verdict(self, case: Case) -> Tensor:
        """[C] v of every candidate."""
        relation = torch.from_numpy(case.relation)
        query = self.query.index_select(0, relation).index_select(0, torch.from_numpy(case.candidates.query))
        return self._weigh(self.pair(relation, case.pair), self.near(relation, case.near), query)

    def weights(self, case: Case) -> tuple[Tensor, Tensor]:
        """What each event of the pair, and each near one, adds to v of a lone candidate: v with it minus v without."""
        assert len(case.candidates.entity) == 1, "events of one candidate are weighed against each other"
        relation = torch.from_numpy(case.relation)
        query = self.query.index_select(0, relation)
        pair, near = self.pair(relation, case.pair), self.near(relation, case.near)
        whole = self._weigh(pair, near, query)
        return (
            whole - self._weigh(self.pair.without_each(relation, case.pair), near, query),
            whole - self._weigh(pair, self.near.without_each(relation, case.near), query),
        )

    def _weigh(self, pair: Tensor, near: Tensor, query: Tensor) -> Tensor:
        """[C] v from what was read."""
        hidden = torch.relu(product(pair, self.from_pair) + product(near, self.from_near) + query)
        return product(hidden, self.out).squeeze(1)

    def forward(self, batch: JudgedBatch) -> Loss:
        """Mean of -log softmax at the answers that the walker names; the metric ``outside`` counts the others."""
        inside = np.flatnonzero(batch.answer >= 0)
        outside = {"outside": float(len(batch) - len(inside))}
        if not len(inside):
            return Loss(self.out.sum() * 0.0, outside)
        logs = log_softmax(self.verdict(batch.case), batch.case.candidates)
        return Loss(-logs.index_select(0, torch.from_numpy(batch.answer[inside])).mean(), outside)


def log_softmax(values: Tensor, candidates: Candidates) -> Tensor:
    """[C] log of the softmax over the candidates of each query."""
    query = torch.from_numpy(candidates.query)
    place = torch.from_numpy(np.arange(len(candidates.entity)) - candidates.row[candidates.query])
    widest = int(np.diff(candidates.row).max(initial=1))
    table = values.new_full((len(candidates.row) - 1, widest), -torch.inf).index_put((query, place), values)
    return table.log_softmax(dim=1)[query, place]


def find_answers(candidates: Candidates, answer: IntArray) -> NDArray[np.int64]:
    """[B] which of all candidates is the answer of its query; -1 where it is none of them."""
    found = np.full(len(answer), -1, np.int64)
    place = np.flatnonzero(candidates.entity == answer[candidates.query])
    found[candidates.query[place]] = place
    return found
