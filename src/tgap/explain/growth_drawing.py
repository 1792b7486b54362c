"""The growing subgraph, drawn: all panels below each other, with a legend."""

from __future__ import annotations

from collections.abc import Sequence

from tgap.explain.curves import Cubic, Point
from tgap.explain.drawing import Drawing, Ring, Shape, Stroke, Text, badge, key_lines, straight
from tgap.explain.growth import WIDTH, GrowthPanel, Spot
from tgap.explain.palette import ANSWER, BASE, COLOURS, INK, MUTED

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


def growth_drawing(title: str, panels: Sequence[GrowthPanel]) -> Drawing:
    """One picture of all steps that sampled."""
    shapes: list[Shape] = [Text(16, 28, title, size=16, bold=True)]
    top = float(_HEAD)
    for panel in panels:
        shapes.append(straight((16, top), (WIDTH - 16, top)))
        shapes.append(Text(16, top + 24, panel.title, bold=True))
        shapes += _panel(panel, top)
        top += panel.height + 20
    shapes += _legend(top)
    return Drawing(WIDTH, int(top + _FOOT), title, tuple(shapes))


def _panel(panel: GrowthPanel, top: float) -> list[Shape]:
    wires = sorted(panel.wires, key=lambda wire: wire.state == "added")
    shapes: list[Shape] = [_wire(wire.points, wire.kind, wire.state, top) for wire in wires]
    for spot in panel.spots:
        shapes += _spot(spot, top)
    for wire in panel.wires:
        if wire.number is not None:
            shapes += badge((wire.badge[0], wire.badge[1] + top), wire.number, wire.kind)
    for x, y, key in panel.keys:
        shapes += key_lines(x, y + top, key)
    return shapes


def _wire(points: Cubic, kind: str, state: str, top: float) -> Stroke:
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
        shapes += [_wire(points, kind, state, 0), Text(x + 40, y + 4, words, size=11)]
        x += 54 + 5.4 * len(words)
    return shapes
