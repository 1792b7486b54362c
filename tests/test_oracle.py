"""What must hold of T-GAP by definition."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

from tests import oracle as oracle_module
from tests.oracle import (
    Edge,
    Oracle,
    act,
    bucket,
    edge_hash,
    entity_hash,
    mix,
    parameter_shapes,
    pieces,
    softmax,
    step_key,
)
from tests.oracle_cases import SPAN, VARIANTS, build, whole
from tests.tiny import (
    NAMED,
    NAMED_SPAN,
    Parameters,
    random_parameters,
    tiny_config,
    tiny_graph,
    zero_parameters,
)
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import visible_graph

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
    pair = mix((key + 3 * 2**32 + 5) % 2**64)
    assert edge_hash(key, Edge(4, 3, 2, 5, -1, copy=1)) == (mix((pair + 2 * 2**32 - 1) % 2**64) + 1) % 2**64
    assert entity_hash(key, 4) == mix((key + 9) % 2**64)


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
    parameters = random_parameters(config, 6, 3, SPAN, 3, scale=0.6)
    subject = int(graph.source[0])
    plain = Oracle(config, parameters, graph, 0, SPAN, None, 0).run(subject, 2, 6)
    for parameter, value in parameters.items():
        moved = Oracle(config, {**parameters, parameter: value * 1.5}, graph, 0, SPAN, None, 0)
        found = moved.run(subject, 2, 6, plain.subgraphs).scores
        assert np.abs(found - plain.scores).max() > 1e-6, parameter


def test_oracle_imports_nothing_that_it_judges() -> None:
    tree = ast.parse(Path(oracle_module.__file__ or "").read_text(encoding="utf-8"))
    modules = {node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module}
    assert {module for module in modules if module.startswith("tgap")} == {"tgap.model.settings"}


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
    visible = visible_graph(graph, View.all().without(graph.fact[copies[:1]]))
    parameters = random_parameters(config, 3, 1, SPAN, 1)
    hidden = Oracle(config, parameters, graph, 0, SPAN, visible.mask, 1)
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
    view = View.all().without(full.find_facts(*(facts[2:3, column] for column in range(4))))
    hidden = Oracle(config, parameters, full, 0, SPAN, visible_graph(full, view).mask, 0)
    query = (int(facts[2, 0]), int(facts[2, 1]), int(facts[2, 3]))
    without = Oracle(config, parameters, less, 0, SPAN, None, 0)
    np.testing.assert_allclose(hidden.run(*query).scores, without.run(*query).scores, rtol=1e-12)


@pytest.mark.parametrize("base", ["recommended", "paper"])
def test_diagonal_maps_split_into_one_model_a_head(base: str) -> None:
    """Heads of width 1 whose maps never mix are as many models of one number, once the subgraph is fixed."""
    width, graph = 3, tiny_graph(11)
    config = tiny_config(base, dimension=width, heads=width, arrival_term=False, flow_heads=True)
    single = config.replace(dimension=1, heads=1)
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
