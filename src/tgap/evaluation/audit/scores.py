"""Another program's scores, read from a file: which queries it was asked, and what it gave to whom.

A query is a fact by name, ``subject``, ``relation``, ``object``, ``time``, and a ``direction``: "tail" asks for the
object, "head" for the subject. Its scores come in one of these shapes (docs/audit.md shows how to write them):

    full rows   ``scores`` [Q, M], with ``entities`` [M], the names of the columns. In Parquet ``scores`` is a list of M
                numbers, and the names of the columns are given apart.
    best few    ``top`` and ``top_scores``: for each query the best entities and their scores ([Q, k] or lists). This is
                also what ``tgap evaluate --predictions`` writes.
    long form   Parquet or CSV: a line for each query and entity, ``entity`` and ``score``.

What the program says about itself may stand beside it: ``answer_score``, the score that it compared others with, and
``rank`` or ``rank_PROTOCOL``. In an .npz, whole numbers are positions in ``entities``, ``relations`` and ``times``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset, Facts
from tgap.errors import EvaluationError, Option, QueryError
from tgap.evaluation.audit.columns import FACT, KEYS, Columns, Lists, read_table
from tgap.evaluation.queries import DIRECTIONS
from tgap.scorer import IntArray

Float64Array = NDArray[np.float64]
Read = Callable[[IntArray], Float64Array]
ANSWER_SCORE, RANK = "answer_score", "rank"


@dataclass(frozen=True)
class ScoreFile:
    """Q queries of another program as facts with a direction, what it claims, and a way to read its scores."""

    path: Path
    facts: Facts  # [Q] as they stand in the data, whichever end is asked for
    head: NDArray[np.bool_]  # [Q]
    claims: Mapping[str, Float64Array]  # [Q] each: answer_score, rank, rank_raw, ...
    shape: str  # in words
    read: Read  # positions of queries -> scores [b, N], NaN where there is none

    def __len__(self) -> int:
        return len(self.head)


def read_scores(path: Path, dataset: Dataset, entities: Sequence[str] | None = None) -> ScoreFile:
    """Read a file of scores, in the ids of ``dataset``; ``entities`` names the columns of full rows."""
    columns = read_table(path)
    missing = [name for name in KEYS if name not in columns]
    if missing or not {"scores", "top"} & columns.keys():
        raise EvaluationError(
            f"{path} has no {', '.join(missing) or 'scores'}; expected the columns {', '.join(KEYS)} and scores, or "
            f"top and top_scores, or entity and score; it has {', '.join(columns)}"
        )
    names = _Names(path, columns, dataset)
    facts = Facts(*(names.ids(column) for column in FACT))
    directions = np.asarray(columns["direction"]).astype(str)
    if not np.isin(directions, DIRECTIONS).all():
        wrong = directions[~np.isin(directions, DIRECTIONS)][0]
        raise EvaluationError(f"{path}: direction {str(wrong)!r} is unknown; expected {' or '.join(DIRECTIONS)}")
    claims = {
        name: np.asarray(column, dtype=np.float64)
        for name, column in columns.items()
        if name in (ANSWER_SCORE, RANK) or name.startswith(f"{RANK}_")
    }
    shape, read = _full_rows(names, entities) if "scores" in columns else _best_few(names)
    return ScoreFile(path, facts, directions == "head", claims, shape, read)


class _Names:
    """Columns of names, or of positions in lists of names, as ids of a dataset."""

    def __init__(self, path: Path, columns: Columns, dataset: Dataset) -> None:
        self.path, self.columns, self.dataset = path, columns, dataset
        entities, relations = dataset.entities.find, dataset.relations.find
        self._kinds: dict[str, tuple[str, Callable[[str], int]]] = {
            "relation": ("relations", relations),
            "time": ("times", dataset.timeline.parse),
        }
        self._entity = ("entities", entities)

    def ids(self, column: str) -> IntArray:
        """Ids of a column."""
        values = self.columns[column]
        return self.resolve(column, np.asarray(values.values if isinstance(values, Lists) else values))

    def resolve(self, column: str, values: NDArray[Any]) -> IntArray:
        """Ids of names in any shape; case, underscores and kinds of space are forgiven."""
        listed, find = self._kinds.get(column, self._entity)
        if values.dtype.kind in "iu" and listed in self.columns:
            values = np.asarray(self.columns[listed])[values]
        distinct, place = np.unique(values.reshape(-1).astype(str), return_inverse=True)
        found, unknown = np.empty(len(distinct), dtype=np.int64), []
        for at, text in enumerate(distinct.tolist()):
            try:
                found[at] = find(text)
            except QueryError as error:
                unknown.append(str(error))
        if unknown:
            more = f" ({len(unknown) - 1:,} more like that)" if len(unknown) > 1 else ""
            raise EvaluationError(f"{self.path}, {column}: {unknown[0]}{more}; are these scores of another dataset?")
        ids: IntArray = found[place.reshape(-1)]
        return ids


def _full_rows(names: _Names, entities: Sequence[str] | None) -> tuple[str, Read]:
    path, scores, queries = names.path, names.columns["scores"], len(np.asarray(names.columns["direction"]))
    if isinstance(scores, Lists):
        width = int(scores.size[0]) if len(scores.size) else 0
        if (scores.size != width).any():
            raise EvaluationError(f"{path}: lists of scores have {scores.size.min()} to {scores.size.max()} entries")
        scores = scores.values.reshape(queries, width)
    if entities is None and "entities" not in names.columns:
        raise EvaluationError(
            f"{path} has rows of {scores.shape[-1]} scores but does not say whose they are; add an array entities to "
            "the .npz, or name a file with one entity a line by ",
            Option("entities"),
        )
    column = names.resolve("entities", np.asarray(names.columns["entities"] if entities is None else entities))
    if scores.shape != (queries, len(column)):
        expected = (queries, len(column))
        raise EvaluationError(f"{path}: scores have shape {scores.shape}; expected {expected}, queries and entities")
    if len(np.unique(column)) < len(column):
        raise EvaluationError(f"{path}: an entity has more than one column of scores; expected one each")

    def read(rows: IntArray) -> Float64Array:
        found = np.full((len(rows), names.dataset.num_entities), np.nan)
        found[:, column] = _ranked(path, scores[rows])
        return found

    return f"full rows of {len(column):,} entities", read


def _best_few(names: _Names) -> tuple[str, Read]:
    path, top, scores = names.path, names.columns["top"], names.columns.get("top_scores")
    if scores is None:
        raise EvaluationError(f"{path} has top but no top_scores; expected both")
    size, beside = (
        lists.size if isinstance(lists, Lists) else np.full(len(lists), lists.shape[1]) for lists in (top, scores)
    )
    if not np.array_equal(size, beside):
        raise EvaluationError(f"{path}: top and top_scores of a query differ in length; expected one score an entity")
    value = np.asarray(scores.values if isinstance(scores, Lists) else scores).reshape(-1)
    entity, start = names.ids("top"), np.append(0, np.cumsum(size)).astype(np.int64)
    value = _ranked(path, value)
    row = np.repeat(np.arange(len(size)), size)
    if len(np.unique(row * names.dataset.num_entities + entity)) < len(entity):
        raise EvaluationError(f"{path}: a query lists an entity twice; expected each at most once")

    def read(rows: IntArray) -> Float64Array:
        found = np.full((len(rows), names.dataset.num_entities), np.nan)
        for at, chosen in enumerate(rows):
            part = slice(start[chosen], start[chosen + 1])
            found[at, entity[part]] = value[part]
        return found

    return f"the best {int(size.max(initial=0)):,} entities of each query", read


def _ranked(path: Path, values: NDArray[Any]) -> Float64Array:
    """Scores as doubles. Minus infinity is allowed, programs write it over answers that they have filtered out."""
    scores = np.asarray(values, dtype=np.float64)
    bad = np.isnan(scores) | (scores == np.inf)
    if bad.any():
        raise EvaluationError(f"{path}: {int(bad.sum()):,} scores are {scores[bad][0]}, which cannot be ranked")
    return scores
