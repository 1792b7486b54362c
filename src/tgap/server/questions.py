"""Questions to begin with: a few examples that show the dataset, and random held-out facts with their true answers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tgap.data import Dataset, Fact, Facts
from tgap.explain.naming import Names

_EXAMPLES = 6


class QuestionSource:
    """Questions from the held-out facts (test, else valid, else train) about entities that training has seen."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._names = Names(dataset)
        train = dataset.train
        ends = np.concatenate([train.subject, train.object])
        self._seen = np.bincount(ends, minlength=dataset.num_entities)
        held_out = next((facts for facts in (dataset.test, dataset.valid) if len(facts)), train)
        usable = held_out[(self._seen[held_out.subject] > 0) & (self._seen[held_out.object] > 0)]
        self._facts = usable if len(usable) else held_out

    def examples(self) -> list[dict[str, Any]]:
        """A few questions about different things: each of the commonest relations, with the entity seen most.

        Every third one asks for the subject, so that both directions are shown.
        """
        facts, taken = self._facts, set[int]()
        found: list[dict[str, Any]] = []
        relations, counts = np.unique(facts.relation, return_counts=True)
        for relation in relations[np.argsort(-counts, kind="stable")]:
            head = len(found) % 3 == 2
            mine = np.flatnonzero(facts.relation == relation)
            given = (facts.object if head else facts.subject)[mine]
            fresh = mine[~np.isin(given, list(taken))]
            if not len(fresh):
                continue
            place = fresh[np.argmax(self._seen[(facts.object if head else facts.subject)[fresh]])]
            fact = facts[int(place)]
            taken.add(fact.object if head else fact.subject)
            found.append(self._question(fact, head))
            if len(found) == _EXAMPLES:
                break
        return found

    def draw(self, seed: int | None) -> dict[str, Any]:
        """A random question with its true answers at that time; the same seed draws the same one."""
        chance = random.Random(seed)  # noqa: S311  no secret hangs on it
        place = chance.randrange(len(self._facts))
        fact, head = self._facts[place], chance.random() < 0.5
        answers = self._true_answers(fact, head)
        return {"question": self._question(fact, head), "answers": answers}

    def _question(self, fact: Fact, head: bool) -> dict[str, Any]:
        return {
            "subject": None if head else self._names.entity(fact.subject),
            "relation": self._names.label(fact.relation),
            "object": self._names.entity(fact.object) if head else None,
            "time": self._names.date(fact.time),
            "asks": "subject" if head else "object",
        }

    def _true_answers(self, fact: Fact, head: bool) -> list[str]:
        """The fact's own answer first, then others that are true at the same time."""
        facts = Facts.concatenate(list(self._dataset.splits.values()))
        given, wanted = (facts.object, facts.subject) if head else (facts.subject, facts.object)
        start, answer = (fact.object, fact.subject) if head else (fact.subject, fact.object)
        same = (given == start) & (facts.relation == fact.relation) & (facts.time == fact.time)
        others = sorted({int(entity) for entity in wanted[same]} - {answer})
        return [self._names.entity(entity) for entity in [answer, *others]]
