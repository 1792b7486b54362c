"""Vocabulary: names of entities or relations in a fixed order, and forgiving ways to find one.

Ids are positions in the order of the sorted names, so that any copy of a dataset, however its lines are ordered,
gives the same ids. Names are kept byte for byte; only looking them up forgives case, accents, underscores and
kinds of space.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from tgap.errors import QueryError

_SPACES = re.compile(r"[\s_]+")  # \s knows U+00A0 and its relatives


class Vocabulary:
    """Ordered names. ``what`` is the word for one of them in messages.

    >>> words = Vocabulary(["North Korea", "South Korea"], what="entity")
    >>> words.find("south_korea"), words.name(0), words.search("kor")
    (1, 'North Korea', [0, 1])
    """

    def __init__(self, names: Iterable[str], what: str = "name") -> None:
        self.names: tuple[str, ...] = tuple(names)
        self.what = what

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.names == other.names

    def __hash__(self) -> int:
        return hash(self.names)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} x {self.what})"

    def name(self, index: int) -> str:
        """Name of an id."""
        if not 0 <= index < len(self.names):
            raise QueryError(f"{self.what} id {index} is out of range; expected 0 to {len(self) - 1}")
        return self.names[index]

    def id(self, name: str) -> int:
        """Id of exactly this name; ``find`` is the forgiving way."""
        index = self._ids.get(name)
        if index is None:
            raise QueryError(self._unknown(name))
        return index

    def ids(self, names: Iterable[str]) -> list[int | None]:
        """Id of each name up to case and kinds of space, None where none or several are meant.

        >>> Vocabulary(["Make a visit", "Praise"]).ids(["praise", "make_a_visit", "Blame"])
        [1, 0, None]
        """
        return [self._ids[name] if name in self._ids else self._only(name) for name in names]

    def _only(self, name: str) -> int | None:
        matches = self._by_folded.get(folded(name), [])
        return matches[0] if len(matches) == 1 else None

    def find(self, text: str) -> int:
        """Id of the name that ``text`` means: the exact name, else the only one equal up to case, spaces, accents.

        Raises ``QueryError`` with the nearest names when there is none, or with all candidates when there are several.
        """
        if text in self._ids:
            return self._ids[text]
        for fold, table in ((folded, self._by_folded), (_plain, self._by_plain)):
            matches = table.get(fold(text), [])
            if len(matches) == 1:
                return matches[0]
            if matches:
                names = ", ".join(repr(self.names[match]) for match in matches[:5])
                raise QueryError(f"{self.what} {text!r} is ambiguous; write exactly one of {names}")
        raise QueryError(self._unknown(text))

    def search(self, part: str, limit: int = 20) -> list[int]:
        """Ids of names that hold ``part``: those that begin with it, then at a word's start, then inside.

        Shorter names come first among equals, then the order of ids. An empty ``part`` gives the shortest names.
        """
        wanted = _plain(part)
        at_word = re.compile(rf"(?<!\w){re.escape(wanted)}").search
        best = heapq.nsmallest(
            limit,
            (
                # Place, length and id in one number: comparing those is what takes the time.
                ((0 if name.startswith(wanted) else 1 if at_word(name) else 2) << 60) | (len(name) << 32) | index
                for index, name in enumerate(self._plain_names)
                if wanted in name
            ),
        )
        return [key & 0xFFFFFFFF for key in best]

    def nearest(self, text: str, limit: int = 3) -> list[str]:
        """The names most like ``text`` by shared letter triples: suggestions after a slip of the pen."""
        pieces = _triples(_plain(text))
        shared: Counter[int] = Counter()
        for piece in pieces:
            shared.update(self._by_triple.get(piece, ()))
        plain = self._plain_names

        def likeness(index: int) -> float:
            return 2 * shared[index] / (len(pieces) + len(plain[index]) + 2)

        ranked = sorted(shared, key=lambda index: (-likeness(index), index))
        return [self.names[index] for index in ranked[:limit] if likeness(index) > 0.2]

    def _unknown(self, text: str) -> str:
        near = self.nearest(text)
        if near:
            return f"unknown {self.what} {text!r}; did you mean {' or '.join(map(repr, near))}?"
        return f"unknown {self.what} {text!r}; none of the {len(self):,} known names is like it"

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def _by_folded(self) -> dict[str, list[int]]:
        return _grouped(map(folded, self.names))

    @cached_property
    def _plain_names(self) -> list[str]:
        return [_plain(name) for name in self.names]

    @cached_property
    def _by_plain(self) -> dict[str, list[int]]:
        return _grouped(self._plain_names)

    @cached_property
    def _by_triple(self) -> dict[str, list[int]]:
        table: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self._plain_names):
            for piece in _triples(name):
                table[piece].append(index)
        return dict(table)


def folded(name: str) -> str:
    """Case folded, runs of spaces and underscores as one space, none at the ends."""
    return _SPACES.sub(" ", name).strip().casefold()


def _plain(name: str) -> str:
    """Folded, and without accents."""
    text = folded(name)
    if text.isascii():
        return text
    return "".join(mark for mark in unicodedata.normalize("NFKD", text) if not unicodedata.combining(mark))


def _triples(name: str) -> set[str]:
    padded = f"  {name} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}


def _grouped(keys: Iterable[str]) -> dict[str, list[int]]:
    table: dict[str, list[int]] = defaultdict(list)
    for index, key in enumerate(keys):
        table[key].append(index)
    return dict(table)
