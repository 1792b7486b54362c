"""Facts as four equally long id arrays: the form in which everything above this room sees events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int64Array = NDArray[np.int64]


class Fact(NamedTuple):
    """One event (s, r, o, t) as ids; the time counts units since the first instant of the timeline."""

    subject: int
    relation: int
    object: int
    time: int


class Facts(NamedTuple):
    """Events as columns. ``len`` of a tuple is its number of fields, so the number of facts is ``count``.

    >>> facts = Facts.of([Fact(0, 1, 2, 30), Fact(2, 1, 0, 31)])
    >>> facts.count, facts.take(np.array([1])).fact(0)
    (2, Fact(subject=2, relation=1, object=0, time=31))
    """

    subject: Int64Array
    relation: Int64Array
    object: Int64Array
    time: Int64Array

    @property
    def count(self) -> int:  # type: ignore[override]  # tuple.count has no use on four arrays
        """Number of facts."""
        return len(self.subject)

    def take(self, index: NDArray[np.integer] | NDArray[np.bool_] | slice) -> Facts:
        """The facts at ``index`` (positions, a mask or a slice)."""
        return Facts(*(column[index] for column in self))

    def fact(self, position: int) -> Fact:
        """One fact as plain numbers."""
        return Fact(*(int(column[position]) for column in self))

    @classmethod
    def of(cls, facts: list[Fact]) -> Facts:
        """Columns from single facts."""
        table = np.array(facts, dtype=np.int64).reshape(len(facts), 4)
        return cls(*(np.ascontiguousarray(column) for column in table.T))

    @classmethod
    def concatenate(cls, parts: list[Facts]) -> Facts:
        """All facts of ``parts``, one after the other."""
        if not parts:
            return cls.of([])
        return cls(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def in_order(facts: Facts) -> Facts:
    """The facts sorted by (time, subject, relation, object): the one order that every copy of a dataset shares.

    Lines of a file come in any order; with this order results never depend on it.
    """
    columns = (facts.time, facts.subject, facts.relation, facts.object)
    lows = [int(column.min(initial=0)) for column in columns]  # 0 as a rule, then nothing needs to be moved
    bits = [int(column.max(initial=low) - low).bit_length() for column, low in zip(columns, lows, strict=True)]
    if sum(bits) > 63:
        (keys,) = fact_keys([facts])
        return facts.take(np.argsort(keys))
    # All four ids fit one number: sorting that and taking it apart again is the quickest way.
    packed = np.zeros(facts.count, dtype=np.int64)
    for column, low, width in zip(columns, lows, bits, strict=True):
        packed <<= width
        packed |= column - low if low else column
    packed.sort()
    parts: list[Int64Array] = []
    for low, width in zip(lows[::-1], bits[::-1], strict=True):
        part = packed & ((1 << width) - 1)
        if low:
            part += low
        parts.append(part)
        packed >>= width
    obj, relation, subject, time = parts
    return Facts(subject, relation, obj, time)


def distinct(values: Int64Array) -> Int64Array:
    """Each value once, in order. By sorting: numpy's hashing is many times slower on keys like these."""
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def contained(values: Int64Array, ordered: Int64Array) -> NDArray[np.bool_]:
    """Which values stand in ``ordered``, a sorted array."""
    if not len(ordered):
        return np.zeros(len(values), dtype=bool)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[place] == values
    return found


def fact_keys(parts: list[Facts]) -> list[Int64Array]:
    """One number for each fact of each part, equal exactly where facts are equal, growing in the order of ``in_order``.

    The four ids are packed by the ranges that all parts need together; where a number of 63 bits cannot hold them
    (no public dataset comes near) the keys are ranks among the distinct facts.
    """
    pooled = parts[0] if len(parts) == 1 else Facts.concatenate(parts)
    if not pooled.count:
        return [np.empty(0, dtype=np.int64) for _ in parts]
    columns = (pooled.time, pooled.subject, pooled.relation, pooled.object)
    lows = [int(column.min()) for column in columns]
    sizes = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if sizes[0] * sizes[1] * sizes[2] * sizes[3] < 2**63:
        key = np.zeros(pooled.count, dtype=np.int64)
        for column, low, size in zip(columns, lows, sizes, strict=True):
            key = key * size + (column - low)
    else:
        key = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.split(key, np.cumsum([part.count for part in parts])[:-1])
