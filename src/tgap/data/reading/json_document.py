"""A JSON document that holds a table: an array of objects, alone or as a field of an object."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.rejects import Reject
from tgap.data.reading.typed import columns_of_records, flat
from tgap.errors import DataError


def is_json_document(content: bytes) -> bool:
    """Whether a file is one JSON value: it begins with a bracket, or an object that goes on after its line."""
    begin = content.lstrip()[:1]
    if begin == b"{":
        try:
            return not isinstance(json.loads(content.lstrip().split(b"\n", 1)[0]), dict) or _is_wrapped(content)
        except ValueError:
            return content.rstrip().endswith(b"}")
    return begin == b"[" and content.rstrip().endswith(b"]")


def read_json_document(file: str, content: bytes) -> RawTable:
    """The objects of the array, with dotted names for the fields of objects in them."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file}: not JSON ({error}); expected an array of objects, or an object per line") from error
    found = value if isinstance(value, list) else _longest_list(value)
    if not found:
        raise DataError(f"{file}: there is no array of objects in this JSON; expected [{{...}}, {{...}}]")
    rows, rejects, numbers = [], [], []
    for number, record in enumerate(found, start=1):
        if isinstance(record, dict):
            rows.append(flat(record))
            numbers.append((number, number))
        else:
            raw = json.dumps(record).encode()
            rejects.append(Reject(file, "row", number, "not a JSON object; expected {...}", raw))
    if not rows:
        raise DataError(f"{file}: no element of the array is an object; expected [{{...}}, {{...}}]")
    keys = list(dict.fromkeys(key for record in rows for key in record))
    frame, unreadable = columns_of_records(rows, keys)
    return RawTable(
        file,
        frame,
        keys,
        "JSON",
        place="row",
        numbers=np.array(numbers, dtype=np.int64),
        rejects=rejects,
        unreadable=unreadable,
        enclosed=True,
    )


def _is_wrapped(content: bytes) -> bool:
    """Whether a single object holds an array of objects."""
    try:
        return bool(_longest_list(json.loads(content)))
    except (ValueError, RecursionError):
        return False


def _longest_list(value: Any) -> list[Any]:
    """The longest array of objects inside of nested objects."""
    if not isinstance(value, dict):
        return []
    inner = [_longest_list(field) for field in value.values() if isinstance(field, dict)]
    lists = [
        field for field in value.values() if isinstance(field, list) and any(isinstance(one, dict) for one in field)
    ]
    return max((*lists, *inner), key=len, default=[])
