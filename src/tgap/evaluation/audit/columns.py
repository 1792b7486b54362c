"""Files of scores as columns of numpy arrays: Parquet, CSV and .npz brought to one form."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tgap.errors import EvaluationError
from tgap.evaluation.audit.npz import read_npz
from tgap.scorer import IntArray

FACT = ("subject", "relation", "object", "time")
KEYS = (*FACT, "direction")
ENDINGS = (".parquet", ".csv", ".npz")


class Lists(NamedTuple):
    """A list of any length for each of Q rows, one after the other."""

    values: NDArray[Any]
    size: IntArray  # [Q]


Columns = dict[str, NDArray[Any] | Lists]


def read_table(path: Path) -> Columns:
    """Columns by name: texts as objects, numbers as they are, lists as ``Lists``; of an .npz also tables [Q, M]."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise EvaluationError(f"{path} has no known ending; expected one of {', '.join(ENDINGS)}")
    try:
        if ending == ".npz":
            return dict(read_npz(path))
        frame = _read_csv(path) if ending == ".csv" else pl.read_parquet(path)
    except (OSError, ValueError, zipfile.BadZipFile, pl.exceptions.PolarsError) as error:
        raise EvaluationError(f"cannot read {path}: {str(error).splitlines()[0]}") from error
    if {"entity", "score"} <= set(frame.columns) and set(KEYS) <= set(frame.columns):
        frame = _from_long(frame)
    return {name: _column(frame[name]) for name in frame.columns}


def _read_csv(path: Path) -> pl.DataFrame:
    names = dict.fromkeys((*KEYS, "entity"), pl.String)  # a name of digits stays a name
    known = pl.read_csv(path, n_rows=0).columns
    return pl.read_csv(
        path, infer_schema_length=None, schema_overrides={key: kind for key, kind in names.items() if key in known}
    )


def _from_long(frame: pl.DataFrame) -> pl.DataFrame:
    """A line for each query and entity becomes a row for each query, its entities as lists."""
    others = [pl.col(name).first() for name in frame.columns if name not in (*KEYS, "entity", "score")]
    lists = (pl.col("entity").alias("top"), pl.col("score").alias("top_scores"))
    return frame.group_by(list(KEYS), maintain_order=True).agg(*lists, *others)


def _column(series: pl.Series) -> NDArray[Any] | Lists:
    if isinstance(series.dtype, pl.List | pl.Array):
        values = _column(series.explode())
        assert not isinstance(values, Lists), "lists of lists are no scores"
        sizes = series.list.len() if isinstance(series.dtype, pl.List) else series.arr.len()
        return Lists(values, sizes.to_numpy().astype(np.int64))
    return series.to_numpy() if series.dtype.is_numeric() else series.cast(pl.String).to_numpy().astype(object)
