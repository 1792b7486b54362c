"""Patterns as rules with the confidence that the data give them, whatever the model thinks of them.

A pattern of one event with the same two ends is a rule, read as "if b happened between two entities, r happens between
them at a distance of so many units of time":

    r(X,Y) <= b(X,Y)     the event ran the same way
    r(X,Y) <= b(Y,X)     it ran the other way round

over the training facts, with the displacement of the body from the head within the pattern's range:

    predicted    facts of the body for which a head could be seen within the data
    correct      those that a head followed (or came before) at such a distance
    confidence   correct / predicted
    lift         confidence / the chance that the same two have such a head in a stretch of time of that length
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset
from tgap.studies.pattern_counts import Pattern

RULES = ("same", "inverse")  # ways of patterns that are rules of one event
Int64Array = NDArray[np.int64]


@dataclass(frozen=True)
class Rule:
    """A pattern of an asked relation and what the training facts say of it."""

    head: int
    pattern: Pattern
    predicted: int
    correct: int
    lift: float

    @property
    def confidence(self) -> float:
        """P(head | body)."""
        return self.correct / self.predicted if self.predicted else 0.0

    def text(self, relations: tuple[str, ...]) -> str:
        """In AnyBURL's notation.

        >>> at = Pattern(0, "inverse", -7, -2, 0.1, 3, 0.9)
        >>> Rule(1, at, 4, 1, 2.0).text(("Visit", "Host a visit"))
        'Host_a_visit(X,Y) <= Visit(Y,X)'
        """
        head, body = (relations[number].replace(" ", "_") for number in (self.head, self.pattern.relation))
        return f"{head}(X,Y) <= {body}({'X,Y' if self.pattern.way == 'same' else 'Y,X'})"


def rules_of(dataset: Dataset, head: int, patterns: Iterable[Pattern]) -> list[Rule]:
    """The patterns of questions of a relation that are rules, in their order."""
    return [_measured(dataset, head, pattern) for pattern in patterns if pattern.way in RULES]


def rule_lines(dataset: Dataset, rules: Iterable[Rule]) -> str:
    """A line for each rule: predicted, correct, confidence and rule as AnyBURL writes them, then what is our own.

    Our own: first and last displacement of the body (empty: no bound), lift, share of the way to the model's answers,
    answers that the pattern led, and the part of those that was right.
    """
    lines = []
    for rule in rules:
        at = rule.pattern
        near, far = at.nearest, "" if at.farthest is None else at.farthest
        own = (near, far, f"{rule.lift:.4g}", f"{at.share:.6f}", at.leads, f"{at.right:.4f}")
        cells = (rule.predicted, rule.correct, f"{rule.confidence:.6f}", rule.text(dataset.relations.names), *own)
        lines.append("\t".join(map(str, cells)))
    return "".join(f"{line}\n" for line in lines)


def _measured(dataset: Dataset, head: int, pattern: Pattern) -> Rule:
    """Count over train. The pattern's range is of body time minus head time."""
    train, span = dataset.train, dataset.timeline.span
    low, high = sorted((pattern.nearest, _farthest(pattern, span)))
    body, heads = train.relation == pattern.relation, train.relation == head
    ends = (train.subject, train.object) if pattern.way == "same" else (train.object, train.subject)
    count = dataset.num_entities
    pair = (ends[0][body] * count + ends[1][body]).astype(np.int64)
    own = (train.subject[heads] * count + train.object[heads]).astype(np.int64)
    first, last = train.time[body] - high, train.time[body] - low  # where the head may be
    inside = (last >= 0) & (first <= span)
    pair, first, last = pair[inside], np.maximum(first[inside], 0), np.minimum(last[inside], span)
    keys = np.unique(own * (span + 1) + train.time[heads])
    found = np.searchsorted(keys, pair * (span + 1) + last, side="right") > np.searchsorted(
        keys, pair * (span + 1) + first
    )
    if pattern.relation == head and pattern.way == "same" and low <= 0 <= high:
        found = np.zeros(len(pair), dtype=bool)  # a fact does not follow from itself
    every = np.searchsorted(keys, (pair + 1) * (span + 1)) - np.searchsorted(keys, pair * (span + 1))
    expected = np.minimum(1.0, every * (last - first + 1) / (span + 1))
    chance = float(expected.mean()) if len(pair) else 0.0
    correct = int(found.sum())
    lift = (correct / len(pair)) / chance if chance else 0.0
    return Rule(head, pattern, len(pair), correct, lift)


def _farthest(pattern: Pattern, span: int) -> int:
    if pattern.farthest is not None:
        return pattern.farthest
    return span if pattern.nearest > 0 else -span
