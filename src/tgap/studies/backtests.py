"""Backtest: what forecasts would have been worth, origin by origin.

Time is cut into windows of equal length. Every fact of a window is asked in both directions, by scorers that see only
what lies before; three kinds of past can be compared:

* single step   every fact before the asked time: facts join the graph as they happen
* origin        every fact before the window: what could be said when it began
* frozen        the facts of train alone, however old they have become

No weight changes between windows. The difference of the first and the last is what context alone keeps up while a model
ages. Windows that hold training facts are refused: a model that learned a fact would be asked for it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tgap.capabilities import under_setting
from tgap.data import Dataset, Facts
from tgap.errors import EvaluationError, Option
from tgap.evaluation.metrics import METRICS, Metrics
from tgap.evaluation.protocols import HEADLINE, Filters
from tgap.evaluation.queries import queries_of
from tgap.evaluation.scoring import evaluate_queries
from tgap.graph.setting import CONTEXTS, EvaluationSetting
from tgap.scorer import Scorer
from tgap.text import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMAT = "tgap-backtest"
VERSION = 1
PASTS = ("single step", "origin", "frozen")


@dataclass(frozen=True)
class Window:
    """A stretch of time, both ends included."""

    first: int
    last: int

    def name(self, dataset: Dataset) -> str:
        """As tables call it."""
        first, last = (dataset.timeline.format(end) for end in (self.first, self.last))
        return first if self.first == self.last else f"{first} to {last}"


@dataclass(frozen=True)
class Line:
    """One scorer under one kind of past: metrics (headline protocol) in every window, None where nothing is asked."""

    scorer: str
    past: str
    metrics: tuple[Metrics | None, ...]

    @property
    def title(self) -> str:
        """In tables and legends."""
        return f"{self.scorer}, {self.past}"


@dataclass(frozen=True)
class Backtest:
    """Lines over windows."""

    dataset: Dataset
    windows: tuple[Window, ...]
    queries: tuple[int, ...]  # asked in each window
    lines: tuple[Line, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document: every metric of every line."""
        timeline = self.dataset.timeline
        return {
            "format": FORMAT,
            "version": VERSION,
            "dataset": self.dataset.name,
            "checksum": self.dataset.checksum,
            "filter": HEADLINE.name,
            "windows": [
                {"first": timeline.format(window.first), "last": timeline.format(window.last), "queries": queries}
                for window, queries in zip(self.windows, self.queries, strict=True)
            ],
            "lines": [
                {
                    "scorer": line.scorer,
                    "past": line.past,
                    "all": _plain(_pooled(self, line)),
                    "windows": [_plain(metrics) for metrics in line.metrics],
                }
                for line in self.lines
            ],
        }

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)


def make_windows(dataset: Dataset, first: int, last: int, step: int) -> list[Window]:
    """Windows of ``step`` units from ``first`` to ``last``; the last one may be shorter."""
    if first > last:
        names = [dataset.timeline.format(end) for end in (first, last)]
        raise EvaluationError(f"the backtest begins {names[0]} and ends {names[1]}; swap them")
    learned = int(dataset.train.time.max(initial=-1))
    if first <= learned:
        raise EvaluationError(
            f"the backtest begins {dataset.timeline.format(first)}, but train goes on until "
            f"{dataset.timeline.format(learned)}; begin later, or divide the dataset by time: ",
            Option("split"),
            " chronological",
        )
    return [Window(begin, min(begin + step - 1, last)) for begin in range(first, last + 1, step)]


def setting_at(past: str, window: Window) -> EvaluationSetting:
    """What is known in a window under a kind of past."""
    known = EvaluationSetting(CONTEXTS["train" if past == "frozen" else "all"]).past_only()
    return known.until(window.first - 1) if past == "origin" else known


