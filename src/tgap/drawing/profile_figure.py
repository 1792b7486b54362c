"""The displacement figure: attention against displacement beside the base, one row of panels a profile.

Left: share of all attention at each displacement (dots, coloured past / same time / future) over the share of edges
within reach that lie there (grey), both on a log axis. Right: the edge relations that attention used most, and the
self-loops, which have no displacement and would fake a bar at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tgap.data.display import shown
from tgap.drawing.palette import BASE, COLOURS, GRID, INK, MUTED
from tgap.explain.schema import ProfileTable
from tgap.explain.wording import percent, short_label

_ROW, _HEAD = 3.5, 0.55  # inches
_BARS = 6
_FLOOR = 1e-5  # smaller shares are not drawn
_SIDES = (("past", "past"), ("present", "same time"), ("future", "future"))


@dataclass(frozen=True)
class Panel:
    """One profile with its heading."""

    title: str
    profile: ProfileTable


def profile_figure(panels: Sequence[Panel], limit: int = 100) -> Figure:
    """A row for each panel; the axis goes from -limit to limit units, what lies beyond is written beside it."""
    height = _HEAD + _ROW * len(panels)
    figure = Figure(figsize=(12, height), facecolor="white")
    for row, panel in enumerate(panels):
        top = 1 - (_HEAD + _ROW * row) / height
        plot = figure.add_axes((0.075, top - 2.6 / height, 0.47, 2.3 / height))
        bars = figure.add_axes((0.785, top - 2.6 / height, 0.145, 2.3 / height))
        figure.text(
            0.075,
            top + 0.12 / height,
            shown(panel.title),
            fontsize=11.5,
            fontweight="bold",
            color=INK,
            parse_math=False,
        )
        _draw_displacements(plot, panel.profile, limit)
        _draw_relations(bars, panel.profile)
    return figure


def _draw_displacements(axes: Axes, profile: ProfileTable, limit: int) -> None:
    displacement = np.array([row.displacement for row in profile.displacements])
    attention = np.array([row.attention for row in profile.displacements])
    base = np.array([row.base for row in profile.displacements])
    base = base / max(base.sum(), 1.0)
    inside = np.abs(displacement) <= limit
    values = np.concatenate([attention[inside], base[inside]])
    floor = max(_FLOOR, float(values[values > 0].min()) / 2) if (values > 0).any() else 1e-3
    axes.bar(
        displacement[inside],
        np.maximum(base[inside] - floor, 0),
        width=profile.bin,
        bottom=floor,
        color=BASE,
        linewidth=0,
        label=f"edges within reach: {_split(profile.base)}",
        zorder=1,
    )
    for kind, marker in (("past", "o"), ("future", "o"), ("present", "D")):
        side = {"past": displacement < 0, "future": displacement > 0, "present": displacement == 0}[kind]
        drawn = inside & side
        axes.plot(
            displacement[drawn],
            np.where(attention[drawn] > floor, attention[drawn], np.nan),  # a gap, not a plunge
            marker=marker,
            markersize=6 if kind == "present" else 3.2,
            linestyle="-" if kind != "present" else "none",
            linewidth=0.8,
            color=COLOURS[kind],
            label=f"attention, {dict(_SIDES)[kind]}: {percent(profile.attention[kind])}",
            zorder=3,
        )
    axes.set_yscale("log")
    axes.set_xlim(-limit - 0.5, limit + 0.5)
    axes.set_ylim(floor, 20.0)  # room for the legend above 1, the most a share can be
    axes.set_yticks([power for power in 10.0 ** np.arange(-5, 1) if power >= floor])
    plural = "steps" if profile.unit == "integer" else f"{profile.unit}s"
    axes.set_xlabel(f"displacement ({plural}; negative = before the question's time)", fontsize=9)
    axes.set_ylabel("share (log)", fontsize=9)
    axes.tick_params(labelsize=8)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", bbox_to_anchor=(0, 1.005), fontsize=7.5, framealpha=0.92, edgecolor=GRID, ncols=2)
    outside = [percent(float(values[~inside].sum())) for values in (attention, base)]
    beyond = f"beyond ±{limit}: attention {outside[0]}, within reach {outside[1]}"
    axes.text(1.0, 1.03, beyond, transform=axes.transAxes, ha="right", fontsize=8, color=MUTED)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _split(shares: dict[str, float]) -> str:
    return f"{percent(shares['past'])} past, {percent(shares['future'])} future"


def _draw_relations(axes: Axes, profile: ProfileTable) -> None:
    rows = profile.relations[:_BARS]
    rest = 1 - profile.self_loops - sum(row.attention for row in rows)
    labels = [short_label(shown(row.relation), row.inverse, 36) for row in rows]
    labels += ["all other relations", "self-loops"]
    for place, row in enumerate(rows):
        left = 0.0
        for kind, share in (("past", row.past), ("present", row.present), ("future", row.future)):
            axes.barh(place, share, left=left, color=COLOURS[kind], height=0.62)
            left += share
    axes.barh(len(rows), max(rest, 0.0), color=BASE, height=0.62)
    axes.barh(len(rows) + 1, profile.self_loops, color=COLOURS["stay"], height=0.62, hatch="....", edgecolor="white")
    totals = [row.attention for row in rows] + [max(rest, 0.0), profile.self_loops]
    for place, total in enumerate(totals):
        axes.text(total + 0.02 * max(totals), place, percent(total), va="center", fontsize=8, color=INK)
    axes.set_yticks(range(len(labels)), labels, fontsize=8, parse_math=False)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlim(0, max(totals) * 1.02 or 1)
    axes.set_title("attention by edge relation", fontsize=9, color=MUTED, loc="left")
    axes.tick_params(axis="x", labelsize=7)
    axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:g} %")
    axes.locator_params(axis="x", nbins=3)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
