"""The universal model as a scorer: probabilities, names that do not matter, a future that cannot leak, gradients."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.universal.plain_counts import class_by_hand, counts_by_hand
from tests.universal.test_counting import graph_of, random_facts
from tgap.capabilities import capabilities_of
from tgap.data import Dataset, Facts, Timeline
from tgap.data.facts import in_order
from tgap.data.vocabulary import Vocabulary
from tgap.errors import QueryError
from tgap.graph import View
from tgap.graph.setting import DEFAULT_SETTING
from tgap.graph.task import FORECAST
from tgap.scorer import Query, QueryBatch
from tgap.universal.cases import GraphReader
from tgap.universal.counting import EARLIEST, LATEST, Window
from tgap.universal.model import UniversalModel
from tgap.universal.regularities import regularities
from tgap.universal.scorer import UniversalScorer

ENTITIES, RELATIONS = 12, 3


@pytest.fixture(scope="module")
def model() -> UniversalModel:
    """Random weights; large ones in the re-ranker, so that every feature matters."""
    made = UniversalModel(seed=3)
    with torch.no_grad():
        made.reranker.deviation.fill_(2.0)
    return made.eval().requires_grad_(False)


def dataset_of(facts: list[tuple[int, int, int, int]], entities: int = ENTITIES, relations: int = RELATIONS) -> Dataset:
    table = np.array(facts, np.int64)
    cut = [table[:90], table[90:100], table[100:]]
    names = (
        Vocabulary([f"e{k}" for k in range(entities)], "entity"),
        Vocabulary([f"r{k}" for k in range(relations)], "relation"),
    )
    train, valid, test = (in_order(Facts(*(part[:, k].copy() for k in range(4)))) for part in cut)
    return Dataset("small", *names, Timeline("day", 0, 60), train, valid, test)


def some_facts(seed: int = 0) -> list[tuple[int, int, int, int]]:
    facts = random_facts(seed, ENTITIES, RELATIONS, 120).facts
    return sorted(facts, key=lambda fact: fact[3])


def queries_of(facts: list[tuple[int, int, int, int]]) -> QueryBatch:
    return QueryBatch.of([Query(s, r, t) for s, r, _, t in facts])


def test_it_is_a_scorer_that_explains(model: UniversalModel) -> None:
    scorer = UniversalScorer(model, dataset_of(some_facts()))
    declared = capabilities_of(scorer)
    assert [declared.reads_graph, declared.walks, declared.reads_facts] == [scorer] * 3
    scores = scorer.score(queries_of(some_facts()[:30]))
    assert (scores >= 0).all()
    np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-5)


def test_a_row_does_not_depend_on_its_batch(model: UniversalModel) -> None:
    scorer = UniversalScorer(model, dataset_of(some_facts()))
    queries = queries_of(some_facts()[::7])
    together = scorer.score(queries)
    for place in range(len(queries)):
        alone = scorer.score(queries.take(slice(place, place + 1)))
        np.testing.assert_allclose(alone[0], together[place], rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("setting", [DEFAULT_SETTING, FORECAST.setting])
def test_permuted_names_give_permuted_answers(model: UniversalModel, setting: object) -> None:
    """Ids are all the model sees of names."""
    random = np.random.default_rng(1)
    entity, relation = random.permutation(ENTITIES), random.permutation(RELATIONS)
    facts = some_facts()
    renamed = [(int(entity[s]), int(relation[r]), int(entity[o]), t) for s, r, o, t in facts]
    one = UniversalScorer(model, dataset_of(facts), setting)  # type: ignore[arg-type]
    two = UniversalScorer(model, dataset_of(renamed), setting)  # type: ignore[arg-type]
    asked = facts[::9]
    turned = queries_of([(int(entity[s]), int(relation[r]), 0, t) for s, r, _, t in asked])
    expected, found = one.score(queries_of(asked)), two.score(turned)
    np.testing.assert_allclose(found[:, entity], expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("time", [12, 20, 33])
def test_the_future_cannot_leak_into_a_forecast(model: UniversalModel, time: int) -> None:
    """Whatever happens from the query's time on, statistics have the same bits, and answers but for rounding too.

    (Softmax sums of a row run over hidden edges as well, which add zero in other places.)
    """
    facts = some_facts()
    random = np.random.default_rng(time)
    changed = [
        fact if fact[3] < time else (int(random.integers(6)), 1, 6 + int(random.integers(6)), fact[3]) for fact in facts
    ]
    assert changed != facts
    asked = queries_of([(s, r, o, time) for s, r, o, _ in facts[:12]])
    one, two = (UniversalScorer(model, dataset_of(those), FORECAST.setting) for those in (facts, changed))
    for relation in range(2 * RELATIONS):
        mine, other = (
            of.profile(relation, of.window(View.all().before_query(), time))
            for of in (one.reader.statistics, two.reader.statistics)
        )
        for name in ("window", "unit"):
            assert getattr(mine, name) == getattr(other, name)
        for left, right in zip(
            (*mine.event, *mine.near, mine.roles), (*other.event, *other.near, other.roles), strict=True
        ):
            np.testing.assert_array_equal(left, right)
    np.testing.assert_allclose(one.score(asked), two.score(asked), rtol=2e-5)


def test_as_of_a_time_nothing_later_is_read(model: UniversalModel) -> None:
    """Statistics included: a view ends them too."""
    facts = some_facts()
    changed = [fact if fact[3] <= 20 else (fact[2], 2, fact[0], fact[3]) for fact in facts]
    asked, view = queries_of(facts[:12]), View.all().until(20)
    one, two = (UniversalScorer(model, dataset_of(those)) for those in (facts, changed))
    assert not np.array_equal(one.score(asked), two.score(asked))
    np.testing.assert_array_equal(one.score(asked, view), two.score(asked, view))
    limited = one.restricted_to(view)
    np.testing.assert_array_equal(limited.score(asked), one.score(asked, view))


def test_views_facts_and_traces(model: UniversalModel) -> None:
    scorer = UniversalScorer(model, dataset_of(some_facts()))
    query = Query(*some_facts()[3][:2], some_facts()[3][3])
    views = [View.all(), View.all().without([4, 9]), View.all().until(15)]
    each = scorer.score_each(query, views)
    for row, view in zip(each, views, strict=True):
        np.testing.assert_allclose(row, scorer.score(QueryBatch.of([query]), view)[0], rtol=1e-5, atol=1e-8)
    trace = scorer.trace(query)
    np.testing.assert_allclose(trace.scores, each[0], rtol=1e-5, atol=1e-8)
    assert len(trace.steps) == 3
    answer = int(trace.scores.argmax())
    read = scorer.facts_read(trace, answer, 5)
    assert len(set(read.tolist())) == len(read) <= 5
    ends = scorer.graph.fact_edge[scorer.graph.fact_row[read]]
    met = {frozenset((int(scorer.graph.source[e]), int(scorer.graph.neighbour[e]))) for e in ends}
    assert met <= {frozenset((query.subject, answer))}


@pytest.mark.parametrize("unit", [1, 4])
def test_regularities_are_counts_of_plain_loops(model: UniversalModel, unit: int) -> None:
    plain = random_facts(3)
    graph = graph_of(plain)
    statistics = GraphReader(model, graph, None).statistics
    statistics._units[Window()] = unit
    profile = statistics.profile(2, Window())
    relation, displacement = np.array([0, 0, 4], np.int32), np.array([-9, 3, -1])
    found = {one.relation: one for one in regularities(profile, relation, displacement)}
    questions = plain.questions(2)
    by_hand = counts_by_hand(plain, questions, EARLIEST, LATEST, False, unit, -1)
    for kind, nearest in ((0, 3), (4, -1)):
        one, key = found[kind], (kind, class_by_hand(nearest, unit))
        assert (one.hits, one.trials) == (by_hand[2].get(key, 0), by_hand[2].get(key, 0) + by_hand[3].get(key, 0))
        assert one.first <= nearest <= one.last
        assert class_by_hand(one.first, unit) == class_by_hand(one.last, unit) == key[1]


def test_the_scorer_tells_them_for_a_pair(model: UniversalModel) -> None:
    scorer = UniversalScorer(model, dataset_of(some_facts()))
    s, r, o, t = some_facts()[3]
    met = {one.relation for one in scorer.regularities(Query(s, r, t), o)}
    edges = (scorer.graph.source == s) & (scorer.graph.neighbour == o) & (scorer.graph.fact >= 0)
    assert met == set(scorer.graph.relation[edges].tolist())


def test_appended_and_new_facts_are_known(model: UniversalModel) -> None:
    facts = some_facts()
    scorer = UniversalScorer(model, dataset_of(facts))
    more = dataset_of(facts[:100] + [(0, 0, 12, 5)] * 5, ENTITIES + 1, RELATIONS + 1)
    grown = scorer.with_context(more, FORECAST.setting)
    assert grown.num_entities == ENTITIES + 1
    assert grown.num_relations == RELATIONS + 1
    assert np.isfinite(grown.score(QueryBatch.of([Query(0, RELATIONS, 70), Query(ENTITIES, 0, 70)]))).all()


def test_an_unknown_entity_is_refused(model: UniversalModel) -> None:
    with pytest.raises(QueryError, match="subject id 99 is out of range"):
        UniversalScorer(model, dataset_of(some_facts())).score(QueryBatch.of([Query(99, 0, 3)]))


def test_gradients_of_the_walker_are_those_of_differences() -> None:
    """Through the kernels into the networks that compute relations and displacements, in double precision."""
    model = UniversalModel(seed=2).double()
    reader = GraphReader(model, graph_of(random_facts(2)), None)
    profile = reader.statistics.profile(1, Window())
    edges = reader.statistics.index.asked(1)[:4]
    graph = reader.graph
    columns = (graph.source, graph.relation, graph.time, graph.neighbour)
    subject, relation, time, answers = (column[edges].astype(np.int64) for column in columns)
    queries, view = QueryBatch(subject, relation, time), View.all().without(graph.fact[edges].tolist())

    def loss() -> torch.Tensor:
        return reader.walked.asking(profile).loss(queries, answers, view, 0).value

    loss().backward()  # type: ignore[no-untyped-call]
    chosen = {
        "relations.network.4.weight": (5, 7), "relations.network.0.weight": (3, 80), "relations.network.2.bias": (9,),
        "displacements.signed": (13, 2), "displacements.size": (1, 5), "core.flow.key": (4, 4),
    }  # fmt: skip
    parameters = dict(model.walker.named_parameters())
    for name, place in chosen.items():
        parameter, step = parameters[name], 1e-5
        assert parameter.grad is not None, name
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter[place] += sign * step
                values.append(float(loss()))
                parameter[place] -= sign * step
        assert float(parameter.grad[place]) == pytest.approx((values[0] - values[1]) / (2 * step), rel=2e-3, abs=1e-7)
    gradients = [parameter.grad for parameter in parameters.values() if parameter.grad is not None]
    assert sum(float(gradient.abs().sum()) > 1e-4 for gradient in gradients) > 10


def test_the_reranker_gives_shares_of_one() -> None:
    reranker = UniversalModel(seed=1).reranker
    row = np.array([0, 3, 4, 9])
    features = torch.randn(9, len(reranker.mean), generator=torch.Generator().manual_seed(0))
    inside, none = reranker(features, row)
    for b in range(3):
        total = inside[row[b] : row[b + 1]].exp().sum() + none[b].exp()
        assert float(total.detach()) == pytest.approx(1, abs=1e-5)
