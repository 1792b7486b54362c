"""Accuracy against cost over the size of T-GAP's sample: a run asked with each size, or trained anew with each."""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, ClassVar

from tgap.evaluation.bootstrap import Bootstrap
from tgap.evaluation.comparison import with_intervals
from tgap.evaluation.protocols import HEADLINE
from tgap.evaluation.scoring import Progress, evaluate
from tgap.runs.files import write_bytes, write_text
from tgap.studies.comparison.document import Comparison
from tgap.studies.comparison.variants import SIZES, asked_values
from tgap.studies.other_settings import with_settings
from tgap.studies.result import StudyResult
from tgap.text import Table
from tgap.training.interruption import Interruption

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tgap.asking.model import Model

_KINDS = {"asked": "asked with it", "trained": "trained and asked with it"}


@dataclass(frozen=True, order=True)
class Point:
    """A size and what it brings."""

    kind: str  # asked: the weights of a run; trained: weights of its own
    x: int
    y: int
    z: int
    mrr: float  # headline protocol
    low: float
    high: float
    milliseconds: float  # per query: of answering if asked, of training if trained


@dataclass(frozen=True)
class Dial(StudyResult):
    """Accuracy against cost over the sizes of the sample."""

    VERSION: ClassVar[str] = "tgap.dial/1"

    dataset: str
    split: str
    points: tuple[Point, ...]


def ask_sizes(
    model: Model,
    split: str,
    limit: int | None,
    progress: Progress | None = None,
    interruption: Interruption | None = None,
) -> list[Point]:
    """The same weights with every size, on the same queries; scoring is timed without loading and warming up."""

    def check(*_: int) -> None:
        if interruption is not None:
            interruption.check()

    points = []
    for done, size in enumerate(SIZES):
        if progress is not None:
            progress(done, len(SIZES))
        sized = with_settings(model, asked_values(size))
        assert sized.config is not None, "a model of a run"
        ask = partial(evaluate, sized.scorer, sized.dataset, split, batch_size=sized.config.evaluation.batch_size)
        ask(limit=2 * sized.config.evaluation.batch_size, progress=check)  # compiled, caches begun
        found = ask(limit=limit, progress=check)
        (report,) = with_intervals([found], Bootstrap())
        interval = report.intervals[HEADLINE.name]["mrr"]
        cost = 1000 * found.report.seconds / found.report.queries
        points.append(Point("asked", *size, found.report.headline.mrr, interval.low, interval.high, cost))
    if progress is not None:
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


def dial_table(found: Dial) -> Table:
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
        for point in found.points
    )
    columns = ("Size", "x", "y", "z", "MRR", "95%", "ms per query")
    return Table.numbers(f"Accuracy against cost, {found.split}, {HEADLINE.title}", columns, rows, numbers_from=1)


def dial_csv(found: Dial) -> str:
    """All points as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(field.name for field in fields(Point))
    writer.writerows(astuple(point) for point in found.points)
    return text.getvalue()


def draw_dial(found: Dial, file_format: str = "png") -> bytes:
    """The figure as the bytes of a PNG, SVG or PDF file."""
    buffer = io.BytesIO()
    dial_figure(found).savefig(buffer, format=file_format, dpi=120)
    return buffer.getvalue()


def write_dial(folder: Path, found: Dial) -> None:
    """Table, numbers and figure in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "dial.md", dial_table(found).markdown())
    write_text(folder / "dial.csv", dial_csv(found))
    write_bytes(folder / "dial.png", draw_dial(found))


def dial_figure(found: Dial) -> Figure:
    """One panel per kind: milliseconds per query to the right, MRR upwards."""
    from matplotlib.figure import Figure  # noqa: PLC0415  half a second that only this needs

    kinds = list(dict.fromkeys(point.kind for point in found.points))
    figure = Figure(figsize=(5.5 * len(kinds), 4), layout="constrained")
    for panel, kind in zip(figure.subplots(1, len(kinds), squeeze=False)[0], kinds, strict=True):
        these = [point for point in found.points if point.kind == kind]
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
        panel.set_ylabel(f"MRR, {found.split}, {HEADLINE.title}")
    return figure