def run_backtest(
    scorers: Sequence[Scorer],
    dataset: Dataset,
    windows: Sequence[Window],
    pasts: Sequence[str],
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Backtest:
    """Ask every scorer in every window; ``limit``: at most so many queries of a window, drawn with ``seed``."""
    filters, facts = Filters.of(dataset), Facts.concatenate(list(dataset.parts.values()))
    asked = []
    for window in windows:
        inside = facts[(facts.time >= window.first) & (facts.time <= window.last)]
        queries = queries_of(inside, dataset.num_relations)
        asked.append(queries.sample(limit, seed) if limit is not None and len(queries) else queries)
    total, done = len(scorers) * len(pasts) * sum(map(len, asked)), 0
    lines = []
    for scorer in scorers:
        for past in pasts:
            metrics: list[Metrics | None] = []
            known = under_setting(scorer, dataset, setting_at(past, windows[0]))
            for window, queries in zip(windows, asked, strict=True):
                if not len(queries):
                    metrics.append(None)
                    continue
                limited = under_setting(known, dataset, setting_at(past, window))
                name = window.name(dataset)
                found = evaluate_queries(limited, dataset, name, queries, seed=seed, filters=filters)
                metrics.append(found.report.of(HEADLINE.name))
                done += len(queries)
                if progress is not None:
                    progress(done, total)
            lines.append(Line(scorer.name, past, tuple(metrics)))
    return Backtest(dataset, tuple(windows), tuple(map(len, asked)), tuple(lines))


def backtest_table(found: Backtest) -> Table:
    """MRR of every line in every window, and over all of them."""
    rows = [
        (window.name(found.dataset), f"{queries:,}", *(_cell(line.metrics[at]) for line in found.lines))
        for at, (window, queries) in enumerate(zip(found.windows, found.queries, strict=True))
    ]
    rows.append(("all", f"{sum(found.queries):,}", *(_cell(_pooled(found, line)) for line in found.lines)))
    columns = ("Window", "Queries", *(line.title for line in found.lines))
    title = f"{found.dataset.name}: MRR ({HEADLINE.name} filter) in windows of time, only the past is seen"
    return Table.numbers(title, columns, tuple(rows), numbers_from=1)


def draw_backtest(found: Backtest, form: str) -> bytes:
    """The lines over time, as png, svg or pdf."""
    buffer = io.BytesIO()
    backtest_figure(found).savefig(buffer, format=form, dpi=120)
    return buffer.getvalue()


def backtest_figure(found: Backtest) -> Figure:
    """A picture of the lines; those of one scorer share a colour, each kind of past has its own dashes."""
    from matplotlib.figure import Figure  # noqa: PLC0415  half a second that only this needs

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    colours = {name: f"C{at}" for at, name in enumerate(dict.fromkeys(line.scorer for line in found.lines))}
    dashes = dict(zip(PASTS, ("-", "--", ":"), strict=True))
    for line in found.lines:
        heights = [float("nan") if metrics is None else metrics.mrr for metrics in line.metrics]
        axes.plot(heights, dashes[line.past], color=colours[line.scorer], marker=".", label=line.title)
    names = [found.dataset.timeline.format(window.first) for window in found.windows]
    every = max(1, len(names) // 9)
    axes.set_xticks(range(0, len(names), every), names[::every], rotation=25, ha="right")
    axes.set(ylabel=f"MRR, {HEADLINE.title}", title=f"{found.dataset.name}: forecasts by window")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return figure


def _pooled(found: Backtest, line: Line) -> Metrics | None:
    """Means over all queries of all windows."""
    weighted = [(metrics, queries) for metrics, queries in zip(line.metrics, found.queries, strict=True) if metrics]
    total = sum(queries for _, queries in weighted)
    if not total:
        return None
    first = weighted[0][0]
    sums = {name: sum(getattr(metrics, name) * queries for metrics, queries in weighted) for name in METRICS}
    return replace(first, **{name: value / total for name, value in sums.items()})


def _cell(metrics: Metrics | None) -> str:
    return "-" if metrics is None else f"{metrics.mrr:.3f}"


def _plain(metrics: Metrics | None) -> dict[str, float] | None:
    return None if metrics is None else {name: getattr(metrics, name) for name in METRICS}
