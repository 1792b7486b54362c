"""Datasets as files for other programs: CSV, tab separated, JSON lines, Parquet, N-Quads.

RDF has no standard way to say when a triple holds. What all its tools can read is a named graph for each instant
(N-Quads) whose time is told in the default graph by OWL-Time; that is what is written here.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from tgap.data.dataset import SPLITS, Dataset
from tgap.data.facts import COLUMNS, Facts
from tgap.data.frames import frame_of
from tgap.data.time import Timeline
from tgap.errors import DataError, Option

if TYPE_CHECKING:
    import polars as pl

    from tgap.data.facts import Int64Array

SUFFIXES = {
    "csv": "csv",
    "tsv": "tsv",
    "txt": "tsv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "parquet": "parquet",
    "nq": "nquads",
}
_BASE = "urn:tgap"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_TIME = "http://www.w3.org/2006/time#"
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
# How OWL-Time says an instant of each unit: property, type of the literal, style of its text.
_INSTANTS = {
    "year": ("inXSDgYear", "gYear", "%Y"),
    "month": ("inXSDgYearMonth", "gYearMonth", "%Y-%m"),
    "week": ("inXSDDate", "date", "%Y-%m-%d"),
    "day": ("inXSDDate", "date", "%Y-%m-%d"),
    "hour": ("inXSDDateTimeStamp", "dateTimeStamp", "%Y-%m-%dT%H:%M:%SZ"),
    "minute": ("inXSDDateTimeStamp", "dateTimeStamp", "%Y-%m-%dT%H:%M:%SZ"),
}


def format_of(path: Path) -> str:
    """The format that a file's name asks for; raises ``DataError`` if it is none."""
    suffix = path.name.lower().rpartition(".")[2]
    if suffix not in SUFFIXES:
        raise DataError(f"{path.name!r} ends in none of .{', .'.join(SUFFIXES)}; name the form with ", Option("format"))
    return SUFFIXES[suffix]


def export(dataset: Dataset, form: str, splits: tuple[str, ...] = SPLITS) -> bytes:
    """The facts of some splits in one of the ``FORMATS``."""
    return FORMATS[form](dataset, splits)


def export_folder(dataset: Dataset) -> list[bytes]:
    """Train, valid and test in the public form: tab separated, four columns, no header."""
    return [_tabbed(frame_of(dataset, (split,)).select(COLUMNS), header=False) for split in SPLITS]


def _csv(dataset: Dataset, splits: tuple[str, ...]) -> bytes:
    return frame_of(dataset, splits).write_csv().encode()


def _tsv(dataset: Dataset, splits: tuple[str, ...]) -> bytes:
    return _tabbed(frame_of(dataset, splits), header=True)


def _tabbed(frame: pl.DataFrame, header: bool) -> bytes:
    """Tab separated without quoting, in which a name cannot hold a tab or a line end."""
    import polars as pl  # noqa: PLC0415

    bad = frame.filter(pl.any_horizontal(pl.all().str.contains("[\t\n\r]")))
    if bad.height:
        raise DataError(
            f"{bad.height:,} facts have a tab or line end in a name ({bad.row(0)!r}), which a tab separated file "
            "cannot hold; export CSV, JSON lines or Parquet"
        )
    return frame.write_csv(separator="\t", include_header=header, quote_style="never").encode()


def _json_lines(dataset: Dataset, splits: tuple[str, ...]) -> bytes:
    return frame_of(dataset, splits).write_ndjson().encode()


def _parquet(dataset: Dataset, splits: tuple[str, ...]) -> bytes:
    buffer = io.BytesIO()
    frame_of(dataset, splits).write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def _nquads(dataset: Dataset, splits: tuple[str, ...]) -> bytes:
    import polars as pl  # noqa: PLC0415

    facts = Facts.concatenate([dataset.splits[split] for split in splits])
    entities = pl.Series([_iri(name, "entity") for name in dataset.entities], dtype=pl.String)
    relations = pl.Series([_iri(name, "relation") for name in dataset.relations], dtype=pl.String)
    instants, place = np.unique(facts.time, return_inverse=True)
    graphs = pl.Series([f"<{_BASE}:time:{quote(text)}>" for text in dataset.timeline.texts(instants)], dtype=pl.String)
    parts = (entities[facts.subject], relations[facts.relation], entities[facts.object], graphs[place.reshape(-1)])
    quads = pl.DataFrame([part.alias(str(at)) for at, part in enumerate(parts)])
    lines = quads.unique(maintain_order=True).select(pl.concat_str(pl.all(), pl.lit("."), separator=" ")).to_series()
    used = (
        (dataset.entities.names, entities, np.unique(np.concatenate([facts.subject, facts.object]))),
        (dataset.relations.names, relations, np.unique(facts.relation)),
    )
    labels = [f"{iris[at]} {_LABEL} {_literal(names[at])} ." for names, iris, ids in used for at in ids.tolist()]
    times = _time_lines(dataset.timeline, instants, graphs.to_list())
    return "".join(f"{line}\n" for line in (*lines, *times, *labels)).encode()


def _time_lines(line: Timeline, instants: Int64Array, graphs: list[str]) -> list[str]:
    """What the default graph says about each instant's graph."""
    if line.unit == "integer":
        return [
            text
            for number, (graph, instant) in enumerate(zip(graphs, line.texts(instants), strict=True))
            for text in (
                f"{graph} <{_TIME}inTimePosition> _:t{number} .",
                f'_:t{number} <{_TIME}numericPosition> "{int(instant)}"^^<{_XSD}decimal> .',
            )
        ]
    name, kind, style = _INSTANTS[line.unit]
    texts = [_year(text) for text in line.texts(instants)] if line.numeric else line.stamps(instants, style)
    return [f'{graph} <{_TIME}{name}> "{text}"^^<{_XSD}{kind}> .' for graph, text in zip(graphs, texts, strict=True)]


def _year(text: str) -> str:
    """A year as XML Schema wants it, with at least four digits."""
    number = int(text)
    return ("-" if number < 0 else "") + f"{abs(number):04d}"


def _iri(name: str, kind: str) -> str:
    """A name as an IRI: its own if it is one (in angle brackets or not), else under ours."""
    bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name
    return f"<{bare}>" if _IRI.fullmatch(bare) and "://" in bare else f"<{_BASE}:{kind}:{quote(name, safe='')}>"


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


FORMATS: dict[str, Callable[[Dataset, tuple[str, ...]], bytes]] = {
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "nquads": _nquads,
}
