"""What must hold of T-GAP by definition, and one small question worked out by hand."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests import oracle as oracle_module
from tests.oracle import (
    Oracle,
    act,
    bucket,
    edge_hash,
    mean,
    mix,
    node_hash,
    numeric_gradient,
    parameter_shapes,
    pieces,
    softmax,
    step_key,
)
from tests.tiny import (
    NAMED,
    NAMED_SPAN,
    Parameters,
    one_edge,
    random_entries,
    random_parameters,
    star_hub,
    tiny_config,
    tiny_graph,
    variants,
    zero_parameters,
)
from tgap.config import ModelConfig
from tgap.graph import TemporalGraph, Visibility

SPAN = 12
VARIANTS = variants()


def build(config: ModelConfig, graph: TemporalGraph, seed: int = 1, span: int = SPAN) -> Oracle:
    parameters = random_parameters(config, graph.num_entities, graph.num_relations, span, seed)
    return Oracle(config, parameters, graph, 0, span, None, seed)


# ------------------------------------------------------------------------------------------------------ small functions


def test_mix_gives_the_published_splitmix64_sequence() -> None:
    # The generator's n-th output from state s is the finaliser of s + n * increment.
    increment = 0x9E3779B97F4A7C15
    assert mix(0) == 0xE220A8397B1DCDAF
    assert mix(increment) == 0x6E789E6AA1B965F4
    assert mix(2 * increment % 2**64) == 0x06C45D188009454F
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [mix((1234567 + n * increment) % 2**64) for n in range(4)] == published


def test_hash_takes_negative_times_as_twos_complement() -> None:
    assert step_key(5, 3, 2, -7, 1) == step_key(5, 3, 2, 2**64 - 7, 1)
    key = step_key(5, 3, 2, 9, 2)
    assert key == mix((mix((mix((mix((mix(5) + 3) % 2**64) + 2) % 2**64) + 9) % 2**64) + 2) % 2**64)
    assert edge_hash(key, 4) == mix((key + 8) % 2**64)
    assert node_hash(key, 4) == mix((key + 9) % 2**64)


def test_bucket_is_exact_then_geometric() -> None:
    # X = 4, two to the octave: bounds 6 (5.66), 8, 12 (11.31), 16, 23 (22.6), 32.
    rows = [bucket(size, 4, 2) for size in range(17)]
    assert rows == [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8]
    # X = 1, eight to the octave: the bounds 2, 2, ..., 3, 3, ... count once each, so small sizes stay apart.
    assert [bucket(size, 1, 8) for size in range(8)] == list(range(8))
    assert [bucket(size, 4096, 8) for size in (0, 4095, 4096, 4466, 4467, 8191, 8192)] == [
        0, 4095, 4096, 4096, 4097, 4103, 4104
    ]  # fmt: skip


@pytest.mark.parametrize(("exact", "octave"), [(1, 1), (3, 2), (5, 8), (16, 3)])
def test_bucket_agrees_with_the_formula_and_never_skips_a_row(exact: int, octave: int) -> None:
    bounds = sorted({math.ceil(exact * 2 ** (k / octave)) for k in range(1, 12 * octave)})
    rows = [bucket(size, exact, octave) for size in range(300)]
    assert rows == [size if size < exact else exact + sum(b <= size for b in bounds) for size in range(300)]
    assert sorted(set(rows)) == list(range(rows[-1] + 1))


def test_pieces_are_consecutive_and_the_first_are_longer() -> None:
    assert pieces(7, 3) == [slice(0, 3), slice(3, 5), slice(5, 7)]
    assert [part.stop - part.start for part in pieces(100, 6)] == [17, 17, 17, 17, 16, 16]


def test_softmax_and_activation() -> None:
    shares = softmax([np.array([0.0, 1000.0]), np.array([math.log(3), 1000.0])])
    np.testing.assert_allclose(shares, [[0.25, 0.5], [0.75, 0.5]])
    assert softmax([]) == []
    np.testing.assert_array_equal(act(np.array([-2.0, 0.0, 3.0]), 0.1), [-0.2, 0.0, 3.0])


def test_shapes_of_parameters() -> None:
    shapes = parameter_shapes(tiny_config(), 8, 3, SPAN)
    assert shapes["displacement.size"] == (13, 7)
    assert shapes["sgnn.message"] == (3, 7, 7)
    assert shapes["query.weight"] == (7, 14)
    assert "displacement.flow" not in shapes
    assert "pgnn.0.key" not in shapes
    shapes = parameter_shapes(tiny_config("paper", displacement="absolute", pgnn_layers=2), 8, 3, SPAN)
    assert shapes["displacement.size"] == (14, 7)
    assert shapes["displacement.flow"] == (13, 7)
    assert shapes["pgnn.1.message"] == (1, 7, 7)
    assert shapes["pgnn.1.key"] == (3, 3, 3)
    assert shapes["query.weight"] == (7, 7)
    assert not {"sgnn.arrival", "query.bias", "enter.bias", "sgnn.message_bias"} & set(shapes)
    assert parameter_shapes(tiny_config(flow_displacement="signed"), 8, 3, SPAN)["displacement.flow"] == (25, 7)
    assert parameter_shapes(tiny_config(flow_displacement="absolute"), 8, 3, SPAN)["displacement.flow"] == (14, 7)


@pytest.mark.parametrize(
    "name",
    [
        "recommended",
        "paper",
        "paper_two_pgnn",
        "absolute",
        "absolute_both",
        "absolute_signed",
        "flow_signed",
        "flow_absolute",
        "no_subgraph",
    ],
)
def test_every_parameter_is_used(name: str) -> None:
    """Each parameter moves the answer of a question that walks far enough; none is left over."""
    config, graph = VARIANTS[name], tiny_graph(3, entities=6, facts=12)
    parameters = random_parameters(config, 6, 3, SPAN, 3)
    subject = int(graph.source[0])
    plain = Oracle(config, parameters, graph, 0, SPAN, None, 0).run(subject, 2, 6)
    for parameter, value in parameters.items():
        moved = Oracle(config, {**parameters, parameter: value * 1.5}, graph, 0, SPAN, None, 0)
        found = moved.run(subject, 2, 6, plain.subgraphs).scores
        assert np.abs(found - plain.scores).max() > 1e-6, parameter


def test_oracle_imports_nothing_that_it_judges() -> None:
    tree = ast.parse(Path(oracle_module.__file__ or "").read_text(encoding="utf-8"))
    modules = {node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module}
    assert {module for module in modules if module.startswith("tgap")} == {"tgap.config"}


def test_caps_are_refused() -> None:
    with pytest.raises(ValueError, match="caps"):
        build(tiny_config(walk_cap=3), tiny_graph(0))


# --------------------------------------------------------------------------------------------------------- properties


@pytest.mark.parametrize("name", VARIANTS)
def test_mass_stays_one_and_rows_sum_to_one(name: str) -> None:
    config = VARIANTS[name]
    walker = build(config, tiny_graph(2), seed=2)
    result = walker.run(4, 1, 5)
    assert len(result.steps) == config.steps
    for step in result.steps:
        np.testing.assert_allclose(sum(step.mass.values()), np.ones(walker.flows), rtol=1e-12)
        np.testing.assert_allclose(sum(step.attention.values()), np.ones(walker.flows), rtol=1e-12)
        for row in walker.out_of.values():
            np.testing.assert_allclose(sum(step.transition[edge.index] for edge in row), 1, rtol=1e-12)
    assert result.scores.sum() == pytest.approx(1, rel=1e-12)
    assert walker.loss(result, 3) == -math.log(result.scores[3] + 1e-12)


@pytest.mark.parametrize("graph_name", NAMED)
@pytest.mark.parametrize("preset_name", ["recommended", "paper"])
def test_named_graphs(graph_name: str, preset_name: str) -> None:
    graph = NAMED[graph_name]()
    walker = build(tiny_config(preset_name), graph, span=NAMED_SPAN)
    for subject in range(min(graph.num_entities, 3)):
        result = walker.run(subject, 0, 4)
        assert result.scores.sum() == pytest.approx(1, rel=1e-12)
        assert np.isfinite(result.h).all()


@pytest.mark.parametrize("name", [name for name, config in VARIANTS.items() if config.subgraph])
def test_rows_outside_the_subgraph_are_exactly_uniform(name: str) -> None:
    walker = build(VARIANTS[name], tiny_graph(4))
    for step in walker.run(0, 0, 5).steps:
        for node, row in walker.out_of.items():
            if node not in step.flow_features:
                for edge in row:
                    assert (step.transition[edge.index] == 1 / len(row)).all()


def test_entity_with_only_its_self_loop_keeps_all_mass() -> None:
    walker = build(tiny_config(), NAMED["lonely_entity"](), span=NAMED_SPAN)
    np.testing.assert_array_equal(walker.run(2, 0, 4).scores, [0, 0, 1])


def test_copies_share_equally_and_hidden_copies_leave_together() -> None:
    graph = NAMED["parallel_copies"]()
    config = tiny_config()
    walker = build(config, graph)
    copies = [edge.index for edge in walker.out_of[0] if edge.target == 1]
    step = walker.run(0, 0, 2).steps[0]
    assert len(copies) == 3
    assert all((step.transition[e] == step.transition[copies[0]]).all() for e in copies)
    view = Visibility(graph)
    with view.hidden(graph.fact[copies[:1]].astype(np.int64)):
        parameters = random_parameters(config, 3, 1, SPAN, 1)
        hidden = Oracle(config, parameters, graph, 0, SPAN, view.mask, 1)
        assert all(edge.target != 1 for edge in hidden.out_of[0])
        assert hidden.run(0, 0, 2).scores.sum() == pytest.approx(1)


def test_sign_of_time_matters_only_where_it_should() -> None:
    """Flow by size: edges at +k and -k with one relation, end and neighbour tie exactly. Flow by sign: they do not."""
    graph = NAMED["repeated_times"]()  # 0 -(relation 0)-> 1 at 2 and at 6
    ends = [e for e in range(graph.num_edges) if (graph.source[e], graph.relation[e], graph.neighbour[e]) == (0, 0, 1)]
    for kind, equal in (("size", True), ("signed", False), ("absolute", False)):
        step = build(tiny_config(flow_displacement=kind), graph).run(0, 0, 4).steps[0]
        assert (step.transition[ends[0]] == step.transition[ends[1]]).all() == equal


def test_first_instant_only_shifts_absolute_times() -> None:
    facts = np.array([(0, 0, 1, 3), (1, 1, 2, 7), (2, 0, 0, 9)])
    for config in (tiny_config(), *(VARIANTS[name] for name in ("absolute", "absolute_both", "flow_absolute"))):
        results = []
        for shift in (0, -40):
            graph = TemporalGraph.build(3, 2, facts[:, 0], facts[:, 1], facts[:, 2], facts[:, 3] + shift)
            walker = Oracle(config, random_parameters(config, 3, 2, SPAN, 5), graph, shift, SPAN, None, 0)
            results.append(walker.run(0, 1, 6 + shift).scores)
        np.testing.assert_array_equal(results[0], results[1])


def test_displacements_beyond_the_table_use_its_last_row() -> None:
    graph = NAMED["one_edge"]()
    for kind in ("size", "signed"):
        walker = build(tiny_config(flow_displacement=kind), graph)
        near, far = walker.run(0, 0, 2 + SPAN), walker.run(0, 0, 2 + 5 * SPAN)
        np.testing.assert_array_equal(near.scores, far.scores)


def whole(config: ModelConfig) -> ModelConfig:
    """The same with limits so wide that no hash decides anything."""
    return replace(config, core_nodes=1000, sampled_edges=1000, added_edges=1000)


@pytest.mark.parametrize("name", ["recommended", "paper", "no_subgraph"])
def test_renaming_entities_permutes_scores(name: str) -> None:
    config = whole(VARIANTS[name])
    random = np.random.default_rng(0)
    facts = random.integers(0, [6, 2, 6, SPAN + 1], size=(15, 4))
    new = random.permutation(6)
    parameters = random_parameters(config, 6, 2, SPAN, 0)
    renamed: Parameters = {**parameters, "entity": np.empty_like(parameters["entity"])}
    renamed["entity"][new] = parameters["entity"]
    before = TemporalGraph.build(6, 2, *facts.T)
    after = TemporalGraph.build(6, 2, new[facts[:, 0]], facts[:, 1], new[facts[:, 2]], facts[:, 3])
    old_scores = Oracle(config, parameters, before, 0, SPAN, None, 0).run(2, 1, 6).scores
    new_scores = Oracle(config, renamed, after, 0, SPAN, None, 0).run(int(new[2]), 1, 6).scores
    np.testing.assert_allclose(new_scores[new], old_scores, rtol=1e-12)


@pytest.mark.parametrize("name", ["recommended", "paper", "absolute", "no_subgraph"])
def test_hiding_a_fact_equals_a_graph_without_it(name: str) -> None:
    config = whole(VARIANTS[name])
    facts = np.random.default_rng(1).integers(0, [6, 2, 6, SPAN + 1], size=(15, 4))
    facts[5] = facts[2]
    kept = facts[(facts != facts[2]).any(axis=1)]
    full, less = TemporalGraph.build(6, 2, *facts.T), TemporalGraph.build(6, 2, *kept.T)
    parameters = random_parameters(config, 6, 2, SPAN, 1)
    view = Visibility(full)
    with view.hidden(full.find_facts(*(facts[2:3, column] for column in range(4)))):
        hidden = Oracle(config, parameters, full, 0, SPAN, view.mask, 0)
        query = (int(facts[2, 0]), int(facts[2, 1]), int(facts[2, 3]))
        without = Oracle(config, parameters, less, 0, SPAN, None, 0)
        np.testing.assert_allclose(hidden.run(*query).scores, without.run(*query).scores, rtol=1e-12)


@pytest.mark.parametrize("base", ["recommended", "paper"])
def test_diagonal_maps_split_into_one_model_a_head(base: str) -> None:
    """Heads of width 1 whose maps never mix are as many models of one number, once the subgraph is fixed."""
    width, graph = 3, tiny_graph(11)
    config = tiny_config(base, dimension=width, heads=width, arrival_term=False, flow_heads=True)
    single = replace(config, dimension=1, heads=1)
    parts = [random_parameters(single, 8, 3, SPAN, head) for head in range(width)]
    joined = zero_parameters(config, 8, 3, SPAN)
    for head, part in enumerate(parts):
        for name, value in part.items():
            if name.endswith(".key") and name != "flow.key":
                joined[name][head] = value[0]
            elif name.endswith((".message", ".query", ".key", ".weight")):
                for block in range(value.shape[-1]):  # [ g || q ] has two blocks, all others one
                    joined[name][..., head, block * width + head] = value[..., 0, block]
            else:
                joined[name][..., head] = value[..., 0]
    together = Oracle(config, joined, graph, 0, SPAN, None, 0).run(2, 1, 5)
    for head, part in enumerate(parts):
        alone = Oracle(single, part, graph, 0, SPAN, None, 0).run(2, 1, 5, together.subgraphs)
        np.testing.assert_allclose(together.h[:, head], alone.h[:, 0], rtol=1e-12)
        for step, own in zip(together.steps, alone.steps, strict=True):
            for node in range(8):
                np.testing.assert_allclose(step.mass[node][head], own.mass[node][0], rtol=1e-11)


def test_shorter_heads_use_the_upper_left_of_a_key_block() -> None:
    config, graph = VARIANTS["key_map"], tiny_graph(10)  # heads of width 3, 2, 2 in blocks of 3 x 3
    parameters = random_parameters(config, 8, 3, SPAN, 0)
    plain = Oracle(config, parameters, graph, 0, SPAN, None, 0).run(2, 1, 5)
    for name in ("pgnn.0.key", "sgnn.key"):
        parameters[name][1:, 2, :] = 1e6
        parameters[name][1:, :, 2] = 1e6
    again = Oracle(config, parameters, graph, 0, SPAN, None, 0).run(2, 1, 5)
    np.testing.assert_array_equal(plain.scores, again.scores)


# ----------------------------------------------------------------------------------------------------------- sampling


@pytest.mark.parametrize("name", ["recommended", "paper", "narrow", "four_steps"])
def test_sampling_limits(name: str) -> None:
    config = VARIANTS[name]
    walker = build(config, tiny_graph(6, facts=40))
    result = walker.run(3, 4, 7)
    previous_edges: set[int] = set()
    previous_mass = {node: float(node == 3) for node in walker.entities}
    for number, step in enumerate(result.steps, start=1):
        if number == config.steps:
            assert (step.core, step.candidates, step.added) == ([], [], [])
            assert step.features is step.flow_features
            assert set(step.edges) == previous_edges
            continue
        assert len(step.core) == min(config.core_nodes, sum(value > 0 for value in previous_mass.values()))
        best = sorted(previous_mass.values(), reverse=True)[: len(step.core)]
        assert [previous_mass[node] for node in step.core] == best
        for node in step.core:
            own = [e for e in step.candidates if walker.edges[e].source == node]
            assert len(own) == min(config.sampled_edges, len(walker.out_of[node]))
        assert len(step.added) == min(config.added_edges, len(step.candidates))
        left = set(step.candidates) - set(step.added)
        worst = min(mean(step.attention[e]) for e in step.added)
        assert all(mean(step.attention[e]) <= worst for e in left)
        assert set(step.edges) == previous_edges | set(step.added)
        ends = {end for e in step.edges for end in (walker.edges[e].source, walker.edges[e].target)}
        assert set(step.nodes) == set(step.features) == ends | {3}
        previous_edges = set(step.edges)
        previous_mass = {node: mean(step.mass[node]) for node in walker.entities}


def test_ties_are_decided_by_hash() -> None:
    """With all parameters zero every edge of the hub ties, and so do the leaves that it feeds."""
    config = tiny_config(core_nodes=4, sampled_edges=6, added_edges=3, steps=3)
    graph = star_hub(12)
    for seed in range(5):
        walker = Oracle(config, zero_parameters(config, 13, 1, SPAN), graph, 0, SPAN, None, seed)
        result = walker.run(0, 0, 6)
        key = step_key(seed, 0, 0, 6, 1)
        row = sorted(range(int(graph.row[1])), key=lambda e: edge_hash(key, e))
        assert result.steps[0].candidates == row[:6]
        assert result.steps[0].added == row[:3]
        key = step_key(seed, 0, 0, 6, 2)
        assert result.steps[1].core == sorted(range(13), key=lambda node: node_hash(key, node))[:4]


def test_sample_depends_on_seed_and_question() -> None:
    config = tiny_config(sampled_edges=2, added_edges=2)
    parameters = zero_parameters(config, 13, 1, SPAN)

    def sample(seed: int, relation: int, time: int) -> frozenset[int]:
        walker = Oracle(config, parameters, star_hub(12), 0, SPAN, None, seed)
        return frozenset(walker.run(0, relation, time).steps[0].added)

    assert sample(1, 0, 6) == sample(1, 0, 6)
    assert len({sample(seed, 0, 6) for seed in range(8)}) > 2
    assert len({sample(1, 0, time) for time in range(8)}) > 2
    assert sample(1, 0, 6) != sample(1, 1, 6)


def test_hidden_edges_are_not_sampled() -> None:
    graph = star_hub(6)
    visible = np.ones(graph.num_edges, dtype=np.uint8)
    visible[[1, 2]] = 0
    config = whole(tiny_config())
    walker = Oracle(config, random_parameters(config, 7, 1, SPAN, 0), graph, 0, SPAN, visible, 0)
    result = walker.run(0, 0, 3)
    assert not {1, 2} & set(result.steps[0].candidates)
    assert not {1, 2} & set(result.steps[0].transition)


def test_handed_in_subgraph_replaces_sampling() -> None:
    walker = build(tiny_config(), tiny_graph(8))
    free = walker.run(1, 0, 3)
    again = walker.run(1, 0, 3, subgraphs=free.subgraphs)
    np.testing.assert_array_equal(free.scores, again.scores)
    other = walker.run(1, 0, 3, subgraphs=[[], [], []])
    assert [step.nodes for step in other.steps] == [[1], [1], [1]]
    assert other.steps[0].candidates == free.steps[0].candidates


def test_unlimited_sampling_still_differs_from_no_subgraph() -> None:
    """Without subgraph every row is scored; with one, rows that nothing has joined yet stay uniform."""
    graph = tiny_graph(9)
    limited = build(whole(tiny_config()), graph).run(1, 0, 3)
    free = build(tiny_config(subgraph=False), graph).run(1, 0, 3)
    assert set(free.steps[0].flow_features) == set(range(8))
    assert set(limited.steps[0].flow_features) == {1}
    np.testing.assert_array_equal(limited.h, free.h)
    np.testing.assert_array_equal(limited.q, free.q)


# ------------------------------------------------------------------------------------------------------------- by hand

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
    config = replace(HAND_CONFIG, steps=1)
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
