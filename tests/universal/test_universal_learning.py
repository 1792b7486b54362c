"""What the model learns from, and that learning does something; the shipped weights; the trust check."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from tgap.data import load_dataset
from tgap.errors import ConfigError
from tgap.graph import View
from tgap.graph.task import TASKS
from tgap.scorer import Query, QueryBatch
from tgap.universal import prepare, trust_check
from tgap.universal.learning import (
    Lesson,
    Schedule,
    collect_lesson,
    fit_temperature,
    train_reranker,
    train_walker,
    usual_ratios,
)
from tgap.universal.model import UniversalModel
from tgap.universal.sources import Source
from tgap.universal.weights_file import shipped_model, write_weights
from tgap.universal.worlds import Shape, generate_world

SMALL = Shape(actors=20, things=15, relations=3, facts=400, span=40, scale=60, skew=0.8)


def test_a_world_is_that_of_its_seed() -> None:
    one, two, other = generate_world(5, SMALL), generate_world(5, SMALL), generate_world(6, SMALL)
    assert one.checksum == two.checksum != other.checksum
    assert one.train.object.min() >= SMALL.actors > one.train.subject.max()  # bipartite
    past = generate_world(5, SMALL, past=True)
    assert past.train.time.max() <= past.valid.time.min() <= past.valid.time.max() <= past.test.time.min()


def test_questions_never_see_their_own_facts() -> None:
    source = Source.of(generate_world(5, SMALL), UniversalModel(), past=False)
    for seed in range(5):
        batch = source.draw(np.random.default_rng(seed), 16)
        facts = source.graph.find_facts(
            batch.queries.subject, batch.queries.relation, batch.answers, batch.queries.time
        )
        assert (facts >= 0).all()
        assert set(facts.tolist()) <= set(batch.view.hidden)
        assert len(set(batch.queries.relation.tolist())) == 1


def test_the_other_end_of_an_interval_is_hidden() -> None:
    dataset = generate_world(5, SMALL)
    source = Source.of(dataset, UniversalModel(), past=False)
    source.statistics._other_end = np.array([1, 0, -1, 4, 3, -1])
    edges = source.statistics.index.asked(0)[:6]
    graph, hidden = source.graph, set(source.hidden(edges).view.hidden)
    for edge in edges.tolist():
        s, o = graph.source[edge], graph.neighbour[edge]
        ends = np.flatnonzero((graph.source == s) & (graph.neighbour == o) & (graph.relation == 1))
        assert set(graph.fact[ends].tolist()) <= hidden


def test_forecasts_see_only_their_past() -> None:
    source = Source.of(generate_world(5, SMALL, past=True), UniversalModel(), past=True)
    for seed in range(5):
        batch = source.draw(np.random.default_rng(seed), 16)
        assert batch.view.limit_of_all() is not None
        assert batch.view.limit_of_all() < batch.queries.time.min()
        assert batch.profile.window.last < batch.queries.time.min()


@pytest.mark.parametrize("past", [False, True])
def test_both_parts_learn(past: bool) -> None:
    model = UniversalModel(seed=1)
    dataset = generate_world(5, SMALL, past=past)
    model.prior.copy_(torch.from_numpy(usual_ratios([Source.of(dataset, model, past).statistics], past)))
    assert float(model.prior.abs().max()) > 0.1
    source = Source.of(dataset, model, past)
    before = model.walker.relations.network[0].weight.clone()  # type: ignore[operator]
    train_walker(model, [source], Schedule(steps=3, batch=8), lambda *_: None)
    after = model.walker.relations.network[0].weight
    assert not torch.equal(before, after)  # type: ignore[arg-type]
    lesson = collect_lesson(source, 120, seed=0)
    assert lesson.row[-1] == len(lesson.features)
    assert np.isfinite(lesson.features).all()
    losses: list[float] = []
    train_reranker(model.reranker, [lesson], 6, 5e-3, 0, lambda _, values: losses.append(values["loss"]))
    assert losses[-1] < losses[0]


def test_the_temperature_undoes_overconfidence() -> None:
    reranker = UniversalModel(seed=0).reranker
    features = torch.randn(600, len(reranker.mean), generator=torch.Generator().manual_seed(1)).numpy()
    lesson = Lesson(features, np.arange(0, 601, 6), np.random.default_rng(0).integers(-1, 6, 100))
    with torch.no_grad():
        for parameter in (*reranker.value[-1].parameters(), *reranker.none[-1].parameters()):
            parameter.mul_(30)
    assert fit_temperature(reranker, [lesson]) > 2  # answers are random: the flatter the likelier


def test_weights_survive_their_file(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    model = UniversalModel(seed=4)
    write_weights(model, tmp_path / "some.safetensors")
    read = load_file(tmp_path / "some.safetensors")
    assert read.keys() == model.state_dict().keys()
    for name, tensor in model.state_dict().items():
        torch.testing.assert_close(read[name].float(), tensor, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("task", list(TASKS))
def test_the_shipped_weights_beat_recency_without_training(task: str) -> None:
    ready = prepare(load_dataset("world"), task)
    assert set(ready.seconds) == {"weights", "graph"}
    found = trust_check(ready.scorer, 150)
    assert found.questions == 150
    assert found.reciprocal > found.recency_reciprocal
    assert found.sentence.startswith("on 150 of your own facts it ranks the answer first in ")


def test_hiding_a_fact_changes_what_it_speaks_for() -> None:
    dataset = load_dataset("world")
    ready = prepare(dataset)
    fact = dataset.train[100]
    scorer, query = ready.scorer, Query(fact.subject, fact.relation, fact.time)
    own = scorer.graph.find_facts(*(np.array([value]) for value in fact))
    with_it, without = (
        scorer.score(QueryBatch.of([query]), view)[0, fact.object] for view in (View.all(), View.all().without(own))
    )
    assert with_it != without


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown task 'guess'"):
        shipped_model("guess")
