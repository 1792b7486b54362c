from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.explain.walks import every_walk
from tests.tiny import NAMED, NAMED_SPAN, tiny_config
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.chains import heaviest_chains
from tgap.graph import TemporalGraph
from tgap.scorer import Query, Trace

Nodes = tuple[int, ...]


def chains_of(graph: TemporalGraph, trace: Trace, answer: int) -> dict[Nodes, list[tuple[Nodes, float]]]:
    """Every chain to an answer with its folded walks (edges) and their shares, by full enumeration."""
    found: dict[Nodes, list[tuple[Nodes, float]]] = defaultdict(list)
    for walk, end, weight in every_walk(trace):
        moves = tuple(edge for edge in walk if graph.fact[edge] >= 0)
        if end == answer and weight > 0:
            nodes = (trace.query.subject, *(int(graph.neighbour[edge]) for edge in moves))
            found[nodes].append((moves, weight / float(trace.scores[answer])))
    return found


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 3), flows=st.booleans(), count=st.integers(1, 6))
def test_chains_are_those_of_full_enumeration(seed: int, steps: int, flows: bool, count: int) -> None:
    explainer = tiny_explainer(seed, steps, flows, entities=5, facts=12)
    trace = explainer.trace(Query(seed % 5, 1, 5))
    for answer in np.flatnonzero(trace.scores).tolist():
        expected = chains_of(explainer.graph, trace, answer)
        shares = {nodes: sum(share for _, share in walks) for nodes, walks in expected.items()}
        found = heaviest_chains(AnswerFlow.of(explainer.graph, trace, answer), count)
        assert found.complete
        falling = sorted(shares.values(), reverse=True)
        assert [chain.share for chain in found.chains] == pytest.approx(falling[:count], rel=1e-4)
        assert found.rest == pytest.approx(sum(falling[count:]), abs=1e-5)
        for chain in found.chains:
            nodes = (trace.query.subject, *(link.object for link in chain.links))
            assert [link.subject for link in chain.links] == list(nodes[:-1])
            assert chain.share == pytest.approx(shares[nodes], rel=1e-4)
            for place, link in enumerate(chain.links):
                events: dict[int, float] = defaultdict(float)
                for moves, share in expected[nodes]:
                    events[moves[place]] += share / shares[nodes]
                assert dict(zip(link.edges.tolist(), link.shares.tolist(), strict=True)) == pytest.approx(
                    events, abs=1e-5
                )
                assert np.all(np.diff(link.shares) <= 0)


@pytest.mark.parametrize("name", sorted(NAMED))
def test_all_chains_together_are_the_whole(name: str) -> None:
    graph = NAMED[name]()
    trace = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(0, 0, 4))
    for answer in np.flatnonzero(trace.scores).tolist():
        found = heaviest_chains(AnswerFlow.of(graph, trace, answer), 1000)
        assert sum(chain.share for chain in found.chains) == pytest.approx(1.0, abs=1e-5)


def test_staying_is_a_chain_without_links() -> None:
    graph = NAMED["lonely_entity"]()
    trace = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(2, 0, 4))
    (chain,) = heaviest_chains(AnswerFlow.of(graph, trace, 2)).chains
    assert chain.links == ()
    assert chain.share == pytest.approx(1.0)


def test_no_chain_to_an_answer_out_of_reach() -> None:
    graph = NAMED["lonely_entity"]()
    trace = OracleExplainer(graph, tiny_config(), NAMED_SPAN).trace(Query(0, 0, 4))
    found = heaviest_chains(AnswerFlow.of(graph, trace, 2))
    assert found.chains == ()
    assert found.complete


def test_a_search_out_of_budget_says_so() -> None:
    explainer = tiny_explainer(1, entities=8, facts=40)
    trace = explainer.trace(Query(0, 0, 3))
    assert not heaviest_chains(AnswerFlow.of(explainer.graph, trace, int(trace.scores.argmax())), 5, budget=1).complete
