"""Many questions at once: from a file, or all that can be asked about one relation in a span of time.

A file of questions is CSV, Parquet or JSON lines with the columns subject, relation, object and time; the side that is
asked for is empty or ``?``, and a column that is asked for in every row may be missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
import polars as pl

from tgap.data import Dataset
from tgap.data.facts import Facts
from tgap.errors import DataError, QueryError

COLUMNS = ("subject", "relation", "object", "time")
Side = Literal["object", "subject", "both"]
QuestionRow = tuple[str | None, str, str | None, str]
_DIGESTED = 100_000  # rows that are written out at once for the digest


class Questions(Protocol):
    """Questions in a fixed order, by number from 0. There may be millions: rows are made when they are asked for."""

    def __len__(self) -> int:
        """How many."""
        ...

    def rows(self, begin: int, end: int) -> list[QuestionRow]:
        """Those of numbers ``begin`` to ``end``, the last one left out; fewer where the list ends before."""
        ...

    @property
    def digest(self) -> str:
        """Two lists with the same digest ask the same in the same order."""
        ...


class FileQuestions:
    """The questions of a file as text."""

    def __init__(self, path: Path) -> None:
        self._frame = _read(path)

    def __len__(self) -> int:
        return self._frame.height

    def rows(self, begin: int, end: int) -> list[QuestionRow]:
        """Rows of the file as they were written."""
        return self._frame[begin:end].rows()

    @property
    def digest(self) -> str:
        """SHA-256 of the rows as CSV."""
        found = hashlib.sha256()
        for begin in range(0, max(len(self), 1), _DIGESTED):
            found.update(self._frame[begin : begin + _DIGESTED].write_csv(include_header=begin == 0).encode())
        return found.hexdigest()


class RelationQuestions:
    """Whom does everybody who ever took part in a relation meet in it at each time of a span?

    Asked for the object: one question for every entity that is a subject of the relation in a known fact, at every
    time; for the subject the other way round. Questions of one time stand together, because what a model computes for
    a time serves them all.
    """

    def __init__(self, dataset: Dataset, relation: str, since: str, until: str, side: Side = "object") -> None:
        line = dataset.timeline
        number = dataset.relations.find(relation)
        first, last = line.read(since), line.read(until)
        if first > last:
            raise QueryError(f"the span from {since} to {until} ends before it begins; swap the two")
        self._relation = dataset.relations.name(number)
        self._times = line.texts(np.arange(first, last + 1))
        known = Facts.concatenate([dataset.train, dataset.context])
        known = known[known.relation == number]
        self._ends: list[tuple[str | None, str | None]] = []
        if side in ("object", "both"):
            self._ends += [(dataset.entities.name(entity), None) for entity in np.unique(known.subject).tolist()]
        if side in ("subject", "both"):
            self._ends += [(None, dataset.entities.name(entity)) for entity in np.unique(known.object).tolist()]
        if not self._ends:
            raise QueryError(f"no known fact has the relation {self._relation!r}; there is nobody to ask about")

    def __len__(self) -> int:
        return len(self._ends) * len(self._times)

    def rows(self, begin: int, end: int) -> list[QuestionRow]:
        """Time by time, and in it one entity after the other."""
        found: list[QuestionRow] = []
        for place in range(begin, min(end, len(self))):
            time, entity = divmod(place, len(self._ends))
            subject, obj = self._ends[entity]
            found.append((subject, self._relation, obj, self._times[time]))
        return found

    @property
    def digest(self) -> str:
        """SHA-256 of what the questions are made of."""
        return hashlib.sha256(repr((self._relation, self._times, self._ends)).encode()).hexdigest()


def _read(path: Path) -> pl.DataFrame:
    """The questions of a file as text, one row each."""
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": lambda file: pl.read_csv(file, infer_schema=False),
        ".parquet": pl.read_parquet,
        ".jsonl": pl.read_ndjson,
    }
    if path.suffix not in readers:
        raise DataError(f"{path} ends in {path.suffix!r}; expected questions as {', '.join(readers)}")
    try:
        frame = readers[path.suffix](path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"cannot read {path}: {str(error).splitlines()[0]}") from error
    missing = [name for name in ("relation", "time") if name not in frame.columns]
    if missing or not {"subject", "object"} & set(frame.columns):
        wanted = "columns relation and time, and subject or object"
        raise DataError(f"{path} has the columns {', '.join(frame.columns)}; expected {wanted}")
    absent: Sequence[pl.Expr] = [
        pl.lit(None, dtype=pl.String).alias(name) for name in COLUMNS if name not in frame.columns
    ]
    texts = frame.with_columns(absent).select(pl.col(name).cast(pl.String) for name in COLUMNS)
    return texts.with_columns(pl.col("subject", "object").replace("", None))  # "" in quotation marks is empty, too
