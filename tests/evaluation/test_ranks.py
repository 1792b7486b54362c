"""Ranks against an implementation that only sorts lists, on random scores full of ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tgap.data import Facts
from tgap.errors import EvaluationError
from tgap.evaluation.protocols import PROTOCOLS, Filters
from tgap.evaluation.queries import group, queries_of
from tgap.evaluation.ranks import TIES, rank_answers, scored_rank
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import QueryBatch

Event = tuple[int, int, int, int]


def facts(events: list[Event]) -> Facts:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return Facts(*(column.copy() for column in table.T))


def filters_of(entities: int, relations: int, *splits: list[Event]) -> Filters:
    return Filters.build(TrueAnswers(entities, relations, {f"part {k}": facts(part) for k, part in enumerate(splits)}))


def brute_force_rank(scores: list[float], answer: int, gone: set[int], ties: str) -> float:
    """Sort everybody who competes; the answer's places among equals run from first to last."""
    competitors = [score for entity, score in enumerate(scores) if entity == answer or entity not in gone]
    order = sorted(competitors, reverse=True)
    first = order.index(scores[answer]) + 1
    last = len(order) - order[::-1].index(scores[answer])
    return {"optimistic": first, "pessimistic": last, "mean": (first + last) / 2}[ties]


def true_answers(events: list[Event], subject: int, relation: int, time: int | None, num_relations: int) -> set[int]:
    """Entities true for (subject, relation) at a time, or at any (None); relation >= R asks for heads."""
    found = set()
    for s, r, o, t in events:
        if time is None or t == time:
            if (s, r) == (subject, relation):
                found.add(o)
            if (o, r + num_relations) == (subject, relation):
                found.add(s)
    return found


@st.composite
def cases(draw: st.DrawFn) -> tuple[int, int, list[list[Event]], NDArray[np.float32]]:
    """Entities, relations, three splits and a seedable table of coarse scores, one row for each distinct query."""
    entities, relations = draw(st.integers(1, 6)), draw(st.integers(1, 2))
    event = st.tuples(
        st.integers(0, entities - 1), st.integers(0, relations - 1), st.integers(0, entities - 1), st.integers(-2, 2)
    )
    splits = [draw(st.lists(event, max_size=8)) for _ in range(2)]
    splits.append(draw(st.lists(event, min_size=1, max_size=8)))
    levels = draw(st.integers(1, 4))
    count = 2 * len(splits[2]) * entities
    values = draw(st.lists(st.integers(0, levels), min_size=count, max_size=count))
    return entities, relations, splits, (np.array(values) / 4).astype(np.float32).reshape(-1, entities)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_ranks_equal_brute_force(case: tuple[int, int, list[list[Event]], NDArray[np.float32]]) -> None:
    entities, relations, splits, table = case
    queries = queries_of(facts(splits[2]), relations)
    grouping = group(queries.batch)
    scores = table[: len(grouping)]
    filters = filters_of(entities, relations, *splits)
    ranks = rank_answers(scores, grouping.batch, grouping.group, queries.answer, filters)

    everything = [event for split in splits for event in split]
    asked = [(s, r, o, t) for s, r, o, t in splits[2]] + [(o, r + relations, s, t) for s, r, o, t in splits[2]]
    for k, (subject, relation, answer, time) in enumerate(asked):
        row = scores[grouping.group[k]].tolist()
        gone = {
            "raw": set(),
            "static": true_answers(everything, subject, relation, None, relations),
            "time": true_answers(everything, subject, relation, time, relations),
        }
        for protocol in PROTOCOLS:
            for ties in TIES:
                expected = brute_force_rank(row, answer, gone[protocol], ties)
                assert ranks.of(protocol, ties)[k] == expected
            one = scored_rank(np.array(row), answer, np.array(list(gone[protocol]), dtype=np.int64))
            assert one.rank == ranks.of(protocol)[k]
            assert one.score == row[answer]


