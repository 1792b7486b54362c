"""Pictures by matplotlib. Every function returns a ``Figure``; ``render`` turns it into the bytes of a PNG or SVG file.

matplotlib is imported here only, and only by whoever draws: its import takes a good part of a second.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke

from tgap.errors import QueryError
from tgap.explain.curves import BADGE, Cubic, Key, Point
from tgap.explain.palette import ANSWER, COLOURS, GRID, INK, LEGEND, MUTED
from tgap.explain.picture import Link, Picture

FORMATS = ("png", "svg", "pdf")
_POINT = 0.72  # points to a pixel of the layout, at 100 pixels an inch


def render(figure: Figure, file_format: str) -> bytes:
    """The file's bytes. The same figure gives the same bytes: no date is written into it."""
    if file_format not in FORMATS:
        raise QueryError(f"cannot draw a .{file_format} file; use one of {', '.join(FORMATS)}")
    buffer = io.BytesIO()
    date = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[file_format]
    settings: dict[Any, Any] = {"svg.hashsalt": "tgap", "svg.fonttype": "none", "font.family": "DejaVu Sans"}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")  # drawn as boxes; the data is right
        figure.savefig(buffer, format=file_format, dpi=150, metadata=date)
    return buffer.getvalue()


def layered_figure(picture: Picture) -> Figure:
    """The layered picture as matplotlib draws it: the same layout as the SVG of the report."""
    figure = Figure(figsize=(picture.width / 100, picture.height / 100), facecolor="white")
    axes = pixel_axes(figure, picture.width, picture.height)
    write(axes, 16, 28, picture.title, size=16, weight="bold")
    write(axes, 16, 50, picture.subtitle, colour=MUTED)
    for x, heading in picture.columns:
        write(axes, x, 82, heading, anchor="center", weight="bold")
        axes.plot([x, x], [92, picture.lanes[-1].y + 14], color=GRID, linewidth=0.8, zorder=0)
    for link in picture.links:
        _draw_link(axes, link)
    for dot in picture.dots:
        edge, width = (ANSWER, 2.9) if dot.answer else (INK, 0.95)
        circle = Circle((dot.x, dot.y), dot.radius, facecolor="white", edgecolor=edge, linewidth=width, zorder=3)
        axes.add_patch(circle)
        if dot.text:
            write(axes, dot.x, dot.y + dot.radius + 12, dot.text, size=10, anchor="center", halo=True)
    for link in picture.links:
        if link.number is not None:
            draw_badge(axes, link.badge, link.number, link.kind)
    for lane in picture.lanes:
        weight = "bold" if lane.role else "normal"
        colour = ANSWER if lane.role == "answer" else INK
        write(axes, picture.columns[0][0] - 24, lane.y + 4, lane.label, anchor="right", weight=weight, colour=colour)
        write(axes, picture.columns[-1][0] + 26, lane.y + 4, lane.final, weight=weight, colour=colour)
    for step, (x, keys) in enumerate(picture.keys, start=1):
        _draw_keys(axes, x, picture.keys_top, step, keys)
    _draw_legend(axes, picture)
    return figure


def pixel_axes(figure: Figure, width: float, height: float) -> Axes:
    """Axes over the whole figure that count pixels from the upper left corner."""
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return axes


def write(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    size: float = 12,
    anchor: str = "left",
    weight: str = "normal",
    colour: str = INK,
    halo: bool = False,
) -> None:
    """Text with its baseline at ``y``; names are never read as formulas."""
    effects = [withStroke(linewidth=2.2, foreground="white")] if halo else []
    axes.text(
        x,
        y,
        text,
        fontsize=size * _POINT,
        ha=anchor,
        va="baseline",
        fontweight=weight,
        color=colour,
        parse_math=False,
        zorder=6,
        path_effects=effects,
    )


Dashes = str | tuple[float, tuple[float, float]]


def draw_curve(axes: Axes, points: Cubic, colour: str, width: float, dashes: Dashes = "solid", **more: Any) -> None:
    """A cubic curve, ``width`` points wide."""
    curve = Path(list(points), [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(PathPatch(curve, fill=False, edgecolor=colour, linewidth=width, linestyle=dashes, **more))


def _draw_link(axes: Axes, link: Link) -> None:
    dashes = _dashes(link.kind, link.dashed)
    draw_curve(axes, link.points, COLOURS[link.kind], link.width * _POINT, dashes, alpha=0.8, zorder=2)


def _dashes(kind: str, dashed: bool) -> Dashes:
    """Line style of an edge; dash lengths are in units of the line's width."""
    if dashed:
        return (0, (2.4, 1.2))
    return (0, (0.6, 1.2)) if kind == "stay" else "solid"


def draw_badge(axes: Axes, place: Point, number: int, kind: str) -> None:
    """The number of an edge."""
    circle = Circle(place, BADGE, facecolor=COLOURS[kind], edgecolor="white", linewidth=1.1, zorder=5)
    axes.add_patch(circle)
    write(axes, place[0], place[1] + 3.6, str(number), size=10, anchor="center", weight="bold", colour="white")


def draw_key(axes: Axes, x: float, y: float, key: Key) -> None:
    """What a numbered edge is, on two lines."""
    draw_badge(axes, (x + BADGE, y - 4), key.number, key.kind)
    write(axes, x + 24, y - 2, key.relation, size=11)
    write(axes, x + 24, y + 12, key.details, size=10, colour=MUTED)


def _draw_keys(axes: Axes, x: float, top: float, step: int, keys: tuple[Key, ...]) -> None:
    write(axes, x, top + 14, f"Step {step}", size=11, weight="bold")
    for place, key in enumerate(keys):
        draw_key(axes, x, top + 38 + 34 * place, key)


def _draw_legend(axes: Axes, picture: Picture) -> None:
    y = picture.legend_top + 22
    axes.plot([16, picture.width - 16], [y - 20, y - 20], color=GRID, linewidth=0.8)
    x = 16.0
    for kind, dashed, words in LEGEND:
        style = _dashes(kind, dashed)
        axes.plot([x, x + 40], [y, y], color=COLOURS[kind], linewidth=4 * _POINT, linestyle=style)
        write(axes, x + 47, y + 4, words, size=11)
        x += 66 + 6.2 * len(words)
    write(axes, 16, y + 20, "Circles and edges are as big as the attention they hold.", size=11, colour=MUTED)
