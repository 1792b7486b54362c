"""The flow by name, for a picture: every bundle that is given, and every entity where one begins or ends."""

from __future__ import annotations

from collections.abc import Sequence

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.bundles import Bundle, bundles
from tgap.explain.edges import masses, mean_attention
from tgap.explain.naming import Names, sign_of
from tgap.explain.paths import Walk
from tgap.explain.schema import BundleRow, EventRow, FlowNode, FlowStep, FlowTable


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
        through = flow.entities[column]
        columns.append(
            tuple(FlowNode(names.entity(entity), float(mass[entity]), float(through[entity])) for entity in falling)
        )
    steps = tuple(_step(names, flow, number, found[number]) for number in range(len(found)))
    return FlowTable(tuple(columns), steps)


def _step(names: Names, flow: AnswerFlow, number: int, found: Sequence[Bundle]) -> FlowStep:
    step, time = flow.trace.steps[number], flow.trace.query.time
    attention, through = mean_attention(step), flow.edges[number]
    loops = step.relation == flow.graph.loop_relation

    def event(place: int) -> EventRow:
        displacement = int(step.time[place]) - time
        return EventRow(
            relation=names.relation(int(step.relation[place]))[0],
            time=names.date(int(step.time[place])),
            displacement=displacement,
            words=names.words(displacement),
            attention=float(attention[place]),
            through=float(through[place]),
        )

    rows = tuple(
        BundleRow(
            subject=names.entity(bundle.subject),
            object=names.entity(bundle.object),
            sign=sign_of(bundle.sign),
            inverse=bundle.inverse,
            size=bundle.size,
            attention=bundle.attention,
            through=bundle.through,
            lighter=bundle.lighter,
            lighter_through=bundle.lighter_through,
            walks=bundle.walks,
            events=tuple(event(place) for place in bundle.edges),
        )
        for bundle in found
    )
    return FlowStep(
        step=number + 1,
        bundles=rows,
        moved=float(attention[~loops].sum()),
        moved_through=float(through[~loops].sum()),
        waiting=float(attention[loops].sum()),
        waiting_through=float(through[loops].sum()),
    )