@settings(max_examples=50, deadline=None)
@given(cases())
def test_tie_rules_and_filters_are_ordered(case: tuple[int, int, list[list[Event]], NDArray[np.float32]]) -> None:
    entities, relations, splits, table = case
    queries = queries_of(facts(splits[2]), relations)
    grouping = group(queries.batch)
    filters = filters_of(entities, relations, *splits)
    ranks = rank_answers(table[: len(grouping)], grouping.batch, grouping.group, queries.answer, filters)
    for protocol in PROTOCOLS:
        optimistic, mean, pessimistic = (ranks.of(protocol, ties) for ties in ("optimistic", "mean", "pessimistic"))
        assert (optimistic >= 1).all()
        assert (optimistic <= mean).all()
        assert (mean <= pessimistic).all()
        assert (pessimistic <= entities).all()
    assert (ranks.of("static") <= ranks.of("time")).all()
    assert (ranks.of("time") <= ranks.of("raw")).all()


def test_worked_example_by_hand() -> None:
    """Whom did 0 visit on day 5? Truly 1 and 2; on day 3 it was 3; 4 and 5 never.

    Scores  entity  0    1    2    3    4    5
                    .0   .4   .6   .9   .4   .1        The answer asked for is 1.
    raw     3 and 2 are before it, 4 beside it:                  3, 3.5, 4
    static  2 and 3 step aside, 4 is still beside it:            1, 1.5, 2
    time    only 2 steps aside, 3 is still before it:            2, 2.5, 3
    """
    filters = filters_of(6, 1, [(0, 0, 3, 3), (0, 0, 2, 5)], [], [(0, 0, 1, 5)])
    ask = QueryBatch(np.array([0]), np.array([0]), np.array([5]))
    scores = np.array([[0.0, 0.4, 0.6, 0.9, 0.4, 0.1]], dtype=np.float32)
    ranks = rank_answers(scores, ask, np.array([0]), np.array([1]), filters)
    found = {
        protocol: tuple(float(ranks.of(protocol, ties)[0]) for ties in ("optimistic", "mean", "pessimistic"))
        for protocol in PROTOCOLS
    }
    assert found == {"raw": (3, 3.5, 4), "static": (1, 1.5, 2), "time": (2, 2.5, 3)}


def test_equal_scores_everywhere_earn_the_middle_rank() -> None:
    filters = filters_of(101, 1, [(0, 0, 1, 0)])
    ask = QueryBatch(np.array([0]), np.array([0]), np.array([0]))
    ranks = rank_answers(np.zeros((1, 101), dtype=np.float32), ask, np.array([0]), np.array([1]), filters)
    assert ranks.of("raw")[0] == 51
    assert ranks.of("raw", "optimistic")[0] == 1
    assert ranks.of("raw", "pessimistic")[0] == 101


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [1, 2], ids=["answer", "competitor"])
def test_scores_that_are_not_finite_are_refused(bad: float, place: int) -> None:
    filters = filters_of(3, 1, [(0, 0, 1, 7)])
    ask = QueryBatch(np.array([2, 0]), np.array([0, 0]), np.array([7, 7]))
    scores = np.ones((2, 3), dtype=np.float32)
    scores[1, place] = bad
    with pytest.raises(EvaluationError, match=rf"entity {place} in the query \(subject 0, relation 0, time 7\)"):
        rank_answers(scores, ask, np.array([0, 1]), np.array([1, 1]), filters)


def test_double_precision_is_not_rounded_to_ties() -> None:
    filters = filters_of(2, 1, [(0, 0, 1, 0)])
    ask = QueryBatch(np.array([0]), np.array([0]), np.array([0]))
    ranks = rank_answers(np.array([[1.0, 1.0 + 1e-12]]), ask, np.array([0]), np.array([1]), filters)
    assert ranks.of("raw", "pessimistic")[0] == 1


def test_rows_that_are_not_contiguous_and_callers_scores_stay() -> None:
    filters = filters_of(3, 1, [(0, 0, 1, 0), (0, 0, 2, 0)])
    ask = QueryBatch(np.array([0, 0]), np.array([0, 0]), np.array([0, 0]))
    wide = np.arange(12, dtype=np.float32).reshape(2, 6)
    before = wide.copy()
    ranks = rank_answers(wide[:, ::2], ask, np.array([0, 1]), np.array([1, 0]), filters)
    assert ranks.of("raw").tolist() == [2, 3]
    assert ranks.of("time").tolist() == [1, 1]
    np.testing.assert_array_equal(wide, before)
