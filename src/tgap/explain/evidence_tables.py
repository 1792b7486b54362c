"""From measured evidence, chains and flow to the named tables of the document."""

from __future__ import annotations

import numpy as np

from tgap.data import Dataset
from tgap.evaluation.calibration import Calibration, base_rate, known_siblings
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.chains import Chain, Chains, Link
from tgap.explain.edges import highest
from tgap.explain.evidence import Effect, Evidence, joint_kind
from tgap.explain.evidence_schema import (
    CalibrationRow,
    ChainLink,
    ChainRow,
    ChainTable,
    CoupleRow,
    EntityShare,
    EvidenceRow,
    FlipRow,
    GroupRow,
    LinkRelation,
    ReadRow,
    RelationShare,
    RemovalRow,
    RerankedRow,
    ShareTable,
    StepShares,
    SufficientRow,
    SufficientTable,
    TimeShare,
)
from tgap.explain.flips import Removal, Stage, facts_touching
from tgap.explain.groups import PAIR
from tgap.explain.labels import fact_labels
from tgap.explain.naming import Names
from tgap.explain.reranking import RerankedPart
from tgap.explain.wording import chain_sentence
from tgap.scorer import FloatArray, Query

BACKGROUND = "facts that do not touch the answer"
_RELATIONS, _LINK_RELATIONS, _ENTITIES = 10, 3, 5  # rows of the lists
_MOST = 0.9  # part of a link's share that its events are counted for


def evidence_rows(names: Names, flow: AnswerFlow, evidence: Evidence) -> tuple[EvidenceRow, ...]:
    """Single facts, strongest effect first."""
    return tuple(
        EvidenceRow(
            **vars(names.fact(flow.graph, found.facts[0], flow.trace.query.time)),
            share=found.share,
            effect=found.effect,
            probability=found.after.probability,
            rank=found.after.rank,
            labels=fact_labels(names, flow, found.facts[0]),
        )
        for found in evidence.facts
    )


def couple_rows(names: Names, flow: AnswerFlow, evidence: Evidence) -> tuple[CoupleRow, ...]:
    """Two facts at a time."""
    alone = {found.facts[0]: found.effect for found in evidence.facts}
    rows = []
    for found in evidence.couples:
        one, two = (names.fact(flow.graph, fact, flow.trace.query.time) for fact in found.facts)
        effects = alone.get(found.facts[0], 0.0), alone.get(found.facts[1], 0.0)
        joint = joint_kind(evidence, found)
        rows.append(CoupleRow((one, two), found.effect, effects, found.after.probability, found.after.rank, joint))
    return tuple(rows)


def removal_rows(names: Names, flow: AnswerFlow, found: Removal) -> tuple[RemovalRow, ...]:
    """One fact after the other."""
    return tuple(
        RemovalRow(
            names.fact(flow.graph, stage.facts[-1], flow.trace.query.time), stage.after.probability, stage.after.rank
        )
        for stage in found.stages
    )


def reranked_row(names: Names, flow: AnswerFlow, found: RerankedPart) -> RerankedRow:
    """The re-ranker's part."""
    facts = tuple(ReadRow(names.fact(flow.graph, fact, flow.trace.query.time), left) for fact, left in found.facts)
    return RerankedRow(found.walk, found.walk_rank, found.probability, found.rank, facts)


def group_rows(names: Names, flow: AnswerFlow, evidence: Evidence) -> tuple[GroupRow, ...]:
    """Facts taken away together: the first by share, then groups."""
    firsts = tuple(_group(names, flow, "first", (), found) for found in evidence.firsts)
    return firsts + tuple(_group(names, flow, found.group.kind, found.group.ends, found) for found in evidence.groups)


def _group(names: Names, flow: AnswerFlow, kind: str, ends: tuple[int, ...], found: Effect) -> GroupRow:
    named = names.fact(flow.graph, found.facts[0], flow.trace.query.time)
    times = flow.graph.time[flow.stored_edge[list(found.facts)]]
    about = [names.entity(end) for end in ends] + [None, None]
    return GroupRow(
        kind=kind,
        subject=about[0],
        relation=named.relation if kind == PAIR else None,
        object=about[1],
        since=names.date(int(times.min())),
        until=names.date(int(times.max())),
        facts=len(found.facts),
        share=found.share,
        effect=found.effect,
        probability=found.after.probability,
        rank=found.after.rank,
    )


