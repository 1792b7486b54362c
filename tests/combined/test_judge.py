"""The judge against loops over single events, in float64; what it may see; what becomes of the walker's mass."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.model.test_transfer import OTHER, OWN, RELATION
from tests.tiny import tiny_graph
from tgap.cli.main import run as tgap
from tgap.combined.judge import Candidates, Case, CaseReader, Judge, JudgedBatch, find_answers
from tgap.combined.judged import JudgedScorer, JudgedSettings, JudgeLearner
from tgap.data import Timeline, load_dataset
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import measure_evidence
from tgap.explain.reranking import reranked_part
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import Resolver
from tgap.kernels.buckets import DisplacementBuckets
from tgap.kernels.event_sums import CandidateEvents, ReadingTables, event_sums
from tgap.methods import config_for, make_learner
from tgap.runs import find_run, load_scorer
from tgap.scorer import FloatArray, Query, QueryBatch

SPAN = 12


def batch_of(graph: TemporalGraph, count: int, seed: int) -> tuple[QueryBatch, Candidates]:
    """Random queries, each with four random candidates."""
    random = np.random.default_rng(seed)
    queries = QueryBatch(
        random.integers(0, graph.num_entities, count),
        random.integers(0, 2 * graph.num_relations, count),
        random.integers(0, SPAN + 1, count),
    )
    return queries, Candidates.of(random.random((count, graph.num_entities)).astype(np.float32), 4)


def events_by_hand(
    graph: TemporalGraph, hidden: set[int], query: Query, candidate: int, near: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """(relation, displacement) of the pair's events, and of the candidate's nearest ones with others."""
    edges = [
        (int(graph.source[e]), int(graph.relation[e]), int(graph.neighbour[e]), int(graph.time[e]) - query.time)
        for e in range(graph.num_edges)
        if graph.fact[e] >= 0 and int(graph.fact[e]) not in hidden
    ]
    pair = [(r, dt) for s, r, o, dt in edges if (s, o) == (query.subject, candidate)]
    own = sorted((abs(dt), dt < 0, r, dt) for s, r, o, dt in edges if s == candidate and o != query.subject)
    return pair, [(r, dt) for *_, r, dt in own[:near]]


def verdict_by_hand(
    judge: Judge, reader: CaseReader, pair: list[tuple[int, int]], near: list[tuple[int, int]], q: int
) -> float:
    """The equations of the module, one event after the other."""
    weights = {name: value.double().numpy() for name, value in judge.state_dict().items()}
    hidden = weights["query"][q].copy()
    for part, events in (("pair", pair), ("near", near)):
        total = np.zeros(hidden.shape)
        for relation, dt in events:
            row = int(reader._buckets.bucket(np.array([abs(dt)]))[0]) + (reader._buckets.count if dt < 0 else 0)
            value = weights[f"{part}.relation"][relation] * weights[f"{part}.relation_gate"][q]
            value = value + weights[f"{part}.time"][row] * weights[f"{part}.time_gate"][q]
            value = value + weights[f"{part}.relation_of_time"][relation] * weights[f"{part}.time_of_relation"][row]
            total += np.maximum(value + weights[f"{part}.shift"][q], 0)
        hidden += np.log(1 + total) @ weights[f"from_{part}"]
    return float(np.maximum(hidden, 0) @ weights["out"][:, 0])


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_are_those_of_loops_over_single_events(seed: int) -> None:
    graph = tiny_graph(seed, facts=40)
    near = seed % 4
    hidden = set(np.random.default_rng(seed).choice(graph.num_facts, 6, replace=False).tolist())
    queries, candidates = batch_of(graph, 5, seed)
    reader = CaseReader(graph, SPAN, near)
    judge = Judge(graph.num_relations, SPAN, 6, seed).double()
    case = reader.read(queries, candidates, Resolver(graph).resolve(View.all().without(hidden)))
    found = judge.verdict(case).detach().numpy()
    ties = 0
    for place, (b, entity) in enumerate(zip(candidates.query, candidates.entity, strict=True)):
        query = Query(int(queries.subject[b]), int(queries.relation[b]), int(queries.time[b]))
        pair, own = events_by_hand(graph, hidden, query, int(entity), near)
        edges = case.near.relation[case.near.row[place] : case.near.row[place + 1]]
        if sorted(edges.tolist()) != sorted(r for r, _ in own):
            ties += 1  # several events as near as the last one that is read: any of them may be
            continue
        assert found[place] == pytest.approx(verdict_by_hand(judge, reader, pair, own, query.relation), abs=1e-9)
    assert ties < len(found) / 2


def test_gradients_of_the_sums_are_those_of_differences() -> None:
    random = np.random.default_rng(1)
    tables = ReadingTables(
        *(torch.randn(rows, 3, dtype=torch.float64, requires_grad=True) for rows in (4, 4, 5, 5, 2, 2, 2))
    )
    row = np.array([0, 3, 3, 7])
    events = CandidateEvents(
        row, random.integers(0, 4, 7).astype(np.int32), random.integers(0, 5, 7), np.array([0, 1, 1])
    )
    assert torch.autograd.gradcheck(lambda *given: event_sums(ReadingTables(*given), events), tuple(tables))
    assert bool((event_sums(tables, events)[1] == 0).all())


def test_hidden_facts_are_as_if_they_were_not_there() -> None:
    graph = tiny_graph(3, facts=40, copies=False)
    hidden = {2, 5, 11}
    facts = [int(graph.fact_edge[graph.fact_row[f]]) for f in range(graph.num_facts) if f not in hidden]
    columns = (graph.source, graph.relation, graph.neighbour, graph.time)
    less = TemporalGraph.build(graph.num_entities, graph.num_relations, *(column[facts] for column in columns))
    queries, candidates = batch_of(graph, 8, 0)
    judge = Judge(graph.num_relations, SPAN, 5, 0)
    seen: list[Case] = [
        CaseReader(graph, SPAN, 50).read(queries, candidates, Resolver(graph).resolve(View.all().without(hidden))),
        CaseReader(less, SPAN, 50).read(queries, candidates, Resolver(less).resolve(View.all())),
    ]
    first, second = (judge.verdict(case).detach().numpy() for case in seen)
    np.testing.assert_allclose(first, second, rtol=0, atol=1e-5)


@pytest.mark.parametrize("width", [5, 7])  # 7 is also the number of rows of a table by relation
def test_relations_that_join_leave_the_verdicts_of_the_others(width: int) -> None:
    graph = tiny_graph(3, facts=40)
    columns = (graph.source, graph.relation, graph.neighbour, graph.time)
    plain = [column[graph.relation < graph.num_relations] for column in columns]
    wider = TemporalGraph.build(graph.num_entities, graph.num_relations + 2, *plain)
    queries, candidates = batch_of(graph, 8, 0)
    inverse = queries.relation >= graph.num_relations
    moved = QueryBatch(queries.subject, queries.relation + 2 * inverse, queries.time)
    judge = Judge(graph.num_relations, SPAN, width, 0)
    first = judge.verdict(CaseReader(graph, SPAN, 50).read(queries, candidates, Resolver(graph).resolve(View.all())))
    case = CaseReader(wider, SPAN, 50).read(moved, candidates, Resolver(wider).resolve(View.all()))
    np.testing.assert_allclose(judge.with_relations(5).verdict(case).detach(), first.detach(), rtol=0, atol=1e-5)
    assert judge.with_relations(3) is judge


@pytest.mark.parametrize("span", [25, 400])
def test_on_another_dataset_tables_are_those_of_the_same_names(span: int) -> None:
    other = replace(OTHER, timeline=Timeline("day", 0, span))
    judge = Judge(OWN.num_relations, OWN.timeline.span, 4, seed=1)
    moved = judge.transferred(OWN, other)
    known, near = (DisplacementBuckets.of(days, 16, 8).count for days in (OWN.timeline.span, span))
    for name, table in judge.state_dict().items():
        found = moved.state_dict()[name]
        if len(table) == 2 * OWN.num_relations + 1:
            for half in (0, OWN.num_relations):
                rows = table[half : half + OWN.num_relations]
                for place, own in enumerate(RELATION):
                    expected = rows.mean(0) if own is None else rows[own]
                    assert torch.equal(found[half + place], expected), name
            assert torch.equal(found[-1], table[-1])
        elif len(table) == 2 * known:
            assert len(found) == 2 * near
            for sign in (0, 1):
                assert torch.equal(found[sign * near : sign * near + known], table[sign * known : (sign + 1) * known])
                beyond = found[sign * near + known : (sign + 1) * near]
                assert (beyond == table[(sign + 1) * known - 2 : (sign + 1) * known].mean(0)).all(), name
        else:
            assert torch.equal(found, table), name


def without_event(events: CandidateEvents, place: int) -> CandidateEvents:
    keep = np.arange(len(events.relation)) != place
    return CandidateEvents(np.array([0, keep.sum()]), events.relation[keep], events.bucket[keep], events.query)


def test_the_weight_of_an_event_is_what_the_verdict_loses_without_it() -> None:
    graph = tiny_graph(3, facts=60)
    queries, candidates = batch_of(graph, 8, 0)
    reader, visible = CaseReader(graph, SPAN, 50), Resolver(graph).resolve(View.all())
    judge = Judge(graph.num_relations, SPAN, 6, 0)
    read = 0
    for c, entity in enumerate(candidates.entity):
        b = int(candidates.query[c])
        lone = Candidates(np.array([0, 1]), np.array([entity]))
        case = reader.read(queries.take(slice(b, b + 1)), lone, visible)
        with torch.no_grad():
            pair, near = judge.weights(case)
            whole = judge.verdict(case)
            for name, weights in (("pair", pair), ("near", near)):
                events = getattr(case, name)
                assert len(weights) == len(events.relation)
                for place, weight in enumerate(weights.tolist()):
                    changed: dict[str, Any] = {name: without_event(events, place)}
                    left = judge.verdict(replace(case, **changed))
                    assert weight == pytest.approx(float(whole - left), abs=1e-4)
                    read += 1
    assert read > 100


def test_the_loss_is_that_of_the_answers_among_the_candidates() -> None:
    graph = tiny_graph(0)
    queries, candidates = batch_of(graph, 6, 2)
    case = CaseReader(graph, SPAN, 3).read(queries, candidates, Resolver(graph).resolve(View.all()))
    judge = Judge(graph.num_relations, SPAN, 5, 0)
    answer = np.array([int(candidates.entity[candidates.row[b] + b % 4]) for b in range(6)])
    answer[5] = next(e for e in range(graph.num_entities) if e not in candidates.entity[candidates.row[5] :])
    place = find_answers(candidates, answer)
    assert place.tolist() == [0, 5, 10, 15, 16, -1]
    loss, metrics = judge(JudgedBatch(case, place, "a batch"))
    values = judge.verdict(case).detach().double().numpy().reshape(6, 4)
    chance = np.exp(values) / np.exp(values).sum(axis=1, keepdims=True)
    assert loss.item() == pytest.approx(-np.log([chance[b, b % 4] for b in range(5)]).mean(), abs=1e-5)
    assert metrics == {"outside": 1.0}


def test_candidates_have_mass() -> None:
    scores = np.array([[0.5, 0.0, 0.3, 0.2], [0.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]], np.float32)
    found = Candidates.of(scores, 3)
    assert found.row.tolist() == [0, 3, 3, 6]
    assert found.entity.tolist() == [0, 2, 3, 1, 2, 3]


@pytest.fixture(scope="module")
def judged() -> JudgedScorer:
    """The shipped walker of the world with a judge that has not learned anything."""
    walker, dataset = load_scorer("world").scorer, load_dataset("world")
    judge = Judge(dataset.num_relations, dataset.timeline.span, 8, 0)
    settings = JudgedSettings(walker="world", candidates=10, near=5, width=8, weight=0.5)
    return JudgedScorer(walker, judge, settings, dataset.timeline.span)  # type: ignore[arg-type]


def some_queries(count: int) -> QueryBatch:
    facts = load_dataset("world").test[:count]
    return QueryBatch(facts.subject, facts.relation, facts.time)


def test_mass_is_only_given_another_order_among_the_candidates(judged: JudgedScorer) -> None:
    queries = some_queries(40)
    before, after = judged._walker.score(queries), judged.score(queries)
    np.testing.assert_allclose(after.sum(axis=1), before.sum(axis=1), rtol=1e-5)
    changed = before != after
    assert changed.any()
    assert (changed.sum(axis=1) <= 10).all()
    least = np.sort(before, axis=1)[:, -10]
    assert (before >= least[:, np.newaxis])[changed].all()


def test_a_query_has_the_same_bits_in_any_company_and_under_any_way_of_asking(judged: JudgedScorer) -> None:
    queries = some_queries(70)
    together = judged.score(queries)
    for b in (0, 33, 69):
        alone = queries.take(slice(b, b + 1))
        np.testing.assert_array_equal(judged.score(alone)[0], together[b])
        query = Query(int(alone.subject[0]), int(alone.relation[0]), int(alone.time[0]))
        np.testing.assert_allclose(judged.trace(query).scores, together[b], rtol=1e-4, atol=1e-7)
        views = [View.all(), View.all().without([3, 8]), View.all().until(query.time)]
        each = judged.score_each(query, views)
        for view, row in zip(views, each, strict=True):
            np.testing.assert_array_equal(judged.score(alone, view)[0], row)


def test_what_the_judge_read_is_taken_away_and_measured_like_what_the_walk_took(judged: JudgedScorer) -> None:
    asked = some_queries(5)
    beyond = 0
    for subject, relation, time in zip(asked.subject, asked.relation, asked.time, strict=True):
        trace = judged.trace(Query(int(subject), int(relation), int(time)))
        answer = int(trace.scores.argmax())
        read = judged.facts_read(trace, answer, 3).tolist()
        assert len(read) == len(set(read)) == 3
        edges = [judged.graph.fact_edge[judged.graph.fact_row[fact]] for fact in read]
        assert all(answer in (judged.graph.source[edge], judged.graph.neighbour[edge]) for edge in edges)
        flow = AnswerFlow.of(judged.graph, trace, answer)
        question = Counterfactual(judged, trace, answer)
        measured = {found.facts[0]: found.effect for found in measure_evidence(question, flow, 12, pairs=0).facts}
        walked = set(flow.strongest_facts(12).tolist())
        assert set(measured) == walked | set(read)
        for fact in read:
            left = judged.score_each(trace.query, [trace.view.without([fact])])[0]
            assert measured[fact] == pytest.approx(float(trace.scores[answer] - left[answer]), abs=1e-5)
        beyond += len(set(read) - walked)
    assert beyond, "the judge reads what no walk took"


def test_the_judges_part_is_the_walk_beside_the_answer_and_what_the_judge_alone_would_not_have_seen(
    judged: JudgedScorer,
) -> None:
    asked = some_queries(5)
    for subject, relation, time in zip(asked.subject, asked.relation, asked.time, strict=True):
        query = Query(int(subject), int(relation), int(time))
        trace = judged.trace(query)
        flow = AnswerFlow.of(judged.graph, trace, int(trace.scores.argmax()))
        found = reranked_part(judged, flow)
        assert found is not None
        walked = judged._walker.score(QueryBatch.of([query]))[0]
        assert found.walk == pytest.approx(float(walked[flow.answer]), rel=1e-6)
        assert found.probability == float(trace.scores[flow.answer])
        for fact, left in found.facts:
            view = trace.view.at(query.time).without([fact])
            alone = judged._judged(walked[np.newaxis], QueryBatch.of([query]), view)[0]
            assert left == pytest.approx(float(alone[flow.answer]), rel=1e-6)
    assert reranked_part(judged._walker, flow) is None


def test_trained_evaluated_and_explained_as_a_user_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "judged"
    new = ["train", "--dataset", "world", "--method", "judged", "--out", str(run), "--set", "epochs=0.05"]
    assert tgap([*new, "--set", "validation_queries=50"]) == 2
    assert "model.walker is empty; name a run of tgap" in capsys.readouterr().err
    assert not run.exists()
    assert tgap([*new, "--set", "walker=world", "--set", "validation_queries=50"]) == 0
    assert "outside" in capsys.readouterr().out
    assert tgap(["evaluate", str(run), "--limit", "50"]) == 0
    assert "T-GAP with a judge" in capsys.readouterr().out
    question = load_dataset("world").test[0]
    names = load_dataset("world")
    asked = [
        names.entities.names[question.subject],
        names.relations.names[question.relation],
        names.timeline.format(question.time),
    ]
    assert tgap(["explain", str(run), *asked]) == 0
    assert asked[0] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("walker", "words"),
    [
        ("icews14", "model.walker icews14 was made for icews14 (completion), not for world (completion)"),
        ("runs/nowhere", "no run 'runs/nowhere'"),
        ("./here", "is not found from other folders; write /"),
    ],
)
def test_a_walker_that_does_not_fit_is_refused_before_anything_is_written(
    walker: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(find_run("world").path, tmp_path / "here")
    assert tgap(["train", "--dataset", "world", "--method", "judged", "--out", "run", "--set", f"walker={walker}"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_later_epochs_judge_the_same_candidates_in_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    config = config_for("judged", "world").with_values({"model.walker": "world", "model.near": 3, "model.width": 4})
    learner = make_learner(config, load_dataset("world"))
    assert isinstance(learner, JudgeLearner)
    walked: list[int] = []
    score = learner.walker.score

    def counted(queries: QueryBatch, view: View) -> FloatArray:
        walked.append(len(queries))
        return score(queries, view)

    monkeypatch.setattr(learner.walker, "score", counted)
    first, second = learner.plan(0), learner.plan(1)
    assert second.epoch == 1
    place = [second._order.tolist().index(number) for number in range(3)]
    assert place != [0, 1, 2]
    for number in range(3):
        before, again = first[number], second[place[number]]
        np.testing.assert_array_equal(before.case.candidates.entity, again.case.candidates.entity)
        np.testing.assert_array_equal(before.case.near.relation, again.case.near.relation)
        np.testing.assert_array_equal(before.answer, again.answer)
    assert len(walked) == 3
    resumed = make_learner(config, load_dataset("world"))
    np.testing.assert_array_equal(resumed.plan(1)[5].case.pair.relation, second[5].case.pair.relation)  # type: ignore[attr-defined]
    anew = JudgeLearner(load_dataset("world"), config.with_values({"model.walks": 0}))
    assert anew.plan(1)[0].case.relation.tolist() != first[0].case.relation.tolist()
