"""The oracle against one small question worked out by hand, and its numeric gradients against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.oracle import (
    Oracle,
    numeric_gradient,
)
from tests.oracle_cases import SPAN
from tests.tiny import (
    Parameters,
    one_edge,
    random_entries,
    random_parameters,
    tiny_config,
    tiny_graph,
    zero_parameters,
)

# One fact (0, r, 1, t=2), question (0, r, ?, t=3), d = 1, the paper's form with slope 0.1. Edges:
#   0: 0 -> 0 loop     1: 0 -> 1 relation 0     2: 1 -> 0 relation 1 (inverse)     3: 1 -> 1 loop
# Facts lie one unit in the past. Embeddings 1 and 2; rho = 1, -1, 0 (loop); tau = 0 for size 0, 1 for size 1.
HAND_CONFIG = tiny_config("paper", dimension=1, heads=1, steps=2, leaky_slope=0.1)


def hand_parameters() -> Parameters:
    parameters = zero_parameters(HAND_CONFIG, 2, 1, 2)
    parameters["entity"][:, 0] = [1, 2]
    parameters["relation"][:, 0] = [1, -1, 0]
    parameters["displacement.size"][:, 0] = [0, 1, 77]
    parameters["pgnn.0.message"][:, 0, 0] = [1, 1, 77]  # past, present, future (never seen here)
    parameters["pgnn.0.query"][...] = 1
    parameters["pgnn.0.key"][...] = 1
    parameters["sgnn.message"][:, 0, 0] = [2, 1, 77]
    parameters["sgnn.query"][...] = 1
    parameters["sgnn.key"][...] = 1
    parameters["query.weight"][...] = 1
    parameters["enter.weight"][0] = [1, -1]
    parameters["flow.query"][...] = 1
    parameters["flow.key"][...] = 1
    return parameters


def leaky(x: float) -> float:
    return x if x > 0 else 0.1 * x


def test_hand_computed_question() -> None:
    result = Oracle(HAND_CONFIG, hand_parameters(), one_edge(), 0, 2, None, 0).run(0, 0, 3)
    first, second = result.steps

    # PGNN. Messages h_i + rho + tau: loop of 0: 1; 0 -> 1: 1 + 1 + 1 = 3; 1 -> 0: 2 - 1 + 1 = 2; loop of 1: 2.
    # Into 0: scores 1 * 1 and 1 * 2, weights 1 : e. Into 1: scores 2 * 3 and 2 * 2, weights e^2 : 1.
    e = math.e
    h0 = (1 + 2 * e) / (1 + e)
    h1 = (3 * e**2 + 2) / (e**2 + 1)
    np.testing.assert_allclose(result.h[:, 0], [h0, h1], rtol=1e-14)

    # q = act(h_0 + rho_0) = h_0 + 1, and g_0 = h_0 - q = -1.
    np.testing.assert_allclose(result.q, [h0 + 1], rtol=1e-14)
    np.testing.assert_allclose(first.flow_features[0], [-1], rtol=1e-14)

    # Step 1, u_0 = -1. Loop: base 0, act(-1 * -1) + act(-h_0). Edge 1: base -(1 + 1), act(0 - 2) + act(-h_1 - 2).
    loop, forward = 1 - 0.1 * h0, -0.2 - 0.1 * (h1 + 2)
    stay = 1 / (1 + math.exp(forward - loop))
    np.testing.assert_allclose([first.mass[0][0], first.mass[1][0]], [stay, 1 - stay], rtol=1e-13)
    assert first.transition[2] == first.transition[3] == 0.5  # 1 is not in the subgraph: two edges out, a half each
    assert (first.core, first.candidates, first.added) == ([0], [0, 1], [0, 1])

    # SGNN. Into 0 only its loop: 1 * (-1 + 0 + 0) = -1. Into 1 only edge 1: 2 * (-1 + 1 + 1) = 2. Then each minus q.
    g0, g1 = -1 - (h0 + 1), 2 - (h0 + 1)
    np.testing.assert_allclose([first.features[0][0], first.features[1][0]], [-1, 2], rtol=1e-13)
    np.testing.assert_allclose([second.flow_features[0][0], second.flow_features[1][0]], [g0, g1], rtol=1e-13)

    # Step 2. Edge 2 has base u_1 (-1 + 1) = 0; the loops have base 0; edge 1 has base 2 u_0.
    score = [
        leaky(g0 * g0) + leaky(g0 * h0),
        leaky(g0 * g1 + 2 * g0) + leaky(g0 * h1 + 2 * g0),
        leaky(g1 * g0) + leaky(g1 * h0),
        leaky(g1 * g1) + leaky(g1 * h1),
    ]
    t1 = 1 / (1 + math.exp(score[0] - score[1]))
    t2 = 1 / (1 + math.exp(score[3] - score[2]))
    np.testing.assert_allclose([second.transition[1][0], second.transition[2][0]], [t1, t2], rtol=1e-12)
    arrived = stay * t1 + (1 - stay) * (1 - t2)
    np.testing.assert_allclose(result.scores, [1 - arrived, arrived], rtol=1e-12)


def test_numeric_gradient_against_a_closed_form() -> None:
    """One step: both scores are linear in the flow's W_Q = w > 0, so the loss is log(1 + exp(-w c)), c = s_1 - s_0."""
    config = HAND_CONFIG.replace(steps=1)
    e = math.e
    c = (-0.2 - 0.1 * ((3 * e**2 + 2) / (e**2 + 1) + 2)) - (1 - 0.1 * (1 + 2 * e) / (1 + e))
    entries = {"flow.query": [(0, 0)], "displacement.size": [(2, 0)]}
    found = numeric_gradient(config, hand_parameters(), one_edge(), span=2, query=(0, 0, 3), answer=1, entries=entries)
    assert found["flow.query"][0, 0] == pytest.approx(-c / (1 + math.exp(c)), rel=1e-8)
    assert found["displacement.size"][2, 0] == 0  # no edge has size 2


