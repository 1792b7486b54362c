"""Other names for entities or relations: one for one (rename), or several that mean the same thing (merge)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from tgap.data.atomic import write_atomically
from tgap.data.dataset import Cause, Dataset
from tgap.data.facts import BoolArray, Fact, Facts, Int64Array, fact_keys, in_order
from tgap.data.reading import Layout, TableSource, read_table
from tgap.data.vocabulary import Vocabulary
from tgap.errors import DataError, QueryError

Aliases = list[tuple[str, str]]


@dataclass(frozen=True)
class Renamed:
    """A dataset under other names, and what that did to it."""

    dataset: Dataset
    names: int  # names that changed
    facts: int  # facts that have one of them
    dropped: int  # facts that became equal to another: kept once, in the earliest split


def read_aliases(path: Path, vocabulary: Vocabulary) -> Aliases:
    """Pairs (present name, other name) from a table of two columns, in this order or the other, with or without header.

    The present names tell which column is which, and whether the first line is a header.
    """
    table = read_table(TableSource(str(path), path), Layout(header=False))
    if table.rejects:
        raise DataError(f"{table.rejects[0]}; expected two columns, present name and other name")
    if table.frame.width != 2:
        raise DataError(f"{path}: has {table.frame.width} columns; expected two, present name and other name")
    rows = [(left, right) for left, right in table.frame.rows() if left is not None and right is not None]
    if len(rows) < table.frame.height:
        raise DataError(f"{path}: {table.frame.height - len(rows):,} lines have an empty name; mend or remove them")
    known = [sum(row[side] in vocabulary for row in rows) for side in (0, 1)]
    pairs = rows if known[0] >= known[1] else [(right, left) for left, right in rows]
    if len(pairs) > 1 and pairs[0][0] not in vocabulary and pairs[1][0] in vocabulary:
        pairs = pairs[1:]
    return pairs


def write_pairs(path: Path, pairs: Aliases) -> None:
    """Pairs as a table of two columns that ``read_aliases`` reads."""
    write_atomically(path, "".join(f"{present}\t{other}\n" for present, other in pairs).encode())


def rename(dataset: Dataset, aliases: Aliases, relations: bool = False, merge: bool = False) -> Renamed:
    """The dataset with some names replaced; with ``merge`` a name may be one that others have, and becomes theirs.

    Raises ``DataError`` for names that are not there, are given twice, or would be merged without being told.
    """
    vocabulary = dataset.relations if relations else dataset.entities
    changes = _changes(vocabulary, aliases)
    after = [changes.get(name, name) for name in vocabulary]
    names = sorted(set(after))
    if len(names) < len(vocabulary) and not merge:
        twice = next(name for name in names if after.count(name) > 1)
        both = [old for old, new in zip(vocabulary, after, strict=True) if new == twice]
        raise DataError(
            f"{' and '.join(map(repr, both[:3]))} would both be called {twice!r}; if they mean the same, use "
            "`tgap data merge` (`merge` in Python)"
        )
    place = {name: index for index, name in enumerate(names)}
    moved = np.array([place[name] for name in after], dtype=np.int64)
    changed = np.array([name in changes for name in vocabulary])
    parts = [_mapped(facts, moved, relations) for facts in dataset.splits.values()]
    touched = [_touches(facts, changed, relations) for facts in dataset.splits.values()]
    merged = np.bincount(moved, minlength=len(names)) > 1
    kept = _kept_once(parts, [_touches(facts, merged, relations) for facts in parts])
    fresh = Vocabulary(names, vocabulary.what)
    train, valid, test = (in_order(facts[keep]) for facts, keep in zip(parts, kept, strict=True))
    result = replace(
        dataset,
        entities=dataset.entities if relations else fresh,
        relations=fresh if relations else dataset.relations,
        train=train,
        valid=valid,
        test=test,
        causes=MappingProxyType({}),
    )
    result = replace(result, causes=_causes(dataset, result, moved, relations))
    return Renamed(
        result,
        len(changes),
        int(sum(mask.sum() for mask in touched)),
        int(sum((~keep).sum() for keep in kept)),
    )


def _changes(vocabulary: Vocabulary, aliases: Aliases) -> dict[str, str]:
    changes: dict[str, str] = {}
    for old, new in aliases:
        try:
            vocabulary.id(old)
        except QueryError as error:
            raise DataError(error.message) from None
        if changes.get(old, new) != new:
            raise DataError(f"{old!r} is given two names, {changes[old]!r} and {new!r}; leave one out")
        changes[old] = new
    changes = {old: new for old, new in changes.items() if old != new}
    if not changes:
        raise DataError("nothing would change: every name is the one it has already")
    return changes


def _mapped(facts: Facts, moved: Int64Array, relations: bool) -> Facts:
    if relations:
        return Facts(facts.subject, moved[facts.relation], facts.object, facts.time)
    return Facts(moved[facts.subject], facts.relation, moved[facts.object], facts.time)


def _touches(facts: Facts, ids: BoolArray, relations: bool) -> BoolArray:
    """Facts with one of some ids."""
    return ids[facts.relation] if relations else ids[facts.subject] | ids[facts.object]


def _kept_once(parts: list[Facts], touched: list[BoolArray]) -> list[BoolArray]:
    """Which facts stay: of those with a merged name each once, in the earliest split that has it."""
    sizes = np.cumsum([len(facts) for facts in parts])[:-1]
    key = np.concatenate(fact_keys(parts))
    first = np.zeros(len(key), dtype=bool)
    first[np.unique(key, return_index=True)[1]] = True
    return np.split(first | ~np.concatenate(touched), sizes)


def _causes(before: Dataset, after: Dataset, moved: Int64Array, relations: bool) -> MappingProxyType[int, Cause]:
    """The causes of test facts under their new names and places."""
    place = {fact: index for index, fact in enumerate(after.test)} if before.causes else {}

    def renamed(fact: Fact) -> Fact:
        return _mapped(Facts.of([fact]), moved, relations)[0]

    return MappingProxyType(
        {
            place[renamed(before.test[index])]: Cause(cause.rule, tuple(map(renamed, cause.facts)))
            for index, cause in before.causes.items()
            if renamed(before.test[index]) in place
        }
    )
