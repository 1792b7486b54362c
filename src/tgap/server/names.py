"""Names for people who type: ranked matches of a part of a name, most used names first where nothing is typed yet."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tgap.data import Dataset, Facts, Vocabulary
from tgap.errors import QueryError
from tgap.server.errors import UnknownNameError

Kind = Literal["entity", "relation"]
ASKED = "?"
_RANKED = 1000  # matches that are ordered by use; a part that more names hold is too short to mean one of the rest


class NameIndex:
    """Names of a dataset with how many facts hold each."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._facts = Facts.concatenate(list(dataset.splits.values()))
        facts = self._facts
        entities = np.concatenate([facts.subject, facts.object])
        self._entity_counts = np.bincount(entities, minlength=dataset.num_entities)
        self._relation_counts = np.bincount(facts.relation, minlength=dataset.num_relations)
        for vocabulary in (dataset.entities, dataset.relations):
            vocabulary.search("", 1)  # the folded names are made now, not while somebody types

    def search(self, kind: Kind, part: str, limit: int, subject: str | None, obj: str | None) -> list[dict[str, Any]]:
        """Names that hold ``part``, best first; for no part the most used ones, relations of the given ends first."""
        vocabulary, counts = self._table(kind)
        if part.strip():
            hits = vocabulary.search(part, _RANKED)
            found = sorted(hits, key=lambda index: _nearness(vocabulary.name(index), part, int(counts[index])))[:limit]
        else:
            used = self._used_with(subject, obj) if kind == "relation" else counts
            found = np.lexsort((np.arange(len(counts)), -counts, -used))[:limit].tolist()
        return [{"name": vocabulary.name(index), "facts": int(counts[index])} for index in found]

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


def _nearness(name: str, part: str, facts: int) -> tuple[bool, int]:
    """The name itself first; then use counts, eightfold for names that begin with the part, fourfold where a word does.

    So "korea" finds South Korea with its thousands of facts before a Korean party with one, and "chi" finds China.
    """
    folded, wanted = name.casefold(), part.strip().casefold()
    begins = folded.startswith(wanted)
    weight = 8 if begins else 4 if f" {wanted}" in folded or f"({wanted}" in folded else 1
    return (folded != wanted, -weight * (facts + 1))
