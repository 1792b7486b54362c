from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.conftest import FunctionScorer, Score
from tgap.data import Dataset, Facts
from tgap.errors import EvaluationError
from tgap.evaluation.calibration import Answers, Calibration, base_rate, calibrate, collect, fit, judge, known_siblings
from tgap.evaluation.reliability import reliability
from tgap.scorer import ScoreKind


def made(probability: np.ndarray, right: np.ndarray) -> Answers:
    """Answers of which every one is the first of a question of its own."""
    count = len(probability)
    return Answers(
        probability, right, np.ones(count, dtype=bool), np.arange(count), np.zeros(count, dtype=np.int64), count
    )


def test_answers_of_other_splits_step_aside(
    dataset: Dataset, scorer_of: Callable[[Dataset, Score], FunctionScorer]
) -> None:
    """(Ann, visits, ?, day 6): Dan is valid's own answer, Ben and Cat are test's and neither right nor wrong."""
    scorer = scorer_of(dataset, lambda *_: np.array([0.005, 0.5, 0.2, 0.195, 0.1]))
    scorer.kind = ScoreKind.PROBABILITY
    found = collect(scorer, dataset, "valid")
    asked = [(0, 1, 6), (3, 3, 6)]  # tail and head question of the one fact
    assert scorer.asked == asked
    assert found.questions == 2
    tail = found.question == 0
    assert found.probability[tail] == pytest.approx([0.195, 0.1])  # Dan, Eve; Ann has less than 1 %
    assert found.right[tail].tolist() == [True, False]
    assert found.first[tail].tolist() == [True, False]
    head = found.question == 1
    assert found.probability[head] == pytest.approx([0.5, 0.2, 0.195, 0.1])
    assert not found.right[head].any()  # Ann would be right
    assert found.first[head].tolist() == [True, False, False, False]


def test_answers_that_train_tells_are_taken_out_of_the_whole(
    dataset: Dataset, scorer_of: Callable[[Dataset, Score], FunctionScorer]
) -> None:
    """What a known sibling holds is not in question: the others share what it leaves."""
    train, valid = list(dataset.train), list(dataset.valid)
    told = valid[0]._replace(object=1)  # a second answer to valid's tail question, in train
    more = replace(dataset, train=Facts.of([*train, told]))
    scorer = scorer_of(more, lambda *_: np.array([0.05, 0.6, 0.05, 0.2, 0.1]))
    scorer.kind = ScoreKind.PROBABILITY
    found = collect(scorer, more, "valid")
    tail = found.question == 0
    assert 0.2 / 0.4 in found.probability[tail].round(6)
    assert known_siblings(more, told.subject, told.relation, told.time).tolist() == [1]
    assert known_siblings(more, 1, told.relation + more.num_relations, told.time).tolist() == [told.subject]


def test_the_base_rate_is_the_part_of_all_times_with_such_a_fact(dataset: Dataset) -> None:
    for fact in dataset.train:
        times = {one.time for one in dataset.train if (one.subject, one.relation) == (fact.subject, fact.relation)}
        wanted = len(times) / (dataset.timeline.span + 1)
        assert base_rate(dataset, fact.subject, fact.relation) == pytest.approx(wanted)
    assert base_rate(dataset, 4, 0) == 0


def test_a_relation_with_answers_enough_has_bins_of_its_own() -> None:
    probability = np.full(300, 0.55)
    relation = np.repeat([0, 1, 2], [140, 140, 20])
    right = np.concatenate([np.arange(140) < 112, np.arange(140) < 28, np.ones(20, dtype=bool)])
    answers = Answers(probability, right, np.ones(300, dtype=bool), np.arange(300), relation, 300)
    found = Calibration.from_dict(fit(answers, "valid", ["Consult", "Criticize", "Rare"]).to_dict())
    bins = [found.bin_of(0.55, name) for name in ("Consult", "Criticize", "Rare")]
    assert [None if one is None else one.right for one in bins] == [pytest.approx(0.8), pytest.approx(0.2), None]
    assert found(0.55, "Consult") > found(0.55) > found(0.55, "Criticize")
    assert found(0.55, "Rare") == found(0.55)


