"""The growing subgraph (the paper's appendix A): one panel per step, entities at the same place in every panel.

Each panel shows what the step did: the core nodes (highest attention before the step), the candidate edges (sampled
out-edges of each), the z strongest candidates, which were added, and the subgraph as it was before. Entities stand in
columns, each beside the entity from which it was first seen. Of many candidates only the strongest are shown, and the
title says so.

``growth_panels`` computes the layout; ``growth_drawing`` turns it into shapes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from tgap.drawing.palette import ANSWER, BASE, COLOURS, INK, MUTED
from tgap.drawing.shapes import (
    Cubic,
    Curve,
    Drawing,
    Key,
    Point,
    Ring,
    Shape,
    Stroke,
    Text,
    badge,
    free_place,
    key_lines,
    level_curve,
    straight,
)
from tgap.explain.naming import Names, sign_of
from tgap.explain.wording import counted, shorten
from tgap.graph import TemporalGraph
from tgap.scorer import StepTrace, Trace

WIDTH = 1180
_LEFT, _TOP, _ROW = 120, 74, 50
_LABEL, _RELATION = 28, 44
_FAN = 150  # most pixels that parallel edges spread over
_KEYS = 3  # lists of keys side by side
_BADGES = (0.62, 0.7, 0.55, 0.78, 0.48)  # where a number may stand on its edge
_CORE = "#E69F00"
_HEAD, _FOOT = 56, 58
_FILL = {"inside": INK, "joins": ANSWER, "outside": "#FFFFFF"}
_POINTS = (
    ("inside", False, "in the subgraph"),
    ("joins", False, "joins in this step"),
    ("outside", False, "not in it"),
    ("inside", True, "ringed: core node"),
)
_WIRES = (
    ("added", "past", "added, past"),
    ("added", "present", "same time"),
    ("added", "future", "future"),
    ("added", "stay", "self-loop"),
    ("candidate", "past", "candidate"),
    ("earlier", "past", "added before"),
)


@dataclass(frozen=True)
class Spot:
    """An entity in a panel: ``state`` is inside, joins or outside."""

    x: float
    y: float
    label: str
    state: str
    core: bool


@dataclass(frozen=True)
class Wire(Curve):
    """An edge in a panel: ``state`` is earlier, candidate or added."""

    state: str


@dataclass(frozen=True)
class GrowthPanel:
    """One step."""

    title: str
    spots: tuple[Spot, ...]
    wires: tuple[Wire, ...]
    keys: tuple[tuple[float, float, Key], ...]  # x, y below the panel's top
    height: float


@dataclass
class _Plan:
    """Which edges are shown, and where entities stand."""

    shown: list[tuple[list[int], list[int]]] = field(default_factory=list)  # candidates, added of each step
    column: dict[int, int] = field(default_factory=dict)
    row: dict[int, int] = field(default_factory=dict)
    since: dict[int, int] = field(default_factory=dict)  # step in which an entity turns up

    def place(self, entity: int, column: int, step: int) -> None:
        if entity not in self.column:
            self.since[entity] = step
            self.row[entity] = sum(1 for other in self.column.values() if other == column)
            self.column[entity] = column

    def spot(self, entity: int) -> Point:
        columns = max(self.column.values())
        gap = (WIDTH - 2 * _LEFT) / max(columns, 1)
        tallest = max(sum(1 for other in self.column.values() if other == c) for c in range(columns + 1))
        count = sum(1 for other in self.column.values() if other == self.column[entity])
        y = _TOP + _ROW * (self.row[entity] + (tallest - count) / 2)
        return _LEFT + gap * self.column[entity], y


def growth_panels(names: Names, graph: TemporalGraph, trace: Trace, most: int = 10) -> tuple[GrowthPanel, ...]:
    """A panel for every step that sampled; at most ``most`` added edges and ``most`` others are shown."""
    steps = [(number, step) for number, step in enumerate(trace.steps, start=1) if len(step.candidates)]
    plan = _Plan()
    plan.place(trace.query.subject, 0, 0)
    for number, step in steps:
        _plan_step(plan, graph, step, number, most)
    inside = {trace.query.subject}
    earlier: list[int] = []
    panels = []
    for (number, step), (candidates, added) in zip(steps, plan.shown, strict=True):
        panels.append(_panel(names, graph, trace, (number, step), (plan, candidates, added), (inside, earlier)))
        inside = set(step.subgraph.tolist())
        earlier += [edge for edge in added if edge not in earlier]
    return tuple(panels)


def _plan_step(plan: _Plan, graph: TemporalGraph, step: StepTrace, number: int, most: int) -> None:
    """Choose a step's edges, strongest first, and give new entities a place."""
    crossed = dict(zip(step.edge.tolist(), step.attention.mean(axis=1).tolist(), strict=True))
    order = sorted(step.candidates.tolist(), key=lambda edge: (-crossed.get(edge, 0.0), edge))
    joined = set(step.added.tolist())
    added = [edge for edge in order if edge in joined][:most]
    candidates = [edge for edge in order if edge not in joined][:most]
    plan.shown.append((candidates, added))
    for edge in added + candidates:
        source = int(graph.source[edge])
        plan.place(source, number - 1, number)
        plan.place(int(graph.neighbour[edge]), plan.column[source] + 1, number)


