"""Names for people who type: ranked matches of what is typed, most used names first where nothing is typed yet.

Names that hold the typed text as it is come first; then those whose words match it within a small edit distance.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from tgap.asking.fuzzy_search import NameMatch, Span, WordIndex
from tgap.asking.record import Record
from tgap.data import Dataset, Facts, Vocabulary

Kind = Literal["entity", "relation"]
_RANKED = 1000  # matches that are ordered by use; a part that more names hold is too short to mean one of the rest


class MatchRow(Record):
    """A name that matches, and how many stored facts hold it."""

    name: str
    facts: int
    spans: tuple[tuple[int, int], ...] = Field(description="letters of the name that match, as [from, to)")
    edits: int = Field(description="edit distance between what was typed and the words that match")


class Matches(Record):
    """Names, best match first."""

    matches: tuple[MatchRow, ...]


class NameIndex:
    """Names of a dataset with how many facts hold each."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._facts = Facts.concatenate(list(dataset.parts.values()))
        facts = self._facts
        entities = np.concatenate([facts.subject, facts.object])
        self._entity_counts = np.bincount(entities, minlength=dataset.num_entities)
        self._relation_counts = np.bincount(facts.relation, minlength=dataset.num_relations)
        for vocabulary in (dataset.entities, dataset.relations):
            vocabulary.search("", 1)  # the folded names are made now, not while somebody types
        self._words: dict[Kind, WordIndex] = {
            "entity": WordIndex(dataset.entities.names),
            "relation": WordIndex(dataset.relations.names),
        }

    def search(
        self, kind: Kind, part: str, limit: int, subject: str | None = None, obj: str | None = None
    ) -> tuple[MatchRow, ...]:
        """Names that match ``part``, best first; for no part the most used ones, relations of the given ends first."""
        vocabulary, counts = self._table(kind)
        if not part.strip():
            used = self._used_with(subject, obj) if kind == "relation" else counts
            most = np.lexsort((np.arange(len(counts)), -counts, -used))[:limit].tolist()
            return tuple(self._match(kind, NameMatch(index, (), 0)) for index in most)
        hits = vocabulary.search(part, _RANKED)
        holding = sorted(hits, key=lambda index: _nearness(vocabulary.name(index), part, int(counts[index])))
        found = [NameMatch(index, _place(vocabulary.name(index), part), 0) for index in holding[:limit]]
        if len(found) < limit:
            meant = [other for other in self._words[kind].search(part) if other.index not in set(holding)]
            meant.sort(key=lambda other: (other.edits, -int(counts[other.index]), other.index))
            found += meant[: limit - len(found)]
        return tuple(self._match(kind, other) for other in found)

    def _match(self, kind: Kind, found: NameMatch) -> MatchRow:
        vocabulary, counts = self._table(kind)
        return MatchRow(
            name=vocabulary.name(found.index),
            facts=int(counts[found.index]),
            spans=found.spans,
            edits=found.edits,
        )

    def _table(self, kind: Kind) -> tuple[Vocabulary, np.ndarray[tuple[int], np.dtype[np.int64]]]:
        if kind == "entity":
            return self._dataset.entities, self._entity_counts
        return self._dataset.relations, self._relation_counts

    def _used_with(self, subject: str | None, obj: str | None) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Facts of each relation that have the given ends; names that are not known yet count as not given."""
        facts = self._facts
        chosen = np.ones(len(facts), dtype=bool)
        for text, column in ((subject, facts.subject), (obj, facts.object)):
            if text is not None and text in self._dataset.entities:
                chosen &= column == self._dataset.entities.id(text)
        return np.bincount(facts.relation[chosen], minlength=self._dataset.num_relations)


def _place(name: str, part: str) -> tuple[Span, ...]:
    """Where the typed text stands in a name; nowhere if folding has moved its letters."""
    folded, wanted = name.casefold(), part.strip().casefold()
    at = folded.find(wanted) if len(folded) == len(name) else -1
    return ((at, at + len(wanted)),) if at >= 0 else ()


def _nearness(name: str, part: str, facts: int) -> tuple[bool, int]:
    """The name itself first; then use counts, eightfold for names that begin with the part, fourfold where a word does.

    So "korea" finds South Korea with its thousands of facts before a Korean party with one, and "chi" finds China.
    """
    folded, wanted = name.casefold(), part.strip().casefold()
    begins = folded.startswith(wanted)
    weight = 8 if begins else 4 if f" {wanted}" in folded or f"({wanted}" in folded else 1
    return (folded != wanted, -weight * (facts + 1))
