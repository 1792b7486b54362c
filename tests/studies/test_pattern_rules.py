"""Confidence and lift of rules are those of counting by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.explain.small_dataset import ENTITIES, small_dataset
from tgap.data import Facts
from tgap.data.facts import Fact
from tgap.studies.pattern_counts import Pattern
from tgap.studies.pattern_rules import rule_lines, rules_of

A, B, C = 0, 1, 3
CONSULT, PRAISE = 0, 1


def pattern(relation: int, way: str, nearest: int, farthest: int | None) -> Pattern:
    return Pattern(relation, way, nearest, farthest, 0.2, 5, 0.8)


def test_confidence_counts_the_bodies_that_a_head_goes_with() -> None:
    """B consults A; A praises B within a week after two of three such events."""
    rows = [
        (B, CONSULT, A, 10), (A, PRAISE, B, 12), (B, CONSULT, A, 30), (A, PRAISE, B, 37), (B, CONSULT, A, 60),
        (A, PRAISE, B, 69), (C, PRAISE, B, 62),
    ]  # fmt: skip
    dataset = replace(small_dataset(), train=Facts.of([Fact(s, r, o, t) for s, r, o, t in rows]))
    rule, other = rules_of(
        dataset,
        PRAISE,
        [pattern(CONSULT, "inverse", -2, -7), pattern(CONSULT, "given", -2, -7), pattern(0, "same", 0, 0)],
    )
    assert (rule.predicted, rule.correct) == (3, 2)
    assert rule.confidence == pytest.approx(2 / 3)
    assert rule.lift == pytest.approx((2 / 3) / (3 * 6 / 365))  # three heads, windows of six days, 365 days
    assert (other.predicted, other.correct) == (3, 0)
    line = rule_lines(dataset, [rule]).rstrip("\n").split("\t")
    assert line[:4] == ["3", "2", "0.666667", "Praise_<loudly>(X,Y) <= Consult(Y,X)"]
    assert line[4:6] == ["-2", "-7"]
    assert ENTITIES[B]


def test_a_fact_does_not_follow_from_itself() -> None:
    dataset = small_dataset()
    (rule,) = rules_of(dataset, 2, [pattern(2, "same", 0, 0)])
    assert rule.correct == 0
    (far,) = rules_of(dataset, 2, [pattern(2, "same", -8, None)])
    assert far.predicted > 0
