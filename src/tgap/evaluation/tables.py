"""Reports as tables for people: plain text cells that a terminal or a Markdown page can lay out.

Hits are in percent here, as papers print them; files for machines (``export``) hold shares from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tgap.data import CATALOG
from tgap.evaluation.bootstrap import Interval
from tgap.evaluation.breakdown import BREAKDOWNS
from tgap.evaluation.metrics import Metrics
from tgap.evaluation.protocols import HEADLINE, PROTOCOLS, headline_of
from tgap.evaluation.report import Report
from tgap.text import Block, Line, Table

_INTERVALS = (("mrr", 1, 3), ("hits1", 100, 1), ("hits10", 100, 1))  # metric, scale and digits
RELATIONS_SHOWN = 15  # the relation breakdown of a page stops here; CSV and JSON have all

_TITLES = {
    "relation": "relation (both directions)",
    "degree": "train events of the query's subject",
    "answers": "true answers at that time",
    "distance": "{unit}s to the nearest train event with the same subject, relation and object",
    "seen": "entities known from train",
    "evidence": "what train tells about the fact, the first that holds",
    "end": "which end of an interval is asked about",
}


def results_table(reports: Sequence[Report], protocols: Sequence[str] | None = None) -> Table:
    """Each scorer under each protocol (all unless some are named), with the MRR if it lost or won all ties."""
    rows, protocols = [], protocols or reports[0].protocols
    for report in reports:
        for protocol in protocols:
            worst, best = (report.of(protocol, ties).mrr for ties in ("pessimistic", "optimistic"))
            name = report.scorer if protocol == protocols[0] else ""
            rows.append((name, protocol, *_cells(report.of(protocol)), f"{worst:.3f}-{best:.3f}"))
    columns = ("Method", "Filter", "MRR", "Hits@1", "Hits@3", "Hits@10", "Mean rank", "Ties lost-won")
    return Table.numbers(headline(reports[0]), columns, tuple(rows), numbers_from=2, block=len(protocols))


def headline(report: Report) -> str:
    """Dataset, split, what was known unless that is the usual, and number of queries."""
    kind = "a random sample" if report.seed is not None else "those at hand"
    sample = f" of {report.available:,}, {kind}" if report.queries < report.available else ""
    known = "" if report.known.usual else f", {report.known.name}"
    return f"{report.dataset}, {report.split}{known}: {report.queries:,} queries{sample}"


def directions_table(reports: Sequence[Report], protocols: Sequence[str] | None = None) -> Table:
    """Tail queries (s, r, ?, t) and head queries (?, r, o, t) apart."""
    rows, protocols = [], protocols or reports[0].protocols
    for report in reports:
        for protocol in protocols:
            name = report.scorer if protocol == protocols[0] else ""
            parts = [report.metrics.get(direction) for direction in ("tail", "head")]
            cells = [_short_cells(part["mean"][protocol] if part else None) for part in parts]
            rows.append((name, protocol, *cells[0], *cells[1]))
    columns = ("Method", "Filter", "Tail MRR", "H@1", "H@10", "Head MRR", "H@1", "H@10")
    return Table.numbers(
        "Tail (s, r, ?, t) and head (?, r, o, t) apart", columns, tuple(rows), numbers_from=2, block=len(protocols)
    )


def interval_tables(reports: Sequence[Report], protocols: Sequence[str] | None = None) -> list[Table]:
    """Bootstrap intervals of each scorer, and of what the first has more than the others; none if none were drawn."""
    first, protocols = reports[0], protocols or reports[0].protocols
    if first.bootstrap is None:
        return []
    level = f"{first.bootstrap.level:.0%} intervals"
    own = {report.scorer: report.intervals for report in reports}
    found = [_interval_table(f"{level} of each method", "Method", own, protocols, signed=False)]
    if first.differences:
        title = f"{level} of {first.scorer} minus another method, on the same queries"
        found.append(_interval_table(title, "Against", first.differences, protocols, signed=True))
    return found


def _interval_table(
    title: str,
    heading: str,
    drawn: Mapping[str, Mapping[str, Mapping[str, Interval]]],
    protocols: Sequence[str],
    signed: bool,
) -> Table:
    rows = []
    for name, found in drawn.items():
        for protocol in protocols:
            cells = [
                _bounds(found[protocol][metric], scale, digits, signed=signed) for metric, scale, digits in _INTERVALS
            ]
            rows.append((name if protocol == protocols[0] else "", protocol, *cells))
    columns = (heading, "Filter", "MRR", "Hits@1", "Hits@10")
    return Table.numbers(title, columns, tuple(rows), numbers_from=2, block=len(protocols))


def _bounds(drawn: Interval, scale: int, digits: int, *, signed: bool) -> str:
    low, high = (f"{bound * scale:{'+' if signed else ''}.{digits}f}" for bound in (drawn.low, drawn.high))
    return f"{low} to {high}"


def breakdown_table(reports: Sequence[Report], name: str, protocol: str = HEADLINE.name) -> Table:
    """Buckets of the first report with the MRR of every scorer side by side."""
    first, *others = reports
    buckets = first.breakdowns[name]
    shown = buckets[:RELATIONS_SHOWN] if name == "relation" else buckets
    beside = [{bucket.label: bucket.metrics[protocol] for bucket in other.breakdowns[name]} for other in others]
    rows = tuple(
        (
            bucket.label,
            f"{bucket.queries:,}",
            f"{bucket.queries / first.queries:.1%}",
            f"{bucket.metrics[protocol].mrr:.3f}",
            *(f"{metrics[bucket.label].mrr:.3f}" for metrics in beside),
        )
        for bucket in shown
    )
    cut = f", the {len(shown)} most asked of {len(buckets)}" if len(shown) < len(buckets) else ""
    columns = (name.capitalize(), "Queries", "Share", *(report.scorer for report in reports))
    title = _TITLES[name].format(unit="step" if first.unit == "integer" else first.unit)
    return Table.numbers(f"MRR ({protocol} filter) by {title}{cut}", columns, rows, numbers_from=1)


def notes(reports: Sequence[Report], protocols: Sequence[str] | None = None) -> list[str]:
    """What must be said under every table: protocol, ties, and whatever is odd about the data."""
    first = reports[0]
    lines = [] if first.known.usual else [f"Known ({first.known.name}): {first.known.sentence}."]
    lines += [f"Filter {name}: {PROTOCOLS[name].rule}." for name in protocols or first.protocols]
    lines.append("Ties: mean rule, half of the entities with the answer's score count before it.")
    lines.append("Ties lost-won: the MRR if all of them, or none, counted so. Hits in percent.")
    if first.bootstrap is not None:
        drawn = first.bootstrap
        lines.append(
            f"Intervals: {drawn.level:.0%} of {drawn.samples:,} bootstrap draws of the facts, both queries of a fact "
            f"together, seed {drawn.seed}."
        )
    if first.seed is not None:
        lines.append(f"Sample: {first.queries:,} of {first.available:,} queries, drawn with seed {first.seed}.")
    if first.unseen.queries:
        lines.append(f"Unseen: {first.unseen.queries:,} queries hold an entity that train lacks; they count.")
    if first.leaked:
        clean = CATALOG[first.dataset].clean if first.dataset in CATALOG else ""
        remedy = f" {clean} is free of them." if clean else ""
        lines.append(
            f"Leak: {first.leaked:,} queries ask for a fact that stands word for word in train, so the metrics are "
            f"too good.{remedy}"
        )
    lines.append("Seconds: " + ", ".join(f"{report.scorer} {report.seconds:,.1f}" for report in reports) + ".")
    return lines


def report_blocks(reports: Sequence[Report], protocols: Sequence[str], details: bool) -> Iterator[Block]:
    """All tables, then the notes; ``details`` adds the breakdowns."""
    yield results_table(reports, protocols)
    yield from interval_tables(reports, protocols)
    yield directions_table(reports, protocols)
    if details:
        names = [name for name in BREAKDOWNS if name in reports[0].breakdowns]
        yield from (breakdown_table(reports, name, headline_of(protocols)) for name in names)
    yield from map(Line, notes(reports, protocols))


def markdown_page(reports: Sequence[Report], protocols: Sequence[str] | None = None) -> str:
    """All tables and notes as one Markdown page; the first report is the one that was asked for."""
    first, protocols = reports[0], protocols or reports[0].protocols
    rules = "\n".join(f"- {line}" for line in notes(reports, protocols))
    tables = [
        *interval_tables(reports, protocols),
        directions_table(reports, protocols),
        *(breakdown_table(reports, name, headline_of(protocols)) for name in BREAKDOWNS if name in first.breakdowns),
    ]
    result = results_table(reports, protocols).markdown().removeprefix(f"## {headline(first)}\n\n")
    return "\n".join([f"# {headline(first)}\n", result, f"{rules}\n", *(table.markdown() for table in tables)])


def _cells(metrics: Metrics) -> tuple[str, ...]:
    hits = (f"{100 * share:.1f}" for share in (metrics.hits1, metrics.hits3, metrics.hits10))
    return (f"{metrics.mrr:.3f}", *hits, f"{metrics.mean_rank:,.1f}")


def _short_cells(metrics: Metrics | None) -> tuple[str, ...]:
    if metrics is None:  # a small sample may miss a direction
        return ("-", "-", "-")
    return (f"{metrics.mrr:.3f}", f"{100 * metrics.hits1:.1f}", f"{100 * metrics.hits10:.1f}")