def test_numeric_gradient_adds_up_along_a_direction() -> None:
    """The derivative along all chosen entries at once is the sum of the single ones, with the subgraph frozen."""
    config, graph = tiny_config(), tiny_graph(5, facts=12)
    parameters = random_parameters(config, 8, 3, SPAN, 5)
    query, answer = (int(graph.source[0]), 1, 4), int(graph.neighbour[0])
    entries = {name: random_entries(parameters, 5)[name] for name in ("relation", "flow.key", "sgnn.arrival")}
    found = numeric_gradient(config, parameters, graph, span=SPAN, query=query, answer=answer, entries=entries)
    frozen = Oracle(config, parameters, graph, 0, SPAN, None, 0).run(*query).subgraphs

    def loss_at(by: float) -> float:
        moved = {name: value.copy() for name, value in parameters.items()}
        for name, chosen in entries.items():
            for entry in chosen:
                moved[name][entry] += by
        walker = Oracle(config, moved, graph, 0, SPAN, None, 0)
        return walker.loss(walker.run(*query, subgraphs=frozen), answer)

    along = (loss_at(1e-5) - loss_at(-1e-5)) / 2e-5
    assert along == pytest.approx(sum(sum(values.values()) for values in found.values()), rel=1e-6)
    assert abs(along) > 1e-3


def test_numeric_gradient_leaves_parameters_alone() -> None:
    config, graph = tiny_config(), one_edge()
    parameters = random_parameters(config, 2, 1, SPAN, 1)
    before = {name: value.copy() for name, value in parameters.items()}
    numeric_gradient(config, parameters, graph, span=SPAN, query=(0, 0, 3), answer=1, entries={"entity": [(0, 0)]})
    assert all((parameters[name] == value).all() for name, value in before.items())
