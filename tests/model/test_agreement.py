"""Compiled kernels, reference and oracle agree in float64: forward, attention of every edge, samples, gradients."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.model.tiny_models import batch_of, loss_and_gradients, model_of, scores_of, seen
from tests.oracle import Oracle, OracleResult, numeric_gradient
from tests.tiny import (
    NAMED,
    NAMED_SPAN,
    Parameters,
    random_entries,
    random_parameters,
    tiny_graph,
    variants,
    zero_parameters,
)
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import visible_graph
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP

SPAN = 12
SEED = 3
VARIANTS = variants()
BACKENDS = ("compiled", "reference")


@dataclass(frozen=True)
class Case:
    """A model in three implementations, questions (the first two at one time) and the facts that are hidden."""

    config: TGAPSettings
    graph: TemporalGraph
    parameters: Parameters
    queries: list[tuple[int, int, int]]
    answers: list[int]
    view: View

    def model(self, kernels: str) -> TGAP:
        return model_of(self.config, self.graph, SPAN, self.parameters, kernels)

    def oracle(self, answering: bool = False) -> Oracle:
        return Oracle(self.config, self.parameters, self.graph, 0, SPAN, self.mask, SEED, answering)

    @property
    def mask(self) -> NDArray[np.uint8]:
        return visible_graph(self.graph, self.view).mask


def random_case(name: str, *, entities: int = 8, facts: int = 25) -> Case:
    """A variant on a random graph of its own, with three facts of it as questions; the first of them is hidden."""
    config, seed = VARIANTS[name], 100 + list(VARIANTS).index(name)
    graph = tiny_graph(seed, entities=entities, facts=facts, span=SPAN)
    random = np.random.default_rng(seed)
    edges = random.permutation(np.flatnonzero(graph.fact >= 0))
    first = edges[0]
    second, third = edges[graph.time[edges] == graph.time[first]][-1], edges[graph.time[edges] != graph.time[first]][0]
    return case_of(config, graph, random_parameters(config, entities, 3, SPAN, seed), [first, second, third])


def case_of(config: TGAPSettings, graph: TemporalGraph, parameters: Parameters, edges: list[int]) -> Case:
    """Questions that the given edges answer; the fact of the first is hidden."""
    queries = [(int(graph.source[e]), int(graph.relation[e]), int(graph.time[e])) for e in edges]
    view = View.all().without(graph.fact[edges[:1]])
    return Case(config, graph, parameters, queries, [int(graph.neighbour[e]) for e in edges], view)


def named_case(graph_name: str, variant: str) -> Case:
    """A variant on a named graph, asked about its first fact, its inverse, and a time without facts."""
    graph, config = NAMED[graph_name](), VARIANTS[variant]
    parameters = random_parameters(config, graph.num_entities, graph.num_relations, NAMED_SPAN, 7)
    edge = int(np.flatnonzero(graph.fact >= 0)[0])
    queries = [
        (int(graph.source[edge]), int(graph.relation[edge]), int(graph.time[edge])),
        (graph.num_entities - 1, int(graph.inverse(graph.relation[[edge]])[0]), int(graph.time[edge])),
        (int(graph.neighbour[edge]), 0, NAMED_SPAN + 5),
    ]
    answers = [int(graph.neighbour[edge]), graph.num_entities - 1, 0]
    return Case(config, graph, parameters, queries, answers, View.all())


def said(graph: TemporalGraph, edges: Iterable[int]) -> list[tuple[int, ...]]:
    """What edges say: of the copies of a fact, which tie, rounding decides which one joins."""
    columns = (graph.source, graph.relation, graph.neighbour, graph.time)
    return sorted(tuple(int(column[edge]) for column in columns) for edge in edges)


def assert_records_agree(case: Case, model: TGAP, results: list[OracleResult]) -> None:
    """Attention of every edge, mass, samples and subgraphs of every step."""
    graph = case.graph
    for query, result in zip(case.queries, results, strict=True):
        records = model.record(batch_of(query), case.view, SEED)
        assert len(records) == len(result.steps)
        for record, wanted in zip(records, result.steps, strict=True):
            step = seen(graph, record)
            attention = np.zeros_like(step.attention)
            for edge, value in wanted.attention.items():
                attention[edge] = value
            np.testing.assert_allclose(step.attention, attention, rtol=1e-10, atol=1e-14)
            np.testing.assert_allclose(step.mean, attention.mean(1), rtol=1e-10, atol=1e-14)
            mass = np.array([wanted.mass[entity] for entity in range(graph.num_entities)])
            np.testing.assert_allclose(step.mass, mass, rtol=1e-10, atol=1e-14)
            assert step.core == wanted.core
            assert step.candidates == sorted(wanted.candidates)
            assert said(graph, step.added) == said(graph, wanted.added)
            assert step.entities == wanted.entities
            if case.config.subgraph:
                assert said(graph, step.edges) == said(graph, wanted.edges)


def assert_forward_agrees(case: Case) -> None:
    """Features, scores in both kinds of batch, records."""
    oracle = case.oracle(answering=True)
    results = [oracle.run(*query) for query in case.queries]
    wanted = np.array([result.scores for result in results])
    for kernels in BACKENDS:
        model = case.model(kernels)
        for query, result in zip(case.queries, results, strict=True):
            h = model.features(query[2], model.views.resolve(case.view)).h.detach().numpy()
            np.testing.assert_allclose(h, result.h, rtol=1e-10, atol=1e-13)
        for count in (2, 3):  # one time, mixed times
            got = scores_of(model, batch_of(*case.queries[:count]), SEED, case.view)
            np.testing.assert_allclose(got, wanted[:count], rtol=1e-10, atol=1e-14)
        assert_records_agree(case, model, results)


@pytest.mark.parametrize("name", VARIANTS)
def test_forward_agrees_on_a_random_graph(name: str) -> None:
    assert_forward_agrees(random_case(name))


@pytest.mark.parametrize("variant", ["recommended", "paper", "buckets_signed", "no_subgraph"])
@pytest.mark.parametrize("graph_name", NAMED)
def test_forward_agrees_on_named_graphs(graph_name: str, variant: str) -> None:
    assert_forward_agrees(named_case(graph_name, variant))


@pytest.mark.parametrize("variant", ["recommended", "narrow", "paper"])
def test_forward_agrees_where_everything_ties(variant: str) -> None:
    config = VARIANTS[variant]
    graph = NAMED["star_hub"]()
    parameters = zero_parameters(config, graph.num_entities, graph.num_relations, SPAN)
    assert_forward_agrees(case_of(config, graph, parameters, [1, 2, 5]))


@pytest.mark.parametrize("name", VARIANTS)
def test_gradients_of_all_parameters_agree(name: str) -> None:
    case = random_case(name)
    compiled, reference = case.model("compiled"), case.model("reference")
    oracle = case.oracle()
    single = [oracle.loss(oracle.run(*q), a) for q, a in zip(case.queries, case.answers, strict=True)]
    for count in (2, 3):
        batch, answers = batch_of(*case.queries[:count]), case.answers[:count]
        loss, got = loss_and_gradients(compiled, batch, answers, case.view, SEED)
        reference_loss, wanted = loss_and_gradients(reference, batch, answers, case.view, SEED)
        assert loss == pytest.approx(np.mean(single[:count]), rel=1e-10)
        assert reference_loss == pytest.approx(np.mean(single[:count]), rel=1e-10)
        assert set(got) == set(case.parameters)
        for parameter, gradient in wanted.items():
            scale = np.abs(gradient).max()
            np.testing.assert_allclose(
                got[parameter], gradient, rtol=1e-9, atol=1e-9 * scale + 1e-14, err_msg=f"gradient of {parameter}"
            )


@pytest.mark.parametrize("name", VARIANTS)
def test_gradients_agree_with_differences_of_the_oracle(name: str) -> None:
    case = random_case(name, entities=3, facts=6)
    query, answer = case.queries[1], case.answers[1]
    _, got = loss_and_gradients(case.model("compiled"), batch_of(query), [answer], case.view, SEED)
    entries = touched_entries(got, case.parameters)
    numeric = numeric_gradient(
        case.config, case.parameters, case.graph, span=SPAN, query=query, answer=answer, entries=entries,
        visible=case.mask, seed=SEED,
    )  # fmt: skip
    for parameter, values in numeric.items():
        for entry, value in values.items():
            assert got[parameter][entry] == pytest.approx(value, rel=1e-5, abs=1e-8), (parameter, entry)


def touched_entries(got: dict[str, np.ndarray], parameters: Parameters) -> dict[str, list[tuple[int, ...]]]:
    """One random entry of every parameter, among those with a gradient where there are any."""
    entries = random_entries(parameters, seed=5, each=1)
    for name, gradient in got.items():
        places = np.argwhere(gradient != 0)
        if len(places):
            entries[name] = [tuple(int(i) for i in places[len(places) // 3])]
    return entries
