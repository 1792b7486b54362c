"""Mixtures of runs: probabilities by hand, weights against a search, what members see, and the way of a user."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tgap.cli.main import run as tgap
from tgap.combined.mixture import MixtureLearner, MixtureScorer, WalkingMixture, make_mixture
from tgap.data import load_dataset
from tgap.data.facts import both_directions
from tgap.errors import QueryError
from tgap.graph import View
from tgap.methods import config_for, make_learner
from tgap.runs import load_scorer
from tgap.scorer import Explainer, GraphScorer, Mixed, Query, QueryBatch, Reader

QUICK = ["--set", "rank=8", "--set", "epochs=2", "--set", "validation_queries=50"]


@pytest.fixture(scope="module")
def factors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A member that does not read the graph."""
    run = tmp_path_factory.mktemp("members") / "factors"
    assert tgap(["train", "--dataset", "world", "--method", "distmult", "--out", str(run), *QUICK]) == 0
    return run


@pytest.fixture(scope="module")
def learner(factors: Path) -> MixtureLearner:
    config = config_for("mixture", "world").with_values({"model.members": f"world, {factors}"})
    made = make_learner(config, load_dataset("world"))
    assert isinstance(made, MixtureLearner)
    return made


@pytest.fixture(scope="module")
def mixture(factors: Path) -> WalkingMixture:
    members = [load_scorer("world").scorer, load_scorer(factors).scorer]
    made = make_mixture(members, np.array([0.7, 0.3]), ["world", "factors"])
    assert isinstance(made, WalkingMixture)
    return made


def some_queries(count: int) -> QueryBatch:
    facts = load_dataset("world").test[:count]
    return QueryBatch(facts.subject, facts.relation, facts.time)


