"""Which answers are no news: facts that the dataset already holds, at the time that is asked about or at another."""

from __future__ import annotations

from tgap.data import Dataset
from tgap.evaluation.true_answers import answering_facts
from tgap.scorer import Query

SAME, OTHER = "same", "other"  # codes for programs: known at the time that is asked about, or only at others


class Known:
    """Stored answers to one question, by entity."""

    def __init__(self, dataset: Dataset, query: Query) -> None:
        self._words = {SAME: same_time(dataset), OTHER: "at another time"}
        self._found: dict[int, tuple[bool, list[str]]] = {}
        for split, facts in answering_facts(dataset, query).items():
            for fact in facts:
                self._add(fact.object, fact.time == query.time, split)

    def _add(self, entity: int, now: bool, split: str) -> None:
        was, splits = self._found.get(entity, (False, []))
        if now and not was:
            splits = []  # a fact at the very time outweighs those at others
        if now or not was:
            self._found[entity] = (now, splits if split in splits else [*splits, split])

    def of(self, entity: int) -> tuple[str | None, str | None, tuple[str, ...]]:
        """How an answer is known in words, the same as a code, and in which splits."""
        if entity not in self._found:
            return None, None, ()
        now, splits = self._found[entity]
        when = SAME if now else OTHER
        return self._words[when], when, tuple(splits)


def same_time(dataset: Dataset) -> str:
    """Words for "at the time that is asked about"."""
    unit = dataset.timeline.unit
    return {"day": "on this day", "hour": "in this hour", "minute": "in this minute", "integer": "at this step"}.get(
        unit, f"in this {unit}"
    )
