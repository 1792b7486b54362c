"""Accuracy against cost over the size of T-GAP's sample: a run asked with each size, or trained anew with each."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from tgap.compare.document import Comparison
from tgap.compare.variants import SIZES, asked_values
from tgap.evaluation.bootstrap import Bootstrap
from tgap.evaluation.comparison import with_intervals
from tgap.evaluation.protocols import HEADLINE
from tgap.evaluation.scoring import Progress, evaluate
from tgap.evaluation.tables import Table
from tgap.runs.files import write_bytes, write_text
from tgap.runs.folder import RunFolder
from tgap.runs.load import load_scorer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KINDS = {"asked": "asked with it", "trained": "trained and asked with it"}


class Point(NamedTuple):
    """A size and what it brings."""

    kind: str  # asked: the weights of a run; trained: weights of its own
    x: int
    y: int
    z: int
    mrr: float  # headline protocol
    low: float
    high: float
    milliseconds: float  # per query: of answering if asked, of training if trained


def ask_sizes(folder: RunFolder, split: str, limit: int | None, progress: Progress) -> list[Point]:
    """The same weights with every size, on the same queries; scoring is timed without loading and warming up."""
    points = []
    for done, size in enumerate(SIZES):
        progress(done, len(SIZES))
        loaded = load_scorer(folder.path, asked_values(size))
        batch = loaded.config.evaluation.batch_size
        evaluate(loaded.scorer, loaded.dataset, split, batch_size=batch, limit=2 * batch)  # compiled, caches begun
        found = evaluate(loaded.scorer, loaded.dataset, split, batch_size=batch, limit=limit)
        (report,) = with_intervals([found], Bootstrap())
        interval = report.intervals[HEADLINE.name]["mrr"]
        cost = 1000 * found.report.seconds / found.report.queries
        points.append(Point("asked", *size, found.report.headline.mrr, interval.low, interval.high, cost))
    progress(len(SIZES), len(SIZES))
    return points


def of_training(comparison: Comparison) -> list[Point]:
    """The rows of a comparison of trained sizes; validations are not part of the cost."""
    points = []
    for row in comparison.rows:
        model: Any = row.outcome.config.model
        assert row.outcome.entry.folder is not None, "a size is trained"
        speeds = [line["queries_per_second"] for line in row.outcome.entry.folder.metrics() if line["kind"] == "steps"]
        size = (model.core_nodes, model.sampled_edges, model.added_edges)
        found = (row.report.headline.mrr, row.interval.low, row.interval.high)
        points.append(Point("trained", *size, *found, 1000 / median(speeds)))
    return sorted(points)


def dial_table(points: list[Point], split: str) -> Table:
    """All points, by kind and size."""
    rows = tuple(
        (
            _KINDS[point.kind],
            str(point.x),
            str(point.y),
            str(point.z),
            f"{point.mrr:.3f}",
            f"{point.low:.3f}-{point.high:.3f}",
            f"{point.milliseconds:.2f}",
        )
        for point in points
    )
    columns = ("Size", "x", "y", "z", "MRR", "95%", "ms per query")
    return Table(f"Accuracy against cost, {split}, {HEADLINE.title}", columns, rows, numbers_from=1)


def write_dial(folder: Path, points: list[Point], split: str) -> None:
    """Table, numbers and figure."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "dial.md", dial_table(points, split).markdown())
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(Point._fields)
    writer.writerows(points)
    write_text(folder / "dial.csv", text.getvalue())
    buffer = io.BytesIO()
    dial_figure(points, split).savefig(buffer, format="png", dpi=120)
    write_bytes(folder / "dial.png", buffer.getvalue())


def dial_figure(points: list[Point], split: str) -> Figure:
    """One panel per kind: milliseconds per query to the right, MRR upwards."""
    from matplotlib.figure import Figure  # noqa: PLC0415  half a second that only this needs

    kinds = list(dict.fromkeys(point.kind for point in points))
    figure = Figure(figsize=(5.5 * len(kinds), 4), layout="constrained")
    for panel, kind in zip(figure.subplots(1, len(kinds), squeeze=False)[0], kinds, strict=True):
        these = [point for point in points if point.kind == kind]
        cost, mrr = [point.milliseconds for point in these], [point.mrr for point in these]
        errors = [[point.mrr - point.low for point in these], [point.high - point.mrr for point in these]]
        panel.errorbar(cost, mrr, yerr=errors, fmt="o", color="#4477aa", capsize=3)
        for place, point in enumerate(these):
            beside = (6, 5 if place % 2 else -12)  # neighbours may cost nearly the same
            panel.annotate(
                f"{point.x}/{point.y}/{point.z}",
                (point.milliseconds, point.mrr),
                xytext=beside,
                textcoords="offset points",
                fontsize=8,
            )
        panel.margins(x=0.3)
        panel.set_title(f"{_KINDS[kind]} (x/y/z)", fontsize=10)
        panel.set_xlabel(f"ms per query of {'training' if kind == 'trained' else 'answering'}")
        panel.set_ylabel(f"MRR, {split}, {HEADLINE.title}")
    return figure