def test_a_row_is_the_weighted_sum_of_its_members_and_shares_are_their_parts(
    mixture: WalkingMixture, factors: Path
) -> None:
    queries = some_queries(9)
    walk = load_scorer("world").scorer.score(queries)
    other = np.exp(load_scorer(factors).scorer.score(queries))
    mixed = mixture.score(queries)
    np.testing.assert_allclose(mixed, 0.7 * walk + 0.3 * other, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(mixed.sum(axis=1), 1.0, rtol=1e-4)
    for row in range(9):
        query = Query(int(queries.subject[row]), int(queries.relation[row]), int(queries.time[row]))
        for entity in (int(mixed[row].argmax()), 3):
            shares = mixture.shares(query, entity)
            assert [name for name, _ in shares] in (["world", "factors"], ["factors", "world"])
            assert [share for _, share in shares] == sorted((share for _, share in shares), reverse=True)
            assert sum(share for _, share in shares) == pytest.approx(1.0)
            assert dict(shares)["factors"] == pytest.approx(0.3 * other[row, entity] / mixed[row, entity], rel=1e-4)


def test_weights_are_those_that_a_search_finds_and_halves_share_no_fact(learner: MixtureLearner) -> None:
    odds = learner.plan(0)[0]
    valid = load_dataset("world").valid
    assert len(odds.fitted) + len(odds.held_out) == 2 * len(valid)
    assert len(odds.fitted) == learner.queries == 2 * (len(valid) // 2)
    optimiser = learner.optimiser()
    for _ in range(200):
        optimiser.zero_grad()
        loss = learner.module(odds)
        loss.value.backward()
        optimiser.step()
    given = odds.fitted.astype(np.float64)
    grid = np.linspace(0, 1, 2001)
    surprise = [-np.log(w * given[:, 0] + (1 - w) * given[:, 1] + 1e-12).mean() for w in grid]
    assert learner.module.values()[0] == pytest.approx(grid[np.argmin(surprise)], abs=0.005)
    assert 0.5 < learner.module.values()[0] < 1, "the walk is the better one, the other one adds to it"
    best = learner.module.values()
    expected = -np.log(odds.held_out.astype(np.float64) @ best + 1e-12).mean()
    assert loss.metrics["held_out"] / len(odds) == pytest.approx(expected, rel=1e-3)


def test_what_members_gave_is_what_they_give_each_answer(learner: MixtureLearner, factors: Path) -> None:
    """Every probability of a lone query, found again in one of the two halves: both directions in the same one."""
    odds = learner.plan(0)[0]
    facts = both_directions(load_dataset("world").valid, load_dataset("world").num_relations)
    count = len(facts.subject) // 2
    walk, other = load_scorer("world").scorer, load_scorer(factors).scorer
    for fact in (0, 7, count - 1):
        halves = []
        for row in (fact, fact + count):
            query = QueryBatch.of([Query(int(facts.subject[row]), int(facts.relation[row]), int(facts.time[row]))])
            answer = int(facts.object[row])
            pair = [float(walk.score(query)[0, answer]), float(np.exp(other.score(query)[0, answer]))]
            halves.append(
                [bool(np.isclose(half, pair, rtol=1e-4, atol=1e-9).all(axis=1).any()) for half in vars(odds).values()]
            )
        assert halves[0] == halves[1]
        assert sorted(halves[0]) == [False, True]


def test_facts_are_taken_from_members_that_read_the_graph(mixture: WalkingMixture, factors: Path) -> None:
    asked = some_queries(1)
    query = Query(int(asked.subject[0]), int(asked.relation[0]), int(asked.time[0]))
    views = [View.all(), View.all().without([3, 8]), View.all().until(query.time)]
    walk = load_scorer("world").scorer
    assert isinstance(walk, Explainer)
    other = np.exp(load_scorer(factors).scorer.score(asked))
    each = mixture.score_each(query, views)
    np.testing.assert_allclose(each, 0.7 * walk.score_each(query, views) + 0.3 * other, rtol=1e-5, atol=1e-9)
    for view, row in zip(views, each, strict=True):
        np.testing.assert_allclose(mixture.score(asked, view)[0], row, rtol=1e-4, atol=1e-8)
    trace = mixture.trace(query, views[1])
    np.testing.assert_allclose(trace.scores, each[1], rtol=1e-4, atol=1e-8)
    assert trace.view == views[1]
    assert len(mixture.facts_read(trace, 0, 3)) == 0, "T-GAP reads nothing besides its walk"
    with pytest.raises(QueryError, match="cannot be told what to see"):
        mixture.seeing(View.all().until(5))


def test_it_is_what_its_members_are(mixture: WalkingMixture, factors: Path) -> None:
    assert isinstance(mixture, Explainer)
    assert isinstance(mixture, GraphScorer)
    assert isinstance(mixture, Reader)
    assert isinstance(mixture, Mixed)
    member = load_scorer(factors).scorer
    still = make_mixture([member, member], np.array([0.5, 0.5]), ["one", "two"])
    assert type(still) is MixtureScorer
    assert not isinstance(still, Explainer)
    np.testing.assert_allclose(still.score(some_queries(3)), np.exp(member.score(some_queries(3))), rtol=1e-5)
    walkers = [load_scorer("world").scorer] * 2
    seeing = make_mixture(walkers, np.array([0.5, 0.5]), ["one", "two"])
    assert isinstance(seeing, WalkingMixture)
    past = walkers[0]
    assert isinstance(past, GraphScorer)
    early = View.all().until(400)
    np.testing.assert_allclose(
        seeing.seeing(early).score(some_queries(3)), past.seeing(early).score(some_queries(3)), rtol=1e-5, atol=1e-9
    )


def test_trained_evaluated_explained_and_exported_as_a_user_does(
    factors: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "mixed"
    new = ["train", "--dataset", "world", "--method", "mixture", "--out", str(run), "--set", "validation_queries=50"]
    assert tgap([*new, "--set", f"members=world,{factors}"]) == 0
    assert "held_out" in capsys.readouterr().out
    assert tgap(["evaluate", str(run), "--limit", "50"]) == 0
    assert "mixture" in capsys.readouterr().out
    names, fact = load_dataset("world"), load_dataset("world").test[0]
    asked = [
        names.entities.names[fact.subject],
        names.relations.names[fact.relation],
        names.timeline.format(fact.time),
    ]
    assert tgap(["explain", str(run), *asked]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "of this probability" in shown
    assert "comes from world" in shown
    assert "comes from factors" in shown
    assert tgap(["export", str(run), str(tmp_path / "small")]) == 0
    queries = some_queries(4)
    np.testing.assert_array_equal(
        load_scorer(tmp_path / "small").scorer.score(queries), load_scorer(run).scorer.score(queries)
    )


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ("", "model.members is ''; expected two or more runs"),
        ("world", "model.members is 'world'; expected two or more runs"),
        ("world,world", "model.members names world more than once"),
        ("world,icews14", "model.members icews14 was made for icews14 (completion), not for world (completion)"),
        ("world,runs/nowhere", "no run 'runs/nowhere'"),
    ],
)
def test_members_that_do_not_fit_are_refused_before_anything_is_written(
    members: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert tgap(["train", "--method", "mixture", "--out", str(out), "--set", f"members={members}"]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_a_member_that_only_orders_is_refused(
    factors: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "margin"
    new = ["train", "--dataset", "world", "--method", "transe", "--out", str(run), "--set", "loss=margin", *QUICK]
    assert tgap(new) == 0
    capsys.readouterr()
    mixed = tmp_path / "mixed"
    assert tgap(["train", "--method", "mixture", "--out", str(mixed), "--set", f"members=world,{run}"]) == 2
    assert "only orders entities; name runs that give probabilities" in capsys.readouterr().err
