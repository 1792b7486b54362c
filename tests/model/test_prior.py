from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.asking.run_folder import make_run
from tests.explain.small_dataset import small_dataset
from tests.tiny import from_facts, tiny_config
from tgap.asking.model import Model
from tgap.config import EvaluationConfig
from tgap.errors import ConfigError
from tgap.explain.answer_flow import AnswerFlow
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import visible_graph
from tgap.model.prior import RelationPrior
from tgap.model.scorer import TGAPScorer
from tgap.model.tgap import TGAP
from tgap.runs import load_scorer
from tgap.scorer import Query, QueryBatch

FACTS = [(0, 0, 1, 1), (0, 0, 2, 2), (1, 0, 2, 3), (1, 1, 0, 4), (3, 0, 2, 9)]
ENTITIES = 6  # 4 and 5 are in no fact


def graph_of() -> TemporalGraph:
    return from_facts(ENTITIES, 2, FACTS)


def scorer_of(prior: float) -> TGAPScorer:
    return TGAPScorer(TGAP(tiny_config(prior=prior), graph_of(), span=12, seed=2), EvaluationConfig())


def by_hand(facts: list[tuple[int, int, int, int]], relation: int) -> np.ndarray:
    own, every = np.zeros(ENTITIES), np.zeros(ENTITIES)
    for subject, name, obj, _ in facts:
        every[[subject, obj]] += 1
        if name == relation % 2:
            own[obj if relation < 2 else subject] += 1
    return np.asarray((own + every / every.sum()) / (own.sum() + 1))


@pytest.mark.parametrize("relation", range(4))
def test_it_counts_what_is_visible(relation: int) -> None:
    graph = graph_of()
    prior = RelationPrior(graph)
    whole = prior(visible_graph(graph, View.all()), relation)
    np.testing.assert_allclose(whole, by_hand(FACTS, relation))
    assert whole.sum() == pytest.approx(1)
    past = prior(visible_graph(graph, View.all().until(4)), relation)
    np.testing.assert_allclose(past, by_hand(FACTS[:4], relation))
    hidden = int(graph.find_facts(*(np.array([part]) for part in FACTS[1]))[0])
    without = prior(visible_graph(graph, View.all().without([hidden])), relation)
    np.testing.assert_allclose(without, by_hand([FACTS[0], *FACTS[2:]], relation))
    assert not prior(visible_graph(graph, View.all().before(0)), relation).any()


def test_scores_are_mixed_and_only_what_no_attention_reaches_is_reordered() -> None:
    plain, mixed = scorer_of(0.0), scorer_of(1e-6)
    queries = QueryBatch.of([Query(0, 0, 3), Query(4, 0, 3), Query(2, 2, 3)])
    bare, scores = plain.score(queries), mixed.score(queries)
    np.testing.assert_allclose(scores.sum(axis=1), 1, atol=1e-6)
    for place, relation in enumerate(queries.relation.tolist()):
        expected = (1 - 1e-6) * bare[place] + 1e-6 * by_hand(FACTS, relation)
        np.testing.assert_allclose(scores[place], expected, rtol=1e-6)
        reached = bare[place] > 1e-5
        np.testing.assert_array_equal(np.argsort(bare[place][reached]), np.argsort(scores[place][reached]))
    assert scores[1].argsort()[::-1][:2].tolist() == [4, 2]  # unseen: itself, then the most common answer
    view = View.all().until(3)
    for query in (Query(0, 0, 3), Query(4, 0, 3)):
        alone = mixed.score(QueryBatch.of([query]), view)
        np.testing.assert_array_equal(mixed.score_each(query, [view])[0], alone[0])
        np.testing.assert_allclose(mixed.trace(query, view).scores, alone[0], rtol=1e-6)


def test_the_flow_to_an_answer_is_that_of_the_walk() -> None:
    scorer = scorer_of(0.01)
    trace = scorer.trace(Query(0, 0, 3))
    flow = AnswerFlow.of(scorer.graph, trace, 2)
    assert trace.scores[2] == pytest.approx(0.99 * flow.mass + 0.01 * by_hand(FACTS, 0)[2], rel=1e-5)
    for share in flow.edges:
        assert share.sum() == pytest.approx(1, abs=1e-5)
    assert trace.mass(5) == 0 < trace.scores[2]


def test_a_run_can_be_asked_with_it(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "world")
    plain, mixed = load_scorer(folder), load_scorer(folder, {"model.prior": 1e-6})
    assert list(plain.config.changes(mixed.config)) == ["model.prior"]
    with pytest.raises(ConfigError, match="prior"):
        load_scorer(folder, {"model.prior": 1.5})


def test_an_answer_that_only_the_prior_gives_is_said_to_be_so() -> None:
    dataset = small_dataset()
    graph = TemporalGraph.of(dataset)
    scorer = TGAPScorer(TGAP(tiny_config(prior=1e-4), graph, dataset.timeline.span), EvaluationConfig())
    found = Model(scorer, dataset).explain("North Korea", "Threaten", "Far Away", "2014-04-29").document
    assert found.kind == "unreached"
    assert found.answer.score > 0
    assert found.sentence is not None
    assert "no walk arrived there; what it has does not come from a walk" in found.sentence
    lonely = Model(scorer, dataset).explain("Lonely Island", "Consult", "Japan", "2014-04-29").document
    assert lonely.sentence is not None
    assert "nothing is known of Lonely Island, it has no event in sight" in lonely.sentence
