"""Deletion and sufficiency curves, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tgap.drawing.palette import ANSWER, BASE, GRID, INK, MUTED
from tgap.studies.faithfulness_curves import Faithfulness
from tgap.studies.orders import ORDER_WORDS

_LOOK = {
    "effect": (ANSWER, "-", "o"),
    "share": ("#0072B2", "-", "s"),
    "attention": ("#D55E00", "--", "^"),
    "pair": ("#009E73", "--", "v"),
    "recent": (MUTED, ":", "d"),
    "random": (BASE, ":", "x"),
}


def faithfulness_figure(title: str, found: Faithfulness) -> Figure:
    """Left: what is left without the first k facts. Right: what is left with only them."""
    figure = Figure(figsize=(11, 4.4), facecolor="white")
    left, right = figure.subplots(1, 2)
    for name, curves in found.orders.items():
        _draw(left, found.sizes, curves.deletion, name, curves.deletion_area)
        _draw(right, found.sizes, curves.sufficiency, name, curves.sufficiency_area)
    left.set_title("without the first k facts", fontsize=10, color=INK)
    right.set_title("with only the first k facts of the answer", fontsize=10, color=INK)
    left.legend(fontsize=8, frameon=False, loc="lower left")
    right.legend(fontsize=8, frameon=False, loc="lower right")
    for axes in (left, right):
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xticks(found.sizes, [str(size) for size in found.sizes])
        axes.minorticks_off()
        axes.set_xlabel("k", fontsize=9)
        axes.set_ylabel("part of the mean probability that is left", fontsize=9)
        axes.set_ylim(0, None)
        axes.grid(color=GRID, linewidth=0.8)
        axes.tick_params(labelsize=8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.suptitle(title, fontsize=11, fontweight="bold", color=INK)
    figure.tight_layout()
    return figure


def _draw(axes: Axes, sizes: Sequence[int], line: Sequence[float], name: str, area: float) -> None:
    colour, style, marker = _LOOK[name]
    label = f"{ORDER_WORDS[name]} (area {area:.2f})"
    axes.plot(sizes, line, color=colour, linestyle=style, marker=marker, markersize=4, label=label)
