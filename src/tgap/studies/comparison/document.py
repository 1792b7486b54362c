"""The results of a comparison as rows, tables, JSON and Markdown.

JSON, version 1:

    format, version     "tgap-comparison", 1
    dataset, split, queries, checksum
    environment         versions, commit and machine, as in a run's environment.json
    bootstrap           {samples, level, seed} of the intervals
    methods             best first: {name, title, run, given, settings, training: {status, seconds, epochs}, quoted,
                        source, interval, behind, report}
        interval        [low, high] of the MRR (headline protocol)
        behind          {value, low, high, above}: the best method's MRR minus this one's, drawn pairwise; null for the
                        best
        quoted, source  a published figure, and from where; null where there is none
        report          as `tgap evaluate --json` writes it
    elsewhere           published figures of methods that are not here, by title
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tgap.data import Dataset
from tgap.evaluation.bootstrap import Bootstrap, Difference, Interval
from tgap.evaluation.breakdown import NEW_FACTS, Bucket
from tgap.evaluation.comparison import with_intervals
from tgap.evaluation.export import report_csv, report_dict
from tgap.evaluation.protocols import HEADLINE
from tgap.evaluation.report import Report
from tgap.evaluation.tables import breakdown_table, headline, notes
from tgap.studies.comparison.published import Figure, Quoted, Source, elsewhere, quoted
from tgap.studies.comparison.session import Outcome, best_first
from tgap.text import Table

FORMAT = "tgap-comparison"
VERSION = 1
SHOWN = ("evidence", "distance", "relation")  # breakdowns of a page; CSV and JSON have all


@dataclass(frozen=True)
class Row:
    """A method's line."""

    outcome: Outcome
    report: Report  # with intervals
    interval: Interval  # of the MRR, headline protocol
    behind: Difference | None  # the best method's MRR minus this one's; None for the best
    quoted: tuple[Quoted, Source] | None

    @property
    def seconds(self) -> float | None:
        """Seconds of training; None where there was none."""
        found = self.outcome.run_report.get("seconds")
        return None if found is None else float(found)


