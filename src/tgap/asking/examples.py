"""Questions to begin with: a few examples that show the dataset, and random held-out facts with their true answers."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from tgap.asking.question import name_query
from tgap.data import Dataset, Fact
from tgap.evaluation.true_answers import answers_of
from tgap.explain.naming import Names
from tgap.explain.schema import Question, plain
from tgap.scorer import Query

_EXAMPLES = 6


@dataclass(frozen=True)
class Examples:
    """Questions to begin with."""

    questions: tuple[Question, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found


@dataclass(frozen=True)
class HeldOut:
    """A held-out question with its true answers, that of the fact itself first."""

    question: Question
    answers: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found


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

    def examples(self) -> tuple[Question, ...]:
        """A few questions about different things: each of the commonest relations, with the entity seen most.

        Every third one asks for the subject, so that both directions are shown.
        """
        facts, taken = self._facts, set[int]()
        found: list[Question] = []
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
            found.append(name_query(self._names, self._query(fact, head)))
            if len(found) == _EXAMPLES:
                break
        return tuple(found)

    def draw(self, seed: int | None) -> HeldOut:
        """A random question with its true answers at that time; the same seed draws the same one."""
        chance = random.Random(seed)  # noqa: S311  no secret hangs on it
        place = chance.randrange(len(self._facts))
        fact, head = self._facts[place], chance.random() < 0.5
        query, answer = self._query(fact, head), fact.subject if head else fact.object
        others = answers_of(self._dataset, query)
        ordered = [answer, *others[others != answer].tolist()]  # the fact's own answer first
        return HeldOut(name_query(self._names, query), tuple(map(self._names.entity, ordered)))

    def _query(self, fact: Fact, head: bool) -> Query:
        if head:
            return Query(fact.object, fact.relation + self._dataset.num_relations, fact.time)
        return Query(fact.subject, fact.relation, fact.time)
