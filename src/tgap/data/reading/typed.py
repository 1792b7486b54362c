"""Tables whose values have types, as columns of text: Parquet, JSON lines, and frames in memory."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.rejects import Reject
from tgap.errors import DataError

if TYPE_CHECKING:
    import polars as pl


def read_parquet(file: str, content: bytes) -> RawTable:
    """The rows of a Parquet file."""
    import polars as pl  # noqa: PLC0415

    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"{file}: the Parquet file is broken ({str(error).splitlines()[0]})") from error
    return table_of_frame(file, frame, "Parquet")


def table_of_frame(name: str, frame: pl.DataFrame, kind: str = "frame") -> RawTable:
    """The rows of a frame; a moment in a time zone keeps its offset, so that all files treat zones alike."""
    import polars as pl  # noqa: PLC0415

    if not frame.height:
        raise DataError(f"{name}: the {'file' if kind == 'Parquet' else kind} is empty")
    texts = []
    unreadable = {}
    for index, column in enumerate(frame.get_columns()):
        try:
            text = _as_text(column)
        except pl.exceptions.PolarsError:
            unreadable[index] = str(column.dtype)
            text = pl.Series([None] * frame.height, dtype=pl.String)
        texts.append(text.alias(str(index)))
    return RawTable(
        name, empty_as_null(texts), list(frame.columns), kind, place="row", unreadable=unreadable, enclosed=True
    )


def _as_text(column: pl.Series) -> pl.Series:
    import polars as pl  # noqa: PLC0415

    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        return column.dt.to_string("%Y-%m-%dT%H:%M:%S%:z").str.replace("[+]00:00$", "Z")
    return column.cast(pl.String)


def read_json_lines(file: str, content: bytes) -> RawTable:
    """The rows of a file that has one JSON object per line; keys are column names, in the order of their appearance."""
    rows: list[dict[str, Any]] = []
    numbers: list[tuple[int, int]] = []
    rejects: list[Reject] = []
    keys: dict[str, None] = {}
    for number, line in enumerate(content.split(b"\n"), start=1):
        text = line.removesuffix(b"\r")
        if not text.strip():
            continue
        record = _json_object(text)
        if isinstance(record, str):
            rejects.append(Reject(file, "line", number, record, text))
            continue
        record = flat(record)
        keys |= dict.fromkeys(record)
        rows.append(record)
        numbers.append((number, number))
    if not rows:
        raise DataError(f'{file}: no line of the file is a JSON object; expected one per line, like {{"subject": ...}}')
    columns, unreadable = columns_of_records(rows, list(keys))
    return RawTable(
        file,
        columns,
        list(keys),
        "JSON lines",
        numbers=np.array(numbers, dtype=np.int64),
        rejects=rejects,
        content=content,
        unreadable=unreadable,
        enclosed=True,
    )


def columns_of_records(rows: list[dict[str, Any]], keys: list[str]) -> tuple[pl.DataFrame, dict[int, str]]:
    """Records as columns of text, and the columns that hold no text, with what they hold."""
    import polars as pl  # noqa: PLC0415

    unreadable = {
        at: "lists" for at, key in enumerate(keys) if any(isinstance(record.get(key), list) for record in rows)
    }
    columns = [
        pl.Series(str(at), [_json_text(record.get(key)) for record in rows], pl.String) for at, key in enumerate(keys)
    ]
    return empty_as_null(columns), unreadable


def flat(record: dict[str, Any], above: str = "") -> dict[str, Any]:
    """An object without objects in it: their fields have dotted names.

    >>> flat({"actor": {"name": "Ann"}, "at": 2018})
    {'actor.name': 'Ann', 'at': 2018}
    """
    fields: dict[str, Any] = {}
    for key, value in record.items():
        fields |= flat(value, f"{above}{key}.") if isinstance(value, dict) else {above + key: value}
    return fields


def _json_object(text: bytes) -> dict[str, Any] | str:
    """The object of a line, or the reason why there is none."""
    try:
        record = json.loads(text)
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {error.object[error.start]:#x}); save the file as UTF-8"
    except (ValueError, RecursionError) as error:
        return f"not JSON ({error})"
    if not isinstance(record, dict):
        return "not a JSON object; expected {...}"
    if b"\\u" in text:
        try:
            json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            return f"half a character (\\u{ord(error.object[error.start]):04x}), which no text can hold"
    return record


def _json_text(value: Any) -> str | None:
    if value is None or isinstance(value, list):
        return None
    return value if isinstance(value, str) else json.dumps(value)


def empty_as_null(columns: list[pl.Series]) -> pl.DataFrame:
    """Text columns side by side; an empty text is no value."""
    import polars as pl  # noqa: PLC0415

    return pl.DataFrame(columns).select(pl.when(pl.all() != "").then(pl.all()))
