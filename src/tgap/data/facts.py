"""Facts as four equally long id arrays: the form in which everything above this room sees events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

Int64Array = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Index = slice | NDArray[np.integer] | NDArray[np.bool_]


class Fact(NamedTuple):
    """One event (s, r, o, t) as ids; the time counts units since the first instant of the timeline."""

    subject: int
    relation: int
    object: int
    time: int


COLUMNS = Fact._fields


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """Events as columns, and a sequence of ``Fact``: a position gives one, a slice, positions or a mask give several.

    >>> facts = Facts.of([Fact(0, 1, 2, 30), Fact(2, 1, 0, 31)])
    >>> facts
    <2 facts, times 30 to 31>
    >>> len(facts), facts[1], len(facts[facts.time > 30])
    (2, Fact(subject=2, relation=1, object=0, time=31), 1)
    """

    subject: Int64Array
    relation: Int64Array
    object: Int64Array
    time: Int64Array

    def __post_init__(self) -> None:
        assert len({len(column) for column in self.columns}) == 1, "a fact has a value in every column"

    @property
    def columns(self) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array]:
        """Subject, relation, object and time."""
        return self.subject, self.relation, self.object, self.time

    def __len__(self) -> int:
        return len(self.subject)

    @overload
    def __getitem__(self, index: int | np.integer) -> Fact: ...

    @overload
    def __getitem__(self, index: Index) -> Facts: ...

    def __getitem__(self, index: int | np.integer | Index) -> Fact | Facts:
        if isinstance(index, int | np.integer):
            return Fact(*(int(column[index]) for column in self.columns))
        return Facts(*(column[index] for column in self.columns))

    def __iter__(self) -> Iterator[Fact]:
        return map(Fact._make, zip(*(column.tolist() for column in self.columns), strict=True))

    def __repr__(self) -> str:
        counted = f"{len(self):,} fact{'s' if len(self) != 1 else ''}"
        return f"<{counted}, times {self.time.min()} to {self.time.max()}>" if len(self) else f"<{counted}>"

    def with_subject(self, entity: int) -> Int64Array:
        """Positions of the facts with this subject, ascending.

        >>> Facts.of([Fact(0, 1, 2, 30), Fact(2, 1, 0, 31)]).with_subject(2)
        array([1])
        """
        return self._subjects.of(entity)

    def with_object(self, entity: int) -> Int64Array:
        """Positions of the facts with this object, ascending."""
        return self._objects.of(entity)

    @cached_property
    def _subjects(self) -> _Places:
        return _Places(self.subject)

    @cached_property
    def _objects(self) -> _Places:
        return _Places(self.object)

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Facts:
        """Columns from single facts."""
        table = np.array(facts, dtype=np.int64).reshape(len(facts), 4)
        return cls(*(np.ascontiguousarray(column) for column in table.T))

    @classmethod
    def concatenate(cls, parts: Sequence[Facts]) -> Facts:
        """All facts of ``parts``, one after the other."""
        if not parts:
            return cls.of([])
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)))


class _Places:
    """Where the ids of a column stand.

    The first question is answered by a pass over the column. Who asks again (a server) gets the column sorted, once:
    4 bytes per fact and 8 per id, and a question costs what it finds. Threads may share it.
    """

    def __init__(self, column: Int64Array) -> None:
        self._column = column
        self._asked = False
        self._sorted: tuple[Int64Array, NDArray[np.integer]] | None = None  # where each id begins; positions by id

    def of(self, value: int) -> Int64Array:
        """Positions of an id, ascending."""
        if self._sorted is None and not self._asked:
            self._asked = True
            return np.flatnonzero(self._column == value)
        if self._sorted is None:
            begin = np.append(0, np.cumsum(np.bincount(self._column)))
            small = np.int32 if len(self._column) < 2**31 else np.int64
            self._sorted = begin, np.argsort(self._column, kind="stable").astype(small)
        begin, order = self._sorted
        if not 0 <= value < len(begin) - 1:
            return np.empty(0, np.int64)
        return order[begin[value] : begin[value + 1]].astype(np.int64)


def in_order(facts: Facts) -> Facts:
    """The facts sorted by (time, subject, relation, object): the one order that every copy of a dataset shares.

    Lines of a file come in any order; with this order results never depend on it.
    """
    columns = (facts.time, facts.subject, facts.relation, facts.object)
    lows = [int(column.min(initial=0)) for column in columns]  # 0 as a rule, then nothing needs to be moved
    bits = [int(column.max(initial=low) - low).bit_length() for column, low in zip(columns, lows, strict=True)]
    if sum(bits) > 63:
        (keys,) = fact_keys([facts])
        return facts[np.argsort(keys)]
    # All four ids fit one number: sorting that and taking it apart again is the quickest way.
    packed = np.zeros(len(facts), dtype=np.int64)
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
    if not len(pooled):
        return [np.empty(0, dtype=np.int64) for _ in parts]
    columns = (pooled.time, pooled.subject, pooled.relation, pooled.object)
    lows = [int(column.min()) for column in columns]
    sizes = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if sizes[0] * sizes[1] * sizes[2] * sizes[3] < 2**63:
        key = np.zeros(len(pooled), dtype=np.int64)
        for column, low, size in zip(columns, lows, sizes, strict=True):
            key = key * size + (column - low)
    else:
        key = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return np.split(key, np.cumsum([len(part) for part in parts])[:-1])


def with_context(facts: Facts, context: Sequence[Facts]) -> Facts:
    """The facts, then those of ``context`` that are not among them, each once.

    >>> known = Facts.of([Fact(0, 0, 1, 5), Fact(0, 0, 1, 5)])
    >>> len(with_context(known, [Facts.of([Fact(0, 0, 1, 5), Fact(1, 0, 0, 6), Fact(1, 0, 0, 6)])]))
    3
    """
    if not context:
        return facts
    news = Facts.concatenate(context)
    known, keys = fact_keys([facts, news])
    first = np.unique(keys, return_index=True)[1]
    fresh = first[~contained(keys[first], distinct(known))]
    return Facts.concatenate([facts, news[np.sort(fresh)]])


def both_directions(facts: Facts, num_relations: int) -> Facts:
    """Every fact (s, r, o, t), then the inverse (o, r + R, s, t) of each: what they say seen from either end.

    The first half asks for objects, the second for subjects. ``num_relations`` is R, without inverses.

    >>> both = both_directions(Facts.of([Fact(7, 1, 8, 30)]), num_relations=5)
    >>> both.subject.tolist(), both.relation.tolist(), both.object.tolist(), both.time.tolist()
    ([7, 8], [1, 6], [8, 7], [30, 30])
    """
    return Facts(
        np.concatenate([facts.subject, facts.object]),
        np.concatenate([facts.relation, facts.relation + num_relations]),
        np.concatenate([facts.object, facts.subject]),
        np.concatenate([facts.time, facts.time]),
    )
