"""From ids to the named tables of the document: each function turns one finding into its part of the schema."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.bundles import Bundle, bundles
from tgap.explain.edges import StepEdges, masses, mean_attention
from tgap.explain.naming import Names, sign_of
from tgap.explain.paths import Walk, Walks
from tgap.explain.profile import SIGNS, Profile
from tgap.explain.schema import (
    BundleRow,
    DisplacementRow,
    EdgeRow,
    EventRow,
    FlowNode,
    FlowStep,
    FlowTable,
    NodeRow,
    PathRow,
    PathTable,
    ProfileTable,
    RelationRow,
    StepTable,
    WalkEdge,
)
from tgap.explain.wording import path_sentence
from tgap.scorer import Trace

_RELATIONS = 10  # rows of a profile's table by edge relation


def step_tables(names: Names, trace: Trace, steps: tuple[StepEdges, ...]) -> tuple[StepTable, ...]:
    """Strongest edges of every step by name, with what was sampled there."""
    return tuple(
        StepTable(
            step=found.step,
            edges=tuple(
                EdgeRow(
                    **vars(names.edge((edge.subject, edge.object), edge.relation, edge.time, trace.query.time)),
                    subject_attention=edge.before,
                    attention=edge.attention,
                    answer_share=edge.answer_share,
                )
                for edge in found.edges
            ),
            nodes=tuple(NodeRow(names.entity(node), mass) for node, mass in found.nodes),
            used_edges=found.carried,
            self_loops=found.self_loops,
            core_nodes=tuple(names.entity(int(node)) for node in record.core),
            candidate_edges=len(record.candidates),
            added_edges=len(record.added),
            subgraph_nodes=len(record.subgraph),
        )
        for found, record in zip(steps, trace.steps, strict=True)
    )


def path_table(names: Names, trace: Trace, walks: Walks) -> PathTable:
    """Walks as sentences."""
    start = names.entity(trace.query.subject)

    def row(walk: Walk) -> PathRow:
        edges = tuple(
            WalkEdge(
                **vars(
                    names.edge((walk.subjects[k], walk.objects[k]), walk.relations[k], walk.times[k], trace.query.time)
                ),
                step=walk.steps[k],
            )
            for k in range(len(walk))
        )
        stands = walk.stands(trace.query.subject, len(trace.steps))
        return PathRow(walk.share, path_sentence(start, edges), edges, tuple(names.entity(place) for place in stands))

    return PathTable(tuple(row(walk) for walk in walks.walks), walks.rest, walks.number, walks.complete)


def profile_table(names: Names, profile: Profile) -> ProfileTable:
    """A profile with its relations by name."""
    side = np.sign(profile.displacement)
    rows = []
    for relation, share in profile.strongest_relations(_RELATIONS):
        parts = [float(profile.by_relation[relation][side == sign].sum()) for sign in (-1, 0, 1)]
        name, inverse = names.relation(relation)
        rows.append(RelationRow(name, inverse, share, **dict(zip(SIGNS, parts, strict=True))))
    return ProfileTable(
        queries=profile.queries,
        unit=names.dataset.timeline.unit,
        bin=profile.unit,
        self_loops=profile.self_loops,
        attention=profile.by_sign(profile.attention),
        base=profile.by_sign(profile.base_share),
        displacements=tuple(
            DisplacementRow(*row)
            for row in zip(
                profile.displacement.tolist(),
                profile.attention.tolist(),
                profile.base.tolist(),
                profile.base_share.tolist(),
                strict=True,
            )
        ),
        relations=tuple(rows),
    )


def flow_table(names: Names, flow: AnswerFlow, walks: Sequence[Walk], count: int) -> FlowTable:
    """Columns and steps of a picture with the ``count`` heaviest bundles a step and all that ``walks`` take."""
    found = bundles(flow, walks, count)
    held = masses(flow.trace)
    stands = [walk.stands(flow.trace.query.subject, len(flow.trace.steps)) for walk in walks]
    columns = []
    for column, mass in enumerate(held):
        entities = {places[column] for places in stands}
        entities |= {bundle.object for bundle in found[column - 1]} if column else {flow.trace.query.subject}
        entities |= {bundle.subject for bundle in found[column]} if column < len(found) else {flow.answer}
        falling = sorted(entities, key=lambda entity: (-mass[entity], entity))
        answer_share = flow.entities[column]
        columns.append(
            tuple(
                FlowNode(names.entity(entity), float(mass[entity]), float(answer_share[entity])) for entity in falling
            )
        )
    steps = tuple(_flow_step(names, flow, number, found[number]) for number in range(len(found)))
    return FlowTable(tuple(columns), steps)


def _flow_step(names: Names, flow: AnswerFlow, number: int, found: Sequence[Bundle]) -> FlowStep:
    step, time = flow.trace.steps[number], flow.trace.query.time
    attention, answer_share = mean_attention(step), flow.edges[number]
    loops = step.relation == flow.graph.loop_relation

    def event(place: int) -> EventRow:
        displacement = int(step.time[place]) - time
        return EventRow(
            relation=names.relation(int(step.relation[place]))[0],
            time=names.date(int(step.time[place])),
            displacement=displacement,
            relative_time=names.relative_time(displacement),
            attention=float(attention[place]),
            answer_share=float(answer_share[place]),
        )

    rows = tuple(
        BundleRow(
            subject=names.entity(bundle.subject),
            object=names.entity(bundle.object),
            sign=sign_of(bundle.sign),
            inverse=bundle.inverse,
            size=bundle.size,
            attention=bundle.attention,
            answer_share=bundle.answer_share,
            rest_attention=bundle.rest_attention,
            rest_share=bundle.rest_share,
            walks=bundle.walks,
            events=tuple(event(place) for place in bundle.edges),
        )
        for bundle in found
    )
    return FlowStep(
        step=number + 1,
        bundles=rows,
        moved=float(attention[~loops].sum()),
        moved_share=float(answer_share[~loops].sum()),
        self_loops=float(attention[loops].sum()),
        self_loops_share=float(answer_share[loops].sum()),
    )
