"""The growing subgraph as matplotlib draws it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path

from tgap.explain.figures import pixel_axes, write
from tgap.explain.growth import WIDTH, GrowthPanel, Spot, Wire
from tgap.explain.palette import ANSWER, BASE, COLOURS, GRID, INK, MUTED

_CORE = "#E69F00"
_HEAD, _FOOT = 56, 58
_FILL = {"inside": INK, "joins": ANSWER, "outside": "#FFFFFF"}


def growth_figure(title: str, panels: Sequence[GrowthPanel]) -> Figure:
    """All panels below each other, with a legend."""
    height = _HEAD + sum(panel.height + 20 for panel in panels) + _FOOT
    figure = Figure(figsize=(WIDTH / 100, height / 100), facecolor="white")
    axes = pixel_axes(figure, WIDTH, height)
    write(axes, 16, 28, title, size=16, weight="bold")
    top = float(_HEAD)
    for panel in panels:
        axes.plot([16, WIDTH - 16], [top, top], color=GRID, linewidth=0.8)
        write(axes, 16, top + 24, panel.title, size=12, weight="bold")
        _draw_panel(axes, panel, top)
        top += panel.height + 20
    _draw_legend(axes, top)
    return figure


def _draw_panel(axes: Axes, panel: GrowthPanel, top: float) -> None:
    for wire in sorted(panel.wires, key=lambda wire: wire.state == "added"):
        _draw_wire(axes, wire, top)
    for spot in panel.spots:
        _draw_spot(axes, spot, top)
    for wire in panel.wires:
        if wire.number is not None:
            _draw_number(axes, (wire.badge[0], wire.badge[1] + top), wire.number, wire.kind)
    for x, y, key in panel.keys:
        _draw_number(axes, (x, y + top - 4), key.number, key.kind)
        write(axes, x + 15, y + top - 2, key.relation, size=11)
        write(axes, x + 15, y + top + 12, key.details, size=10, colour=MUTED)


def _draw_wire(axes: Axes, wire: Wire, top: float) -> None:
    points = [(x, y + top) for x, y in wire.points]
    colour, width, style = {
        "added": (COLOURS[wire.kind], 2.6, "solid"),
        "earlier": (MUTED, 1.0, "solid"),
        "candidate": (BASE, 1.2, (0, (3, 2.5))),
    }[wire.state]
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, linestyle=style, zorder=1))


def _draw_spot(axes: Axes, spot: Spot, top: float) -> None:
    x, y = spot.x, spot.y + top
    if spot.core:
        axes.add_patch(Circle((x, y), 12, facecolor="none", edgecolor=_CORE, linewidth=3, zorder=3))
    circle = Circle((x, y), 6.5, facecolor=_FILL[spot.state], edgecolor=INK, linewidth=1, zorder=4)
    axes.add_patch(circle)
    weight = "bold" if spot.core else "normal"
    colour = MUTED if spot.state == "outside" else INK
    write(axes, x + 17, y + 4, spot.label, size=11, weight=weight, colour=colour, boxed=True)


def _draw_number(axes: Axes, place: tuple[float, float], number: int, kind: str) -> None:
    axes.add_patch(Circle(place, 9, facecolor=COLOURS[kind], edgecolor="white", linewidth=1.1, zorder=5))
    write(axes, place[0], place[1] + 3.6, str(number), size=10, anchor="center", weight="bold", colour="white")


def _draw_legend(axes: Axes, top: float) -> None:
    axes.plot([16, WIDTH - 16], [top, top], color=GRID, linewidth=0.8)
    y = top + 24
    x = 26.0
    for state, core, words in (
        ("inside", False, "in the subgraph"),
        ("joins", False, "joins in this step"),
        ("outside", False, "not in it"),
        ("inside", True, "ringed: core node"),
    ):
        _draw_spot(axes, Spot(x, y, words, state, core), 0)
        x += 42 + 6.0 * len(words)
    for state, kind, words in (
        ("added", "past", "added, past"),
        ("added", "present", "same time"),
        ("added", "future", "future"),
        ("candidate", "past", "candidate"),
        ("earlier", "past", "added before"),
    ):
        _draw_wire(axes, Wire(((x, y), (x + 12, y), (x + 24, y), (x + 34, y)), state, kind, None, (x, y)), 0)
        write(axes, x + 40, y + 4, words, size=11)
        x += 54 + 6.0 * len(words)
