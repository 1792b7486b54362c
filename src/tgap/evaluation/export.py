"""Reports as files for machines: JSON (everything about one scorer) and CSV (long form, every scorer).

JSON, version 1. Hits are shares from 0 to 1. Metrics are objects {mrr, hits1, hits3, hits10, mean_rank}; a set has one
for each protocol under its name: {raw, static, time}.

    format, version       "tgap-evaluation", 1
    scorer, dataset, split
    known                 what the scorer answered from: {name, sentence, context, past_only, as_of, window, usual}
    raw, static, time     metrics of all queries, both directions, mean ties
    protocols             their names; the headline protocol is named in "headline"
    optimistic, pessimistic   the same set for the other two tie rules
    directions            {tail, head}: each {raw, static, time, optimistic, pessimistic}; one that a small sample
                          misses is left out
    queries               {ranked, available, distinct, tail, head, seed}: seed of a random sample, else null
    entities              competitors of an answer, itself included
    unseen                {queries, subject, answer}: queries with entities that train lacks
    leaked                queries whose fact stands word for word in train
    unit                  of the timeline: what the buckets of "distance" count
    seconds               scoring and ranking
    breakdowns            {relation, degree, answers, distance, seen, evidence}: lists of {bucket, queries} and a set
    baselines             by name a set of metrics (empty where none were run)
    bootstrap, intervals, differences   only where intervals were asked for: {samples, level, seed}; by protocol and
                          metric {low, high}; by the other scorer's name, protocol and metric {value, low, high, above}

A change that could break a reader of these keys raises ``VERSION``; new keys do not.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tgap.evaluation.bootstrap import Interval
from tgap.evaluation.metrics import METRICS, Metrics
from tgap.evaluation.protocols import HEADLINE
from tgap.evaluation.report import Report

FORMAT = "tgap-evaluation"
VERSION = 1
_BOUNDS = tuple(f"{name}_{bound}" for name in METRICS for bound in ("low", "high"))
COLUMNS = (
    *("scorer", "dataset", "split", "known", "breakdown", "bucket", "direction", "ties", "filter", "queries"),
    *METRICS,
    *_BOUNDS,
)


def report_dict(report: Report, baselines: Sequence[Report] = ()) -> dict[str, Any]:
    """The JSON object described above."""
    document = {
        "format": FORMAT,
        "version": VERSION,
        "scorer": report.scorer,
        "dataset": report.dataset,
        "split": report.split,
        "known": asdict(report.known),
        "protocols": list(report.protocols),
        "headline": HEADLINE.name,
        "directions": {direction: _by_ties(part) for direction, part in report.metrics.items() if direction != "both"},
        "queries": {
            "ranked": report.queries,
            "available": report.available,
            "distinct": report.distinct,
            "tail": report.counts.get("tail", 0),
            "head": report.counts.get("head", 0),
            "seed": report.seed,
        },
        "entities": report.num_entities,
        "unseen": asdict(report.unseen),
        "leaked": report.leaked,
        "unit": report.unit,
        "seconds": round(report.seconds, 3),
        "breakdowns": {
            name: [{"bucket": part.label, "queries": part.queries, **_set(part.metrics)} for part in buckets]
            for name, buckets in report.breakdowns.items()
        },
        "baselines": {other.scorer: _set(other.metrics["both"]["mean"]) for other in baselines},
    }
    if report.bootstrap is not None:
        document |= {
            "bootstrap": asdict(report.bootstrap),
            "intervals": {
                protocol: {name: {"low": found.low, "high": found.high} for name, found in part.items()}
                for protocol, part in report.intervals.items()
            },
            "differences": {
                other: {
                    protocol: {name: asdict(found) for name, found in part.items()} for protocol, part in found.items()
                }
                for other, found in report.differences.items()
            },
        }
    headlines = _by_ties(report.metrics["both"])
    assert not document.keys() & headlines.keys(), "a protocol is named like another key of the report"
    return {**document, **headlines}


def report_json(report: Report, baselines: Sequence[Report] = ()) -> str:
    """JSON text, one value a line, names as they are."""
    return json.dumps(report_dict(report, baselines), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def report_csv(reports: Sequence[Report]) -> str:
    """CSV text in long form: one line for each scorer, bucket, direction, tie rule and protocol.

    Where intervals were drawn, lines of all queries have bounds, and the breakdown "difference" has this scorer minus
    the one named in "bucket".
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for report in reports:
        about = (report.scorer, report.dataset, report.split, report.known.name)
        writer.writerows((*about, *line) for line in _lines(report))
    return text.getvalue()


def _lines(report: Report) -> Iterator[tuple[Any, ...]]:
    for direction, by_ties in report.metrics.items():
        for ties, by_protocol in by_ties.items():
            for protocol, metrics in by_protocol.items():
                inner = report.intervals.get(protocol) if (direction, ties) == ("both", "mean") else None
                values = (*_values(metrics), *_bounds(inner))
                yield ("all", "all", direction, ties, protocol, report.counts[direction], *values)
    for name, buckets in report.breakdowns.items():
        for bucket in buckets:
            for protocol, metrics in bucket.metrics.items():
                values = (*_values(metrics), *_bounds(None))
                yield (name, bucket.label, "both", "mean", protocol, bucket.queries, *values)
    for other, differences in report.differences.items():
        for protocol, drawn in differences.items():
            values = (*(drawn[name].value for name in METRICS), *_bounds(drawn))
            yield ("difference", other, "both", "mean", protocol, report.queries, *values)


def _by_ties(metrics: Mapping[str, Mapping[str, Metrics]]) -> dict[str, Any]:
    """The mean rule's set stands by itself, the other rules' under their names."""
    return {**_set(metrics["mean"]), **{ties: _set(part) for ties, part in metrics.items() if ties != "mean"}}


def _set(metrics: Mapping[str, Metrics]) -> dict[str, dict[str, float]]:
    return {protocol: asdict(part) for protocol, part in metrics.items()}


def _values(metrics: Metrics) -> tuple[float, ...]:
    return tuple(getattr(metrics, name) for name in METRICS)


def _bounds(drawn: Mapping[str, Interval] | None) -> tuple[float | None, ...]:
    """Low and high of each metric; empty cells where none were drawn."""
    if drawn is None:
        return (None,) * len(_BOUNDS)
    return tuple(bound for name in METRICS for bound in (drawn[name].low, drawn[name].high))