def flip_row(names: Names, flow: AnswerFlow, flip: Stage) -> FlipRow:
    """What would change the answer."""
    return FlipRow(
        facts=tuple(names.fact(flow.graph, fact, flow.trace.query.time) for fact in flip.facts),
        answer=names.entity(flip.after.first),
        answer_probability=flip.after.first_probability,
        probability=flip.after.probability,
        rank=flip.after.rank,
    )


def sufficient_table(flow: AnswerFlow, evidence: Evidence, curve: tuple[Stage, ...]) -> SufficientTable:
    """How few facts are enough."""
    whole = evidence.before.probability
    rows = (
        SufficientRow(len(stage.facts), stage.after.probability, stage.after.rank, stage.after.probability / whole)
        for stage in curve
    )
    touching = facts_touching(flow.graph, flow.answer)
    return SufficientTable(BACKGROUND, int(flow.visible[touching].sum()), tuple(rows))


def chain_table(names: Names, flow: AnswerFlow, found: Chains) -> ChainTable:
    """Chains in words."""
    start = names.entity(flow.trace.query.subject)

    def row(chain: Chain) -> ChainRow:
        links = tuple(_link(names, flow, link) for link in chain.links)
        return ChainRow(chain.share, chain_sentence(start, links), links)

    return ChainTable(tuple(row(chain) for chain in found.chains), found.rest, found.complete)


def _link(names: Names, flow: AnswerFlow, link: Link) -> ChainLink:
    relation = flow.graph.relation[link.edges]
    totals = np.bincount(relation, weights=link.shares).astype(np.float64, copy=False)
    rows = []
    for number in highest(totals, min(_LINK_RELATIONS, len(np.unique(relation)))).tolist():
        mine = relation == number
        parts = link.shares[mine]  # falling
        events = 1 + int(np.searchsorted(np.cumsum(parts), _MOST * parts.sum() - 1e-12))
        times = flow.graph.time[link.edges[mine][:events]]
        name, inverse = names.relation(number)
        dates = names.date(int(times.min())), names.date(int(times.max()))
        rows.append(LinkRelation(name, inverse, float(totals[number]), len(times), *dates))
    return ChainLink(names.entity(link.subject), names.entity(link.object), len(link.edges), tuple(rows))


def calibration_row(
    found: Calibration, name: str, probability: float, *, relation: str | None = None, base_rate: float | None = None
) -> CalibrationRow | None:
    """How often answers of such a probability were right; None where none was seen that is like it."""
    own = None if relation is None else found.bin_of(probability, relation)
    like = own or found.bin_of(probability)
    if like is None:
        return None
    return CalibrationRow(
        name,
        probability,
        like.low,
        like.high,
        like.answers,
        like.right,
        found(probability, relation),
        found.split,
        relation if own else None,
        base_rate,
    )


def calibrated_answer(
    found: Calibration, dataset: Dataset, query: Query, scores: FloatArray, answer: int
) -> CalibrationRow | None:
    """The row for an answer to a question: its probability among those that train does not tell already."""
    siblings = known_siblings(dataset, *query)
    taken = float(scores[siblings[siblings != answer]].sum(dtype=np.float64))
    probability = min(1.0, float(scores[answer]) / max(1.0 - taken, float(scores[answer]), 1e-12))
    return calibration_row(
        found,
        dataset.entities.name(answer),
        probability,
        relation=dataset.relations.name(query.relation % dataset.num_relations),
        base_rate=base_rate(dataset, query.subject, query.relation),
    )


def share_table(names: Names, flow: AnswerFlow) -> ShareTable:
    """The flow to the answer by time, relation and entity."""
    now = flow.trace.query.time
    times, shares = flow.by_time()
    relations = flow.by_relation()
    top = [place for place in highest(relations, _RELATIONS).tolist() if relations[place] > 0]
    return ShareTable(
        past=float(shares[times < now].sum()),
        present=float(shares[times == now].sum()),
        future=float(shares[times > now].sum()),
        self_loops=flow.self_loops,
        times=tuple(
            TimeShare(names.date(time), time - now, share)
            for time, share in zip(times.tolist(), shares.tolist(), strict=True)
        ),
        relations=tuple(RelationShare(names.label(place), float(relations[place])) for place in top),
        relations_rest=max(0.0, float(shares.sum() - relations[top].sum())),
        steps=tuple(_step(names, flow, step) for step in range(1, len(flow.entities))),
    )


def _step(names: Names, flow: AnswerFlow, step: int) -> StepShares:
    held = flow.entities[step]
    top = [place for place in highest(held, _ENTITIES).tolist() if held[place] > 0]
    entities = tuple(EntityShare(names.entity(place), float(held[place])) for place in top)
    return StepShares(step, entities, max(0.0, float(held.sum() - held[top].sum())))
