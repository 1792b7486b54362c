"""The growing subgraph as matplotlib draws it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from tgap.explain.curves import Point
from tgap.explain.figures import Dashes, draw_badge, draw_curve, draw_key, pixel_axes, write
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
            draw_badge(axes, (wire.badge[0], wire.badge[1] + top), wire.number, wire.kind)
    for x, y, key in panel.keys:
        draw_key(axes, x, y + top, key)


def _draw_wire(axes: Axes, wire: Wire, top: float) -> None:
    styles: dict[str, tuple[str, float, Dashes]] = {
        "added": (COLOURS[wire.kind], 2.6, "solid"),
        "earlier": (MUTED, 1.0, "solid"),
        "candidate": (BASE, 1.2, (0, (3, 2.5))),
    }
    draw_curve(axes, tuple((x, y + top) for x, y in wire.points), *styles[wire.state], zorder=1)


def _draw_spot(axes: Axes, spot: Spot, top: float) -> None:
    _draw_circle(axes, (spot.x, spot.y + top), spot.state, spot.core)
    weight = "bold" if spot.core else "normal"
    colour = MUTED if spot.state == "outside" else INK
    y = spot.y + top + 26
    write(axes, spot.x, y, spot.label, size=11, anchor="center", weight=weight, colour=colour, halo=True)


def _draw_circle(axes: Axes, place: Point, state: str, core: bool) -> None:
    if core:
        axes.add_patch(Circle(place, 12, facecolor="white", edgecolor=_CORE, linewidth=3, zorder=3))
    axes.add_patch(Circle(place, 6.5, facecolor=_FILL[state], edgecolor=INK, linewidth=1, zorder=4))


def _draw_legend(axes: Axes, top: float) -> None:
    axes.plot([16, WIDTH - 16], [top, top], color=GRID, linewidth=0.8)
    y = top + 24
    x = 28.0
    for state, core, words in (
        ("inside", False, "in the subgraph"),
        ("joins", False, "joins in this step"),
        ("outside", False, "not in it"),
        ("inside", True, "ringed: core node"),
    ):
        _draw_circle(axes, (x, y), state, core)
        write(axes, x + 18, y + 4, words, size=11)
        x += 44 + 5.6 * len(words)
    for state, kind, words in (
        ("added", "past", "added, past"),
        ("added", "present", "same time"),
        ("added", "future", "future"),
        ("added", "stay", "self-loop"),
        ("candidate", "past", "candidate"),
        ("earlier", "past", "added before"),
    ):
        _draw_wire(axes, Wire(((x, y), (x + 12, y), (x + 24, y), (x + 34, y)), kind, None, (x, y), state), 0)
        write(axes, x + 40, y + 4, words, size=11)
        x += 54 + 5.4 * len(words)
