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

from tgap.data.display import shown
from tgap.drawing.shapes import Drawing, Ring, Stroke, Text
from tgap.errors import QueryError

FORMATS = ("png", "svg", "pdf")
_POINT = 0.72  # points to a pixel of the layout, at 100 pixels an inch
_ANCHOR = {"start": "left", "middle": "center", "end": "right"}
_DASH: dict[str, Any] = {"solid": "solid", "dashed": (0, (2.4, 1.2)), "dotted": (0, (0.6, 1.2))}


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


def drawing_figure(drawing: Drawing) -> Figure:
    """A drawing on axes that count pixels from the upper left corner."""
    figure = Figure(figsize=(drawing.width / 100, drawing.height / 100), facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, drawing.width)
    axes.set_ylim(drawing.height, 0)
    axes.axis("off")
    for depth, shape in enumerate(drawing.shapes):
        match shape:
            case Text():
                _write(axes, shape, depth)
            case Ring():
                look = {"facecolor": shape.fill, "edgecolor": shape.edge, "linewidth": shape.width * _POINT}
                axes.add_patch(Circle((shape.x, shape.y), shape.radius, zorder=depth, **look))
            case Stroke():
                curve = Path(list(shape.points), [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
                look = {"edgecolor": shape.colour, "linewidth": shape.width * _POINT, "linestyle": _DASH[shape.dash]}
                axes.add_patch(PathPatch(curve, fill=False, alpha=shape.opacity, zorder=depth, **look))
    return figure


def _write(axes: Axes, shape: Text, depth: int) -> None:
    """Names are never read as formulas, and no character of theirs acts."""
    axes.text(
        shape.x,
        shape.y,
        shown(shape.text),
        fontsize=shape.size * _POINT,
        ha=_ANCHOR[shape.anchor],
        va="baseline",
        fontweight="bold" if shape.bold else "normal",
        color=shape.colour,
        parse_math=False,
        zorder=depth,
        path_effects=[withStroke(linewidth=2.2, foreground="white")] if shape.halo else [],
    )
