"""Reliability curve: how often answers were right, against the probability that they were given."""

from __future__ import annotations

from matplotlib.figure import Figure

from tgap.drawing.palette import ANSWER, BASE, GRID, INK, MUTED
from tgap.evaluation.calibration import Calibration


def calibration_figure(title: str, found: Calibration) -> Figure:
    """Raw bins, the rising map through them, and below how many answers each bin has. Perfect is the diagonal."""
    figure = Figure(figsize=(5.6, 6.2), facecolor="white")
    curve, counts = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    bins = found.raw.bins
    curve.plot([0, 1], [0, 1], color=BASE, linewidth=1, label="perfect")
    raw = f"as given (error {100 * found.raw.error:.1f} %)"
    curve.plot([entry.mean for entry in bins], [entry.right for entry in bins], color=ANSWER, marker="o", label=raw)
    fitted = f"calibrated (error {100 * found.calibrated.error:.1f} %)"
    given, wanted = zip(*found.knots, strict=True)
    curve.plot(given, wanted, color=MUTED, linestyle="--", linewidth=1.2, label=fitted)
    curve.set_ylabel("part that was right", fontsize=9)
    curve.set_ylim(0, 1)
    curve.legend(fontsize=8, frameon=False, loc="upper left")
    counts.bar(
        [entry.low for entry in bins],
        [entry.answers for entry in bins],
        width=[entry.high - entry.low for entry in bins],
        align="edge",
        color=BASE,
        edgecolor="white",
    )
    counts.set_yscale("log")
    counts.set_ylabel("answers", fontsize=9)
    counts.set_xlabel("probability that was given", fontsize=9)
    counts.set_xlim(0, 1)
    for axes in (curve, counts):
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=8)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    figure.suptitle(title, fontsize=11, fontweight="bold", color=INK)
    figure.tight_layout()
    return figure
