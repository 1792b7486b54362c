"""Names for people who type: ranked matches of what is typed, most used names first where nothing is typed yet.

Names that hold the typed text as it is come first; then those whose words it means, slips of the pen among them.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tgap.data import Dataset, Facts, Vocabulary
from tgap.errors import QueryError
from tgap.server.errors import UnknownNameError
from tgap.server.words import Found, Span, WordIndex

Kind = Literal["entity", "relation"]
ASKED = "?"
_RANKED = 1000  # matches that are ordered by use; a part that more names hold is too short to mean one of the rest


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

    def search(self, kind: Kind, part: str, limit: int, subject: str | None, obj: str | None) -> list[dict[str, Any]]:
        """Names that ``part`` means, best first; for no part the most used ones, relations of the given ends first.

        ``spans`` say which letters of a name were meant (from, to), ``slips`` how many slips that took.
        """
        vocabulary, counts = self._table(kind)
        if not part.strip():
            used = self._used_with(subject, obj) if kind == "relation" else counts
            most = np.lexsort((np.arange(len(counts)), -counts, -used))[:limit].tolist()
            return [self._match(kind, Found(index, (), 0)) for index in most]
        hits = vocabulary.search(part, _RANKED)
        holding = sorted(hits, key=lambda index: _nearness(vocabulary.name(index), part, int(counts[index])))
        found = [Found(index, _place(vocabulary.name(index), part), 0) for index in holding[:limit]]
        if len(found) < limit:
            meant = [other for other in self._words[kind].search(part) if other.index not in set(holding)]
            meant.sort(key=lambda other: (other.slips, -int(counts[other.index]), other.index))
            found += meant[: limit - len(found)]
        return [self._match(kind, other) for other in found]

    def _match(self, kind: Kind, found: Found) -> dict[str, Any]:
        vocabulary, counts = self._table(kind)
        return {
            "name": vocabulary.name(found.index),
            "facts": int(counts[found.index]),
            "spans": [list(span) for span in found.spans],
            "slips": found.slips,
        }

    def exact(self, kind: Kind, field: str, text: str) -> str:
        """The stored name that ``text`` means."""
        vocabulary, _ = self._table(kind)
        try:
            return vocabulary.name(vocabulary.find(text))
        except QueryError as error:
            raise UnknownNameError(field, kind, text, str(error), vocabulary.nearest(text, 5)) from error

    def exact_parts(self, subject: str | None, relation: str, obj: str | None) -> tuple[str | None, str, str | None]:
        """The stored names of a question's parts; None where the answer goes."""
        return (
            None if subject in (None, ASKED) else self.exact("entity", "subject", str(subject)),
            self.exact("relation", "relation", relation),
            None if obj in (None, ASKED) else self.exact("entity", "object", str(obj)),
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
