"""The forecasting task of T-GAP: what batches see, what the scorer walks, and that nothing of the future leaks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tgap.config import RunConfig
from tgap.data import Dataset, Fact, Facts, Timeline, Vocabulary, load_dataset
from tgap.errors import ConfigError
from tgap.evaluation import evaluate
from tgap.graph import View
from tgap.methods import config_for, make_learner, parse_config
from tgap.methods.tgap import TGAPLearner
from tgap.model.batch import HiddenBatch
from tgap.model.scorer import TGAPScorer
from tgap.scorer import Query, QueryBatch
from tgap.training.session import train

CALL, RING = 0, 1
HUB, BELL, CALLED = 0, 1, 4  # entities: the hub, the bell, then those that the hub calls


def telling_days(days: int = 90) -> Dataset:
    """Each day the hub calls one of four at random; the next day that one rings the bell, which tells who it was.

    Whoever sees the day after knows the answer; before it, nobody can do better than one in four.
    """
    random = np.random.default_rng(0)
    facts = []
    for day in range(days):
        called = 2 + int(random.integers(CALLED))
        facts += [Fact(HUB, CALL, called, day), Fact(called, RING, BELL, day + 1)]
    train, valid, test = (
        Facts.of([fact for fact in facts if low <= fact.time < high])
        for low, high in ((0, 60), (60, 75), (75, days + 2))
    )
    entities = Vocabulary(("hub", "bell", *(f"called {k}" for k in range(CALLED))))
    line = Timeline("day", 0, days + 1)
    return Dataset("telling days", entities, Vocabulary(("call", "ring")), line, train, valid, test)


def small(task: str, dataset: str = "world", **training: float) -> RunConfig:
    return config_for("tgap", dataset, task=task).with_values(
        {"model.dimension": 12, "model.heads": 2, "training.validation_queries": 40}
        | {f"training.{name}": value for name, value in training.items()}
    )


def learner_of(config: RunConfig, dataset: Dataset) -> TGAPLearner:
    learner = make_learner(config, dataset)
    assert isinstance(learner, TGAPLearner)
    return learner


def test_nothing_of_the_future_helps_a_forecast() -> None:
    """Where any leak would bring the loss to zero, a forecast stays at one in four, and completion does not."""
    dataset = telling_days()
    chance: dict[str, float] = {}
    for task in ("completion", "forecast"):
        config = small(task, epochs=5.0, learning_rate=0.04, batch_size=16, patience=0, validate_every=5.0)
        scorer = train(config, dataset).learner.scorer()
        if task == "completion":  # the facts of valid tell, as those of train do
            assert isinstance(scorer, TGAPScorer)
            asked = dataset.train
        else:
            asked = dataset.test
        asked = asked[asked.relation == CALL]
        scores = scorer.score(QueryBatch(asked.subject, asked.relation, asked.time))
        chance[task] = float(np.exp(np.log(scores[np.arange(len(asked)), asked.object] + 1e-12).mean()))
    assert chance["completion"] > 0.8
    assert chance["forecast"] < 0.3


def test_a_question_without_a_past_reaches_nothing_and_learns_nothing() -> None:
    """Each pair meets on one day only, by several facts and copies of them: any of them in sight would be a way."""
    facts = Facts.of(
        [
            Fact(*fact, pair)
            for pair in range(3)
            for fact in [(2 * pair, 0, 2 * pair + 1)] * 2 + [(2 * pair, 1, 2 * pair + 1), (2 * pair + 1, 0, 2 * pair)]
        ]
    )
    names = Vocabulary(tuple("abcdef"))
    dataset = Dataset("pairs", names, Vocabulary(("r", "q")), Timeline("day", 0, 3), facts, facts[:1], facts[:1])
    for task, reached in (("completion", True), ("forecast", False)):
        learner = learner_of(small(task, batch_size=2), dataset)
        losses = [learner.module(learner.plan(0)[k]) for k in range(len(learner.plan(0)))]
        unreachable = sum(loss.metrics["unreachable"] for loss in losses)
        assert (unreachable < learner.queries) == reached
        if not reached:
            for loss in losses:
                assert float(loss.value.detach()) == pytest.approx(-math.log(1e-12))
                loss.value.backward()
            for name, parameter in learner.module.named_parameters():
                assert parameter.grad is None or not parameter.grad.any(), name


def test_batches_see_the_past_and_hide_no_fact_by_name() -> None:
    learner = learner_of(small("forecast"), load_dataset("world"))
    plan = learner.plan(0)
    asked = 0
    for index in range(len(plan)):
        batch = plan[index]
        assert isinstance(batch, HiddenBatch)
        assert batch.view == View.all().before_query()
        asked += len(batch)
    assert asked == learner.queries == 2 * len(load_dataset("world").train)


def test_training_walks_train_and_answers_walk_everything_before_the_question() -> None:
    dataset = load_dataset("world")
    learner = learner_of(small("forecast"), dataset)
    scorer = learner.scorer()
    assert isinstance(scorer, TGAPScorer)
    assert learner.graph.num_facts == len(dataset.train)
    assert scorer.graph.num_facts == sum(len(facts) for facts in dataset.splits.values())
    query = Query(0, 0, 200)
    trace = scorer.trace(query)
    assert trace.view == View.all().before_query()
    for step in trace.steps:
        events = step.relation < scorer.graph.loop_relation
        assert (step.time[events] < query.time).all()
    np.testing.assert_allclose(trace.scores, scorer.score(QueryBatch.of([query]))[0], rtol=1e-5, atol=1e-8)
    assert evaluate(scorer, dataset, "test", limit=20).report.queries == 20


def test_a_task_belongs_to_the_settings() -> None:
    config = config_for("tgap", "world", task="forecast")
    assert parse_config(config.to_toml()) == config
    assert config_for("tgap", "world").task == "completion"
    with pytest.raises(ConfigError, match="unknown task 'divination'; expected one of completion, forecast"):
        config_for("tgap", "world", task="divination")
    with pytest.raises(ConfigError, match="distmult does not do the task forecast; tgap, recency"):
        config_for("distmult", "world", task="forecast")