def test_questions_about_strangers_do_not_count(
    dataset: Dataset, scorer_of: Callable[[Dataset, Score], FunctionScorer]
) -> None:
    """Train has no fact of Eve (4): what a walk that never leaves her gives is no probability of anything."""
    scorer = scorer_of(dataset, lambda *_: np.full(5, 0.2))
    scorer.kind = ScoreKind.PROBABILITY
    assert collect(scorer, dataset, "test").questions == len(scorer.asked) == 4
    assert not any(subject == 4 for subject, _, _ in scorer.asked)


def test_scores_that_only_order_cannot_be_calibrated(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    with pytest.raises(EvaluationError, match="only order"):
        calibrate(random_scorer, dataset)


def test_bins_and_errors_by_hand() -> None:
    probability = np.array([0.55, 0.57, 0.59, 0.015])
    found = reliability(probability, np.array([True, True, False, False]), np.array([True, False, False, False]))
    low, high = found.bins
    assert (low.low, low.high, low.answers, low.right) == (0.01, 0.02, 1, 0.0)
    assert (high.low, high.high, high.answers) == (0.5, 0.6, 3)
    assert high.mean == pytest.approx(0.57)
    assert high.right == pytest.approx(2 / 3)
    assert found.error == pytest.approx((3 * (2 / 3 - 0.57) + 0.015) / 4)
    assert found.first_error == pytest.approx(0.45)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_map_rises_and_mends_probabilities_that_are_off(seed: int) -> None:
    random = np.random.default_rng(seed)
    probability = random.uniform(0.01, 1.0, 6000)
    right = random.random(6000) < probability**2  # right less often than said
    found = fit(made(probability, right), "valid")
    knots = np.array(found.knots)
    assert np.all(np.diff(knots, axis=0) > 0)
    assert found.raw.error > 0.1
    assert found.calibrated.error < 0.04
    assert found(0.5) == pytest.approx(0.25, abs=0.08)
    raw, calibrated = judge(found, made(probability, right))
    assert raw == found.raw
    assert calibrated.error < 0.03
    order = np.array([found(p) for p in np.linspace(0, 1, 200)])
    assert np.all(np.diff(order) >= 0)
    assert order[0] == 0


def test_what_is_said_of_an_answer_comes_from_its_bin() -> None:
    probability = np.array([0.55, 0.57, 0.95, 1.0] * 30)
    found = fit(made(probability, np.array([True, False, True, True] * 30)), "valid")
    like = found.bin_of(0.5)
    assert like is not None
    assert (like.low, like.high, like.answers, like.right) == (0.5, 0.6, 60, 0.5)
    assert found.bin_of(1.0) == found.bin_of(0.95)
    assert found.bin_of(0.3) is None
    assert found.bin_of(0.001) is None


def test_a_calibration_can_be_written_and_read() -> None:
    found = fit(made(np.linspace(0.01, 1, 500), np.arange(500) % 2 == 0), "valid")
    assert Calibration.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    with pytest.raises(EvaluationError, match="has format 'other'"):
        Calibration.from_dict({"format": "other"})
    for key in ("raw", "knots", "split"):
        with pytest.raises(EvaluationError, match="is damaged"):
            Calibration.from_dict(
                {**found.to_dict(), key: None} if key != "split" else {"format": found.to_dict()["format"]}
            )


def test_few_answers_at_the_top_join_those_below() -> None:
    found = fit(made(np.array([0.5] * 40 + [0.99] * 10), np.arange(50) < 25), "valid")
    ((given, wanted),) = found.knots
    assert given == pytest.approx((20 + 9.9) / 50)
    assert wanted == 0.5
    assert found(0.99) == 0.5


def test_few_answers_and_none() -> None:
    found = fit(made(np.array([0.4]), np.array([True])), "valid")
    assert found.knots == ((0.4, 1.0),)
    assert found(0.2) == pytest.approx(0.5)
    with pytest.raises(EvaluationError, match="nothing to calibrate"):
        fit(made(np.empty(0), np.empty(0, dtype=bool)), "valid")
