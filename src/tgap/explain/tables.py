"""From ids to the named tables of the document: each function turns one finding into its part of the schema."""

from __future__ import annotations

import numpy as np

from tgap.explain.edges import StepEdges
from tgap.explain.naming import Names
from tgap.explain.paths import Walk, Walks
from tgap.explain.profile import SIGNS, Profile
from tgap.explain.schema import (
    DisplacementRow,
    EdgeRow,
    NodeRow,
    PathRow,
    PathTable,
    ProfileTable,
    RelationRow,
    StepTable,
    WalkEdge,
)
from tgap.explain.sentences import path_sentence
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
                    before=edge.before,
                    attention=edge.attention,
                    through=edge.through,
                )
                for edge in found.edges
            ),
            nodes=tuple(NodeRow(names.entity(node), mass) for node, mass in found.nodes),
            carried=found.carried,
            waiting=found.waiting,
            core=tuple(names.entity(int(node)) for node in record.core),
            candidates=len(record.candidates),
            added=len(record.added),
            subgraph=len(record.subgraph),
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
        waiting=profile.waiting,
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
