"""What holds of every walk: mass is kept, batches and names do not matter, hidden is gone, the odd cases work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.model.tiny_models import batch_of, loss_and_gradients, model_of, scores_of, seen
from tests.oracle import Oracle
from tests.tiny import lonely_entity, random_parameters, tiny_config, tiny_graph
from tgap.graph import TemporalGraph, View
from tgap.kernels.backend import AttentionWeights
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP

SPAN = 12
ENTITIES, RELATIONS = 8, 3
SMALL = tiny_config()  # samples are cut
ROOMY = tiny_config(core_nodes=ENTITIES, sampled_edges=1000, added_edges=10_000)  # nothing is ever cut
FEW = settings(max_examples=10, deadline=None)

seeds = st.integers(0, 10**6)
query = st.tuples(st.integers(0, ENTITIES - 1), st.integers(0, 2 * RELATIONS - 1), st.integers(-4, SPAN + 4))
queries = st.lists(query, min_size=2, max_size=6)


def random_facts(seed: int, count: int = 25) -> NDArray[np.int64]:
    """[count, 4] facts, some of them twice."""
    random = np.random.default_rng(seed)
    table = random.integers(0, [ENTITIES, RELATIONS, ENTITIES, SPAN + 1], size=(count, 4))
    table[-count // 5 :] = table[: count - count // 5 * 4]
    return table


def graph_of(table: NDArray[np.int64]) -> TemporalGraph:
    return TemporalGraph.build(ENTITIES, RELATIONS, *table.T)


def model_on(graph: TemporalGraph, config: TGAPSettings, seed: int) -> TGAP:
    parameters = random_parameters(config, graph.num_entities, graph.num_relations, SPAN, seed)
    return model_of(config, graph, SPAN, parameters)


@FEW
@given(seed=seeds, asked=query)
def test_mass_is_one_after_every_step(seed: int, asked: tuple[int, int, int]) -> None:
    graph = tiny_graph(seed)
    model = model_on(graph, SMALL, seed)
    for record in model.record(batch_of(asked), View.all(), seed):
        step = seen(graph, record)
        np.testing.assert_allclose(step.mass.sum(0), 1, rtol=1e-12)
        np.testing.assert_allclose(step.attention.sum(0), 1, rtol=1e-12)
        assert (step.mass >= 0).all()
        assert (step.attention >= 0).all()
    np.testing.assert_allclose(scores_of(model, batch_of(asked), seed).sum(1), 1, rtol=1e-12)


@FEW
@given(seed=seeds, asked=queries)
def test_a_batch_gives_what_its_queries_give_one_by_one(seed: int, asked: list[tuple[int, int, int]]) -> None:
    graph = tiny_graph(seed)
    model = model_on(graph, SMALL, seed)
    together = scores_of(model, batch_of(*asked), seed)
    alone = np.concatenate([scores_of(model, batch_of(one), seed) for one in asked])
    np.testing.assert_allclose(together, alone, rtol=1e-11, atol=1e-15)


@FEW
@given(seed=seeds, asked=queries)
def test_renaming_entities_permutes_the_results(seed: int, asked: list[tuple[int, int, int]]) -> None:
    table = random_facts(seed)
    new_name = np.random.default_rng(seed + 1).permutation(ENTITIES)
    parameters = random_parameters(ROOMY, ENTITIES, RELATIONS, SPAN, seed)
    renamed_parameters = dict(parameters)
    renamed_parameters["entity"] = np.empty_like(parameters["entity"])
    renamed_parameters["entity"][new_name] = parameters["entity"]
    renamed = table.copy()
    renamed[:, 0], renamed[:, 2] = new_name[table[:, 0]], new_name[table[:, 2]]
    scores = scores_of(model_of(ROOMY, graph_of(table), SPAN, parameters), batch_of(*asked))
    other = batch_of(*((int(new_name[s]), r, t) for s, r, t in asked))
    got = scores_of(model_of(ROOMY, graph_of(renamed), SPAN, renamed_parameters), other)
    np.testing.assert_allclose(got[:, new_name], scores, rtol=1e-10, atol=1e-15)


@FEW
@given(seed=seeds, asked=query)
def test_the_order_of_facts_changes_nothing(seed: int, asked: tuple[int, int, int]) -> None:
    table = random_facts(seed)
    shuffled = table[np.random.default_rng(seed + 1).permutation(len(table))]
    one, two = (scores_of(model_on(graph_of(facts), SMALL, seed), batch_of(asked)) for facts in (table, shuffled))
    np.testing.assert_array_equal(one, two)


def assert_same_answers(
    graph: TemporalGraph, view: View, rest: NDArray[np.int64], asked: list[tuple[int, int, int]], seed: int
) -> None:
    """Scores, loss and gradients seen through ``view`` are those of a graph with only the facts ``rest``."""
    parameters = random_parameters(ROOMY, ENTITIES, RELATIONS, SPAN, seed)
    hiding = model_of(ROOMY, graph, SPAN, parameters)
    without = model_of(ROOMY, graph_of(rest), SPAN, parameters)
    batch = batch_of(*asked)
    got, wanted = scores_of(hiding, batch, view=view), scores_of(without, batch)
    np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-15)
    answers = wanted.argmax(1).tolist()
    loss, gradients = loss_and_gradients(hiding, batch, answers, view, 0)
    wanted_loss, wanted_gradients = loss_and_gradients(without, batch, answers, View.all(), 0)
    assert loss == pytest.approx(wanted_loss, rel=1e-10)
    for name, gradient in wanted_gradients.items():
        np.testing.assert_allclose(gradients[name], gradient, rtol=1e-8, atol=1e-11, err_msg=name)


@FEW
@given(seed=seeds, asked=queries, share=st.sampled_from([0.1, 0.5, 1.0]))
def test_hidden_facts_are_gone_with_inverses_and_copies(
    seed: int, asked: list[tuple[int, int, int]], share: float
) -> None:
    table = random_facts(seed)
    graph = graph_of(table)
    hidden = np.random.default_rng(seed).choice(graph.num_facts, int(share * graph.num_facts), replace=False)
    fact_of_row = graph.find_facts(*table.T)
    view = View.all().without(hidden)
    assert_same_answers(graph, view, table[~np.isin(fact_of_row, hidden)], asked, seed)


@FEW
@given(seed=seeds, asked=queries, first=st.integers(0, SPAN), length=st.integers(-1, SPAN))
def test_a_window_shows_only_its_facts(seed: int, asked: list[tuple[int, int, int]], first: int, length: int) -> None:
    table = random_facts(seed)
    view = View.all().since(first).until(first + length)
    inside = (table[:, 3] >= first) & (table[:, 3] <= first + length)
    assert_same_answers(graph_of(table), view, table[inside], asked, seed)


VARIANTS = [
    ROOMY,
    ROOMY.replace(displacement="absolute"),
    ROOMY.replace(subgraph=False),
    ROOMY.replace(lazy=True),
    ROOMY.replace(pgnn_layers=2),
]


@pytest.mark.parametrize("config", VARIANTS)
@pytest.mark.parametrize("kernels", ["compiled", "reference"])
def test_each_query_sees_what_lies_before_its_own_time(config: TGAPSettings, kernels: str) -> None:
    table, asked = random_facts(4), [(0, 1, 4), (3, 2, 9), (1, 0, 4), (5, 3, 0), (2, 1, 30)]
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 4)
    model, view, batch = model_of(config, graph_of(table), SPAN, parameters, kernels), View.all(), batch_of(*asked)
    scores = scores_of(model, batch, view=View.all().before_query())
    answers = scores.argmax(1).tolist()
    loss, gradients = loss_and_gradients(model, batch, answers, View.all().before_query(), 0)
    single = []
    for place, query in enumerate(asked):
        earlier = model_of(config, graph_of(table[table[:, 3] < query[2]]), SPAN, parameters, kernels)
        np.testing.assert_allclose(scores[place], scores_of(earlier, batch_of(query))[0], rtol=1e-10, atol=1e-15)
        single.append(loss_and_gradients(earlier, batch_of(query), [answers[place]], view, 0))
    assert loss == pytest.approx(np.mean([value for value, _ in single]), rel=1e-10)
    for name, gradient in gradients.items():
        wanted = np.mean([each[name] for _, each in single], axis=0)
        np.testing.assert_allclose(gradient, wanted, rtol=1e-8, atol=1e-11, err_msg=name)


def test_a_backward_pass_sees_what_its_forward_pass_saw() -> None:
    graph = tiny_graph(6, facts=30)
    model, batch, answers = model_on(graph, SMALL, 6), batch_of((1, 2, 4), (3, 0, 5)), np.array([5, 2])
    views = [View.all().without([fact, fact + 1]) for fact in range(0, 12, 3)]
    wanted = [loss_and_gradients(model, batch, answers.tolist(), view, 0) for view in views]
    losses = [model.loss(batch, answers, view, 0).value for view in views]  # all at once, none gone back yet
    for loss, (value, gradients) in zip(losses, wanted, strict=True):
        model.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        assert loss.item() == value
        for name, parameter in model.named_parameters():
            got = np.zeros_like(gradients[name]) if parameter.grad is None else parameter.grad.numpy()
            np.testing.assert_array_equal(got, gradients[name], err_msg=name)


@pytest.mark.parametrize("kernels", ["compiled", "reference"])
def test_an_entity_with_only_its_loop_keeps_its_mass(kernels: str) -> None:
    graph = lonely_entity()
    model = model_of(SMALL, graph, SPAN, random_parameters(SMALL, 3, 2, SPAN, 1), kernels)
    np.testing.assert_allclose(scores_of(model, batch_of((2, 0, 1), (2, 3, -7))), [[0, 0, 1], [0, 0, 1]], rtol=1e-12)
    result = model.loss(batch_of((2, 0, 1), (2, 0, 1)), np.array([2, 0]), View.all(), 0)
    assert result.metrics == {"unreachable": 1}
    assert result.value.item() == pytest.approx(-np.log(1e-12) / 2, rel=1e-6)


@pytest.mark.parametrize("time", [-1, -SPAN, SPAN + 1, 10 * SPAN])
@pytest.mark.parametrize("config", [SMALL, tiny_config(displacement_exact=3, displacement_octave=2)])
def test_a_time_outside_the_timeline_is_answered_as_defined(time: int, config: TGAPSettings) -> None:
    graph = tiny_graph(9)
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 9)
    wanted = Oracle(config, parameters, graph, 0, SPAN, None, 0, answering=True).run(1, 2, time).scores
    for kernels in ("compiled", "reference"):
        got = scores_of(model_of(config, graph, SPAN, parameters, kernels), batch_of((1, 2, time)))[0]
        np.testing.assert_allclose(got, wanted, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("kernels", ["compiled", "reference"])
@pytest.mark.parametrize("sign", [-1, 1])
def test_all_times_beyond_the_table_are_alike(sign: int, kernels: str) -> None:
    graph = tiny_graph(9)
    model = model_of(ROOMY, graph, SPAN, random_parameters(ROOMY, ENTITIES, RELATIONS, SPAN, 9), kernels)
    far, furthest = (scores_of(model, batch_of((1, 2, sign * size))) for size in (3 * SPAN, 2**30 - 1))
    np.testing.assert_allclose(furthest, far, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("subgraph", [True, False])
def test_shared_questions_and_repeated_facts_count_like_single_ones(subgraph: bool) -> None:
    config = SMALL.replace(subgraph=subgraph)
    graph = tiny_graph(11)
    model = model_on(graph, config, 11)
    view = View.all()
    # Three answers to one question, one of them twice, between two other questions.
    asked = [(3, 0, 5), (1, 2, 4), (1, 2, 4), (1, 2, 4), (1, 2, 4), (0, 1, 4)]
    answers = [2, 5, 1, 5, 0, 7]
    loss, gradients = loss_and_gradients(model, batch_of(*asked), answers, view, 3)
    single = [loss_and_gradients(model, batch_of(q), [a], view, 3) for q, a in zip(asked, answers, strict=True)]
    assert loss == pytest.approx(np.mean([value for value, _ in single]), rel=1e-11)
    for name, gradient in gradients.items():
        wanted = np.mean([each[name] for _, each in single], axis=0)
        np.testing.assert_allclose(gradient, wanted, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("kernels", ["compiled", "reference"])
def test_what_weights_and_embeddings_give_is_computed_once_a_walk(
    kernels: str, lazy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, graph = tiny_config(lazy=lazy), tiny_graph(12)
    model = model_of(config, graph, SPAN, random_parameters(config, ENTITIES, RELATIONS, SPAN, 12), kernels)
    compute, layers = model.backend.maps, []

    def counted(weights: AttentionWeights, *more: Any) -> Any:
        layers.append("pgnn" if weights.query is dict(model.named_parameters())["pgnn.0.query"] else "sgnn")
        return compute(weights, *more)

    monkeypatch.setattr(model.backend, "maps", counted)
    model.loss(batch_of((1, 2, 4), (3, 0, 4)), np.array([5, 2]), View.all(), 0)
    assert sorted(layers) == ["pgnn", "sgnn"]


def test_an_empty_graph_answers_with_the_subject() -> None:
    graph = TemporalGraph.build(3, 1, *(np.empty(0, np.int64) for _ in range(4)))
    model = model_of(SMALL, graph, 0, random_parameters(SMALL, 3, 1, 0, 2))
    np.testing.assert_allclose(scores_of(model, batch_of((1, 0, 0), (2, 1, 4))), [[0, 1, 0], [0, 0, 1]], rtol=1e-12)
    loss, gradients = loss_and_gradients(model, batch_of((1, 0, 0)), [1], View.all(), 0)
    assert loss == pytest.approx(0, abs=1e-11)
    assert all(np.isfinite(gradient).all() for gradient in gradients.values())
