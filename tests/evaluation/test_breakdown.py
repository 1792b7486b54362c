"""Buckets: every query in exactly one, labels that say what is inside."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.conftest import FunctionScorer
from tgap.data import Dataset, Fact, Facts, Timeline, Vocabulary
from tgap.evaluation import evaluate
from tgap.evaluation.breakdown import BREAKDOWNS, ENDS, NEVER, Traits, asked_ends, nearest_distance
from tgap.evaluation.queries import queries_of
from tgap.evaluation.strata import STRATA
from tgap.evaluation.true_answers import TrueAnswers

Event = tuple[int, int, int, int]
event = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 2), st.integers(-9, 9))


def facts(events: list[Event]) -> Facts:
    table = np.array(events, dtype=np.int64).reshape(len(events), 4)
    return Facts(*(column.copy() for column in table.T))


@settings(max_examples=100, deadline=None)
@given(st.lists(event, max_size=12), st.lists(event, min_size=1, max_size=6))
def test_nearest_distance_equals_looking_at_every_event(train: list[Event], asked: list[Event]) -> None:
    found = nearest_distance(facts(train), facts(asked)).tolist()
    for (s, r, o, t), distance in zip(asked, found, strict=True):
        gaps = [abs(time - t) for a, b, c, time in train if (a, b, c) == (s, r, o)]
        assert distance == min(gaps, default=NEVER)


def test_traits_by_hand(dataset: Dataset) -> None:
    """Queries: Ann visits Ben, Cat (day 6), Dan helps Eve (day 2); tails, then heads."""
    queries = queries_of(dataset.test, dataset.num_relations)
    traits = Traits.of(queries, dataset, TrueAnswers.of(dataset))
    assert traits.relation.tolist() == [1, 1, 0, 1, 1, 0]
    assert traits.degree.tolist() == [3, 3, 1, 2, 2, 0]
    assert traits.answers.tolist() == [3, 3, 1, 1, 1, 1]
    assert traits.distance.tolist() == [3, 2, NEVER, 3, 2, NEVER]
    assert traits.seen.tolist() == [0, 0, 1, 0, 0, 2]
    assert [STRATA[place].label for place in traits.evidence[:3]] == [*2 * ["same at other times"], "entity unseen"]
    assert traits.evidence[3:].tolist() == traits.evidence[:3].tolist()


def test_buckets_hold_every_query_once_and_average_to_the_total(
    dataset: Dataset, random_scorer: FunctionScorer
) -> None:
    report = evaluate(random_scorer, dataset).report
    assert tuple(report.breakdowns) == tuple(name for name in BREAKDOWNS if name != "end")  # no intervals here
    for buckets in report.breakdowns.values():
        assert sum(bucket.queries for bucket in buckets) == report.queries
        total = sum(bucket.queries * bucket.metrics["time"].mrr for bucket in buckets)
        assert np.isclose(total / report.queries, report.headline.mrr)


def test_labels(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    breakdowns = evaluate(random_scorer, dataset).report.breakdowns
    labels = {name: [(bucket.label, bucket.queries) for bucket in buckets] for name, buckets in breakdowns.items()}
    assert labels == {
        "relation": [("visits", 4), ("helps", 2)],
        "degree": [("0", 1), ("1-9", 5)],
        "answers": [("1", 4), ("3-5", 2)],
        "distance": [("2-3", 4), ("never", 2)],
        "seen": [("both entities in train", 4), ("answer not in train", 1), ("subject not in train", 1)],
        "evidence": [("same at other times", 4), ("entity unseen", 2)],
    }


def test_ends_of_intervals(dataset: Dataset) -> None:
    """Ann leads 3 to 5, Ben until 4 (since when is not known), Cat since 6; Ann and Ben meet."""
    relations = Vocabulary(["leads-since", "leads-until", "meets"], "relation")
    test = Facts.of([Fact(0, 0, 3, 3), Fact(0, 1, 3, 5), Fact(1, 1, 3, 4), Fact(2, 0, 3, 6), Fact(0, 2, 1, 4)])
    train = Facts.of([Fact(3, 2, 2, 1)])
    names = Vocabulary(["Ann", "Ben", "Cat", "Firm"], "entity")
    mine = Dataset("mine", names, relations, Timeline("year", 0, 9, "%d"), train, train[:0], test)
    found = asked_ends(mine, test)
    assert found is not None
    assert [ENDS[place] for place in found] == [ENDS[0], "end", ENDS[0], ENDS[0], "no interval"]
    scorer = FunctionScorer(mine, lambda *_: np.arange(4.0))
    buckets = evaluate(scorer, mine).report.breakdowns["end"]
    assert [(bucket.label, bucket.queries) for bucket in buckets] == [(ENDS[0], 6), ("end", 2), ("no interval", 2)]
    assert asked_ends(dataset, dataset.test) is None
