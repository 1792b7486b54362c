"""Published figures: read from ``published.toml``, which says where each comes from and how its ranks are filtered.

They stand beside results that were measured here; never subtract one from the other without reading the source.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple


class Source(NamedTuple):
    """A paper, and how its ranks are filtered."""

    paper: str
    protocol: str
    by_way_of: str = ""  # another paper, whose table has the figures


class Quoted(NamedTuple):
    """A line of a published table; hits in percent, None where it gives no number."""

    mrr: float
    hits1: float | None = None
    hits3: float | None = None
    hits10: float | None = None
    note: str = ""  # what a reader must know before comparing


class Figure(NamedTuple):
    """A published line with what it is about."""

    dataset: str
    split: str
    name: str  # of a method or a variant of T-GAP; empty for what tgap does not have
    title: str  # of what tgap does not have
    line: Quoted
    source: Source


@cache
def published() -> tuple[Figure, ...]:
    """All published figures, in the order of the file."""
    content = tomllib.loads((files("tgap.studies.comparison") / "published.toml").read_text(encoding="utf-8"))
    sources = {name: Source(**source) for name, source in content["sources"].items()}
    return tuple(figure for table in content["tables"] for figure in _figures(table, sources[table["source"]]))


def _figures(table: dict[str, Any], source: Source) -> Iterator[Figure]:
    for line in (*table.get("lines", ()), *table.get("variants", ())):
        numbers = {key: value for key, value in line.items() if key in Quoted._fields}
        names = line.get("method", ""), line.get("title", "")
        yield Figure(table["dataset"], table["split"], *names, Quoted(**numbers), source)


def quoted(dataset: str, name: str) -> tuple[Quoted, Source] | None:
    """The figure for a method or a variant of T-GAP, on exactly that dataset; None where there is none."""
    found = (figure for figure in published() if (figure.dataset, figure.name) == (dataset, name))
    return next(((figure.line, figure.source) for figure in found), None)


def elsewhere(dataset: str) -> tuple[Figure, ...]:
    """Figures for a dataset of methods, or of sizes of methods, that tgap does not have."""
    return tuple(figure for figure in published() if figure.dataset == dataset and figure.title)
