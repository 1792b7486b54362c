"""Reports as files for machines: JSON (everything about one scorer) and CSV (long form, every scorer).

JSON, version 1. Hits are shares from 0 to 1. Figures are objects {mrr, hits1, hits3, hits10, mean_rank}; a set of
figures is {raw, static, time}, one for each protocol.

    format, version       "tgap-evaluation", 1
    scorer, dataset, split
    raw, static, time     figures of all queries, both directions, mean ties
    optimistic, pessimistic   the same set for the other two tie rules
    directions            {tail, head}: each {raw, static, time, optimistic, pessimistic}; one that a small sample
                          misses is left out
    queries               {ranked, available, distinct, tail, head, seed}: seed of a random sample, else null
    entities              competitors of an answer, itself included
    unseen                {queries, subject, answer}: queries with entities that train lacks
    leaked                queries whose fact stands word for word in train
    unit                  of the timeline: what the buckets of "distance" count
    seconds               scoring and ranking
    breakdowns            {relation, degree, answers, distance, seen}: lists of {bucket, queries, raw, static, time}
    baselines             by name a set of figures (empty where none were run)

A change that could break a reader of these keys raises ``VERSION``; new keys do not.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tgap.evaluation.metrics import METRICS, Metrics
from tgap.evaluation.ranks import PROTOCOLS
from tgap.evaluation.report import Report

FORMAT = "tgap-evaluation"
VERSION = 1
COLUMNS = ("scorer", "dataset", "split", "breakdown", "bucket", "direction", "ties", "filter", "queries", *METRICS)


def report_dict(report: Report, baselines: Sequence[Report] = ()) -> dict[str, Any]:
    """The JSON object described above."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "scorer": report.scorer,
        "dataset": report.dataset,
        "split": report.split,
        **_by_ties(report.figures["both"]),
        "directions": {
            direction: _by_ties(figures) for direction, figures in report.figures.items() if direction != "both"
        },
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
        "baselines": {other.scorer: _set(other.figures["both"]["mean"]) for other in baselines},
    }


def report_json(report: Report, baselines: Sequence[Report] = ()) -> str:
    """JSON text, one figure a line, names as they are."""
    return json.dumps(report_dict(report, baselines), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def report_csv(reports: Sequence[Report]) -> str:
    """CSV text in long form: one line for each scorer, bucket, direction, tie rule and protocol."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for report in reports:
        writer.writerows((report.scorer, report.dataset, report.split, *line) for line in _lines(report))
    return text.getvalue()


def _lines(report: Report) -> Iterator[tuple[Any, ...]]:
    for direction, by_ties in report.figures.items():
        for ties, by_protocol in by_ties.items():
            for protocol, figures in by_protocol.items():
                yield ("all", "all", direction, ties, protocol, report.counts[direction], *_values(figures))
    for name, buckets in report.breakdowns.items():
        for bucket in buckets:
            for protocol, figures in bucket.metrics.items():
                yield (name, bucket.label, "both", "mean", protocol, bucket.queries, *_values(figures))


def _by_ties(figures: Mapping[str, Mapping[str, Metrics]]) -> dict[str, Any]:
    return {
        **_set(figures["mean"]),
        "optimistic": _set(figures["optimistic"]),
        "pessimistic": _set(figures["pessimistic"]),
    }


def _set(figures: Mapping[str, Metrics]) -> dict[str, dict[str, float]]:
    return {protocol: asdict(figures[protocol]) for protocol in PROTOCOLS}


def _values(figures: Metrics) -> tuple[float, ...]:
    return tuple(getattr(figures, name) for name in METRICS)