def _panel(
    names: Names,
    graph: TemporalGraph,
    trace: Trace,
    step_of: tuple[int, StepTrace],
    shown: tuple[_Plan, list[int], list[int]],
    before: tuple[set[int], list[int]],
) -> GrowthPanel:
    number, step = step_of
    plan, candidates, added = shown
    inside, earlier = before
    joins = set(step.subgraph.tolist()) - inside
    core = set(step.core.tolist())
    crossed = dict(zip(step.edge.tolist(), step.attention.mean(axis=1).tolist(), strict=True))
    visible = [entity for entity, since in plan.since.items() if since <= number]
    spots = tuple(
        Spot(
            *plan.spot(entity),
            shorten(names.entity(entity), _LABEL),
            "inside" if entity in inside else "joins" if entity in joins else "outside",
            entity in core,
        )
        for entity in visible
    )
    states = {**dict.fromkeys(candidates, "candidate"), **dict.fromkeys(earlier, "earlier")}
    states |= dict.fromkeys(added, "added")
    wires, keys = _wires(names, graph, trace, plan, states, crossed)
    bottom = max(spot.y for spot in spots) + 44
    placed = tuple(
        (20 + (WIDTH - 40) / _KEYS * (place % _KEYS), bottom + 18 + 34 * (place // _KEYS), key)
        for place, key in enumerate(keys)
    )
    sampled = f"{counted(len(core), 'core node')}, {counted(len(step.candidates), 'candidate edge')}"
    title = f"Step {number}: {sampled}, {len(step.added):,} added"
    hidden = len(step.candidates) - len(candidates) - len(added)
    if hidden:
        title += f" (the {len(added)} strongest added and {len(candidates)} other candidates are shown)"
    return GrowthPanel(title, spots, wires, placed, bottom + 10 + 34 * -(-len(keys) // _KEYS))


def _wires(
    names: Names,
    graph: TemporalGraph,
    trace: Trace,
    plan: _Plan,
    states: dict[int, str],
    crossed: dict[int, float],
) -> tuple[tuple[Wire, ...], list[Key]]:
    """Curves of all edges of a panel; added ones are numbered and spelled out."""
    loop = 2 * names.num_relations
    beside: dict[frozenset[int], list[int]] = defaultdict(list)
    for edge in states:
        beside[frozenset((int(graph.source[edge]), int(graph.neighbour[edge])))].append(edge)
    wires: list[Wire] = []
    keys: list[Key] = []
    badges: list[Point] = []
    for edge, state in states.items():
        source, target, relation = int(graph.source[edge]), int(graph.neighbour[edge]), int(graph.relation[edge])
        time = trace.query.time if relation == loop else int(graph.time[edge])
        bunch = beside[frozenset((source, target))]
        bend = min(30.0, _FAN / len(bunch)) * (bunch.index(edge) - (len(bunch) - 1) / 2)
        points = _wire(plan.spot(source), plan.spot(target), bend)
        number = None
        kind = "stay" if relation == loop else sign_of(time - trace.query.time)
        badge = free_place(points, badges, _BADGES)
        if state == "added":
            badges.append(badge)
            number = len(badges)
            named = names.edge((source, target), relation, time, trace.query.time)
            keys.append(Key.of(number, kind, named, crossed.get(edge, 0.0), _RELATION))
        wires.append(Wire(points, kind, number, badge, state))
    return tuple(wires), keys


def _wire(left: Point, right: Point, bend: float) -> Cubic:
    """Curve between two entities: level between columns, a bow to the left inside one, a small loop at one entity."""
    (x0, y0), (x1, y1) = left, right
    if left == right:
        size = 44 + abs(bend)
        return (left, (x0 - size, y0 - size), (x0 + size, y0 - size), right)
    if x0 == x1:
        bow = 46 + abs(bend)
        return (left, (x0 - bow, y0), (x1 - bow, y1), right)
    return level_curve(left, right, bend)


def growth_drawing(title: str, panels: Sequence[GrowthPanel]) -> Drawing:
    """One picture of all steps that sampled."""
    shapes: list[Shape] = [Text(16, 28, title, size=16, bold=True)]
    top = float(_HEAD)
    for panel in panels:
        shapes.append(straight((16, top), (WIDTH - 16, top)))
        shapes.append(Text(16, top + 24, panel.title, bold=True))
        shapes += _panel_shapes(panel, top)
        top += panel.height + 20
    shapes += _legend(top)
    return Drawing(WIDTH, int(top + _FOOT), title, tuple(shapes))


def _panel_shapes(panel: GrowthPanel, top: float) -> list[Shape]:
    wires = sorted(panel.wires, key=lambda wire: wire.state == "added")
    shapes: list[Shape] = [_stroke(wire.points, wire.kind, wire.state, top) for wire in wires]
    for spot in panel.spots:
        shapes += _spot(spot, top)
    for wire in panel.wires:
        if wire.number is not None:
            shapes += badge((wire.badge[0], wire.badge[1] + top), wire.number, wire.kind)
    for x, y, key in panel.keys:
        shapes += key_lines(x, y + top, key)
    return shapes


def _stroke(points: Cubic, kind: str, state: str, top: float) -> Stroke:
    looks = {
        "added": (COLOURS[kind], 3.6, "solid"),
        "earlier": (MUTED, 1.4, "solid"),
        "candidate": (BASE, 1.7, "dashed"),
    }
    return Stroke(tuple((x, y + top) for x, y in points), *looks[state])


def _spot(spot: Spot, top: float) -> list[Shape]:
    colour = MUTED if spot.state == "outside" else INK
    label = Text(
        spot.x, spot.y + top + 26, spot.label, size=11, anchor="middle", bold=spot.core, colour=colour, halo=True
    )
    return [*_circle((spot.x, spot.y + top), spot.state, spot.core), label]


def _circle(place: Point, state: str, core: bool) -> list[Shape]:
    ring: list[Shape] = [Ring(*place, 12, "#FFFFFF", _CORE, 4.2)] if core else []
    return [*ring, Ring(*place, 6.5, _FILL[state], INK, 1.4)]


def _legend(top: float) -> list[Shape]:
    shapes: list[Shape] = [straight((16, top), (WIDTH - 16, top))]
    y = top + 24
    x = 28.0
    for state, core, words in _POINTS:
        shapes += [*_circle((x, y), state, core), Text(x + 18, y + 4, words, size=11)]
        x += 44 + 5.6 * len(words)
    for state, kind, words in _WIRES:
        points = ((x, y), (x + 12, y), (x + 24, y), (x + 34, y))
        shapes += [_stroke(points, kind, state, 0), Text(x + 40, y + 4, words, size=11)]
        x += 54 + 5.4 * len(words)
    return shapes