@dataclass(frozen=True)
class Comparison:
    """All methods, the best first."""

    dataset: str
    split: str
    checksum: str
    bootstrap: Bootstrap
    rows: tuple[Row, ...]
    environment: Mapping[str, Any]

    @property
    def reports(self) -> list[Report]:
        """One per method, the best first."""
        return [row.report for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document described above."""
        draws = self.bootstrap
        return {
            "format": FORMAT,
            "version": VERSION,
            "dataset": self.dataset,
            "split": self.split,
            "checksum": self.checksum,
            "queries": self.rows[0].report.queries,
            "environment": dict(self.environment),
            "bootstrap": {"samples": draws.samples, "level": draws.level, "seed": draws.seed},
            "methods": [_row_dict(row) for row in self.rows],
            "elsewhere": {figure.title: figure.line._asdict() for figure in elsewhere(self.dataset)},
        }

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def csv(self) -> str:
        """Every metric of every method, long form."""
        return report_csv(self.reports)

    def markdown(self) -> str:
        """One page: the table, its notes, the breakdowns."""
        table = main_table(self)
        body = table.markdown().removeprefix(f"## {table.title}\n\n")
        lines = "\n".join(f"- {line}" for line in footnotes(self))
        parts = [f"# {table.title}\n", body, f"{lines}\n", *(part.markdown() for part in breakdown_tables(self))]
        return "\n".join(parts)


def compare(
    outcomes: Sequence[Outcome], dataset: Dataset, bootstrap: Bootstrap, environment: Mapping[str, Any]
) -> Comparison:
    """Order the methods and draw the intervals."""
    ordered = best_first(outcomes)
    reports = with_intervals([outcome.evaluation for outcome in ordered], bootstrap)
    differences = reports[0].differences
    rows = [
        Row(
            outcome,
            report,
            report.intervals[HEADLINE.name]["mrr"],
            differences[report.scorer][HEADLINE.name]["mrr"] if report is not reports[0] else None,
            quoted(dataset.name, outcome.entry.name),
        )
        for outcome, report in zip(ordered, reports, strict=True)
    ]
    split = reports[0].split
    return Comparison(dataset.name, split, dataset.checksum, bootstrap, tuple(rows), environment)


def main_table(comparison: Comparison) -> Table:
    """Every method with its interval, its distance from the best, and what the paper quotes."""
    level = f"{100 * comparison.bootstrap.level:g}%"
    others = [name for name in comparison.rows[0].report.protocols if name != HEADLINE.name]
    columns = ("Method", "MRR", level, "Hits@1", "Hits@3", "Hits@10", "New facts", *(f"MRR {name}" for name in others))
    rows = []
    for row in comparison.rows:
        metrics = row.report.headline
        hits = (f"{100 * share:.1f}" for share in (metrics.hits1, metrics.hits3, metrics.hits10))
        cells = (row.report.scorer, f"{metrics.mrr:.3f}", _range(row.interval), *hits)
        new = _new_facts(row.report)
        cells += ("" if new is None else f"{new.metrics[HEADLINE.name].mrr:.3f}",)
        cells += tuple(f"{row.report.of(name).mrr:.3f}" for name in others)
        rows.append((*cells, _behind(row), _quoted(row), _minutes(row)))
    title = f"{headline(comparison.rows[0].report)}, {HEADLINE.name} filter"
    return Table.numbers(title, (*columns, "Behind the best", "Quoted", "Minutes trained"), tuple(rows), numbers_from=1)


def _new_facts(report: Report) -> Bucket | None:
    """The questions about facts that train has at no time; None where there are none."""
    return next((bucket for bucket in report.breakdowns["distance"] if bucket.label == NEW_FACTS), None)


def short_table(comparison: Comparison) -> Table:
    """The columns of the main table that a narrow terminal has room for."""
    whole = main_table(comparison)
    kept = [at for at, name in enumerate(whole.columns) if not name.startswith(("MRR ", "Minutes", "Hits@3"))]
    rows = tuple(tuple(row[at] for at in kept) for row in whole.rows)
    return Table.numbers(whole.title, tuple(whole.columns[at] for at in kept), rows, numbers_from=1)


def breakdown_tables(comparison: Comparison) -> list[Table]:
    """MRR of all methods by what train tells, by distance in time and by relation."""
    return [breakdown_table(comparison.reports, name) for name in SHOWN]


def footnotes(comparison: Comparison) -> list[str]:
    """What must be known to read the tables."""
    lines = [line for line in notes(comparison.reports) if not line.startswith("Ties lost-won")]
    lines.append(
        "Behind the best: the best method's MRR minus this one's on the same draws; where the interval holds 0, the "
        "order is not sure."
    )
    new = _new_facts(comparison.rows[0].report)
    if new is not None:
        lines.append(
            f"New facts: the MRR of the {new.queries:,} questions whose (subject, relation, object) is not in train at "
            "any time."
        )
    sources: dict[Source, list[str]] = {}
    for row in comparison.rows:
        if row.quoted is not None:
            sources.setdefault(row.quoted[1], []).append(row.report.scorer)
    for source, titles in sources.items():
        way = f", by way of {source.by_way_of}" if source.by_way_of else ""
        lines.append(f"Quoted, {', '.join(titles)}: {source.paper}{way}; {source.protocol}.")
    others: dict[Source, list[Figure]] = {}
    for figure in elsewhere(comparison.dataset):
        others.setdefault(figure.source, []).append(figure)
    for source, figures in others.items():
        told = ", ".join(map(_told, figures))
        lines.append(
            f"Published for this split by methods that are not here ({source.paper}; {source.protocol}): {told}."
        )
    return lines


def _told(figure: Figure) -> str:
    note = f" ({figure.line.note})" if figure.line.note else ""
    return f"{figure.title} {figure.line.mrr:.3f}{note}"


def _row_dict(row: Row) -> dict[str, Any]:
    entry, run = row.outcome.entry, row.outcome.run_report
    return {
        "name": entry.name,
        "title": entry.title,
        "run": None if entry.folder is None else str(entry.folder.path),
        "given": entry.given,
        "settings": row.outcome.config.to_dict(),
        "training": {key: run[key] for key in ("status", "seconds", "epochs") if key in run},
        "quoted": None if row.quoted is None else row.quoted[0]._asdict(),
        "source": None if row.quoted is None else row.quoted[1]._asdict(),
        "interval": [row.interval.low, row.interval.high],
        "behind": None if row.behind is None else asdict(row.behind),
        "report": report_dict(row.report),
    }


def _range(interval: Interval) -> str:
    return f"{interval.low:.3f}-{interval.high:.3f}"


def _behind(row: Row) -> str:
    return "" if row.behind is None else f"{row.behind.value:.3f} ({_range(row.behind)})"


def _quoted(row: Row) -> str:
    return "" if row.quoted is None else f"{row.quoted[0].mrr:.3f}"


def _minutes(row: Row) -> str:
    return "" if row.seconds is None else f"{row.seconds / 60:,.1f}"
