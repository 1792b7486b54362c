"""Questions that cannot be answered give one clear error before any kernel runs."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
import pytest
import torch

from tests.explain.small_dataset import small_dataset
from tests.model.tiny_models import batch_of, model_of
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.asking.model import Model
from tgap.config import EvaluationConfig
from tgap.errors import ConfigError, QueryError
from tgap.graph import TemporalGraph, View
from tgap.kernels import backend
from tgap.model.scorer import TGAPScorer
from tgap.model.tgap import TGAP
from tgap.scorer import Query, QueryBatch

SPAN, ENTITIES, RELATIONS = 12, 8, 3
BAD_IDS = {
    (-1, 0, 3): "subject id -1 is out of range; expected 0 to 7",
    (ENTITIES, 0, 3): "subject id 8 is out of range; expected 0 to 7",
    (2**40, 0, 3): "subject id 1099511627776 is out of range; expected 0 to 7",
    (1, -2, 3): "relation id -2 is out of range; expected 0 to 5",
    (1, 2 * RELATIONS, 3): "relation id 6 is out of range; expected 0 to 5",
}
FAR = [2**30, -(2**30), 2**40, 2**63 - 1]
LEAST = -(2**63)  # its absolute value is negative
EMPTY = QueryBatch(*(np.empty(0, np.int64) for _ in range(3)))


class KernelError(Exception):
    """A kernel was about to run on numbers that nobody checked."""


@pytest.fixture
def model() -> TGAP:
    config = tiny_config()
    return model_of(config, tiny_graph(1), SPAN, random_parameters(config, ENTITIES, RELATIONS, SPAN, 1))


@pytest.fixture
def guarded(model: TGAP, monkeypatch: pytest.MonkeyPatch) -> TGAP:
    """The model with every way to the kernels barred."""

    def refuse(*given: object, **named: object) -> NoReturn:
        raise KernelError

    monkeypatch.setattr("tgap.model.tgap.ForwardPass", refuse)
    monkeypatch.setattr(TGAP, "features", refuse)
    monkeypatch.setattr(TGAP, "features_of", refuse)
    return model


def all_refuse(model: TGAP, batch: QueryBatch, message: str) -> None:
    """Loss, score and record refuse a batch of one."""
    view = View.all()
    with pytest.raises(QueryError, match=message):
        model.score(batch, view, 0)
    with pytest.raises(QueryError, match=message):
        model.loss(batch, np.zeros(1, np.int64), view, 0)
    with pytest.raises(QueryError, match=message):
        model.record(batch, view, 0)


@pytest.mark.parametrize(("query", "message"), BAD_IDS.items())
def test_ids_out_of_range_are_refused(query: tuple[int, int, int], message: str, guarded: TGAP) -> None:
    all_refuse(guarded, batch_of(query), message)


def test_one_bad_query_among_good_ones_is_named(guarded: TGAP) -> None:
    with pytest.raises(QueryError, match="subject id 9 is"):
        guarded.score(batch_of((0, 0, 1), (9, 1, 2), (3, 2, 1)), View.all(), 0)


@pytest.mark.parametrize("time", [*FAR, LEAST])
def test_times_beyond_32_bits_are_refused(time: int, guarded: TGAP) -> None:
    all_refuse(guarded, batch_of((1, 0, time)), "too far")


def test_an_empty_batch_is_refused(guarded: TGAP) -> None:
    view = View.all()
    with pytest.raises(QueryError, match="empty"):
        guarded.score(EMPTY, view, 0)
    with pytest.raises(QueryError, match="empty"):
        guarded.loss(EMPTY, np.empty(0, np.int64), view, 0)


@pytest.mark.parametrize("answers", [[], [1], [1, 2, 3], [1, -1], [1, ENTITIES], [2**40, 1]])
def test_wrong_answers_are_refused(answers: list[int], guarded: TGAP) -> None:
    with pytest.raises(QueryError, match="expected 2 answers with entity ids from 0 to 7"):
        guarded.loss(batch_of((1, 0, 3), (2, 1, 3)), np.array(answers, np.int64), View.all(), 0)


@pytest.mark.parametrize("query", [*BAD_IDS, *((1, 0, time) for time in FAR)])
def test_the_scorer_refuses_what_the_model_refuses(query: tuple[int, int, int], model: TGAP) -> None:
    scorer = TGAPScorer(model, EvaluationConfig())
    with pytest.raises(QueryError):
        scorer.score(batch_of(query))
    with pytest.raises(QueryError):
        scorer.trace(Query(*query))
    with pytest.raises(QueryError):
        scorer.trace(Query(*query), View.all().without([0]))


@pytest.mark.parametrize("time", FAR)
def test_the_scorer_computes_nothing_for_a_refused_time(time: int, guarded: TGAP) -> None:
    scorer = TGAPScorer(guarded, EvaluationConfig())
    with pytest.raises(QueryError):
        scorer.score(batch_of((1, 0, time)))
    with pytest.raises(QueryError):
        scorer.trace(Query(1, 0, time))


def test_hidden_facts_that_do_not_exist_are_refused(model: TGAP) -> None:
    with pytest.raises(QueryError):
        TGAPScorer(model, EvaluationConfig()).trace(Query(1, 0, 3), View.all().without([10**6]))


def test_the_scorer_gives_no_rows_for_no_queries(model: TGAP) -> None:
    assert TGAPScorer(model, EvaluationConfig()).score(EMPTY).shape == (0, ENTITIES)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("name", ["entity", "displacement.size", "sgnn.message", "flow.key"])
def test_broken_weights_are_refused_by_name(name: str, bad: float, model: TGAP) -> None:
    scorer = TGAPScorer(model, EvaluationConfig())
    with torch.no_grad():
        dict(model.named_parameters())[name].view(-1)[-1] = bad
    with pytest.raises(QueryError, match=f"parameter {name} holds NaN or infinite numbers"):
        scorer.refresh()
    with pytest.raises(QueryError, match=name):
        TGAPScorer(model, EvaluationConfig())


@pytest.mark.parametrize("kernels", ["compiled", "reference"])
def test_broken_weights_never_crash_a_training_step(kernels: str) -> None:
    config = tiny_config()
    graph = tiny_graph(1)
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 1)
    parameters["entity"][:] = np.nan
    model = model_of(config, graph, SPAN, parameters, kernels)
    loss = model.loss(batch_of((1, 0, 3)), np.array([2]), View.all(), 0).value
    loss.backward()  # type: ignore[no-untyped-call]
    assert np.isnan(loss.item())


def overgrown(kernels: str = "compiled", **values: Any) -> TGAP:
    """Finite weights whose products are not; fewer edges join a subgraph than there are to choose from."""
    config = tiny_config(added_edges=2, **values)
    parameters = random_parameters(config, ENTITIES, RELATIONS, SPAN, 1)
    parameters["entity"] *= 1e25
    return model_of(config, tiny_graph(1), SPAN, parameters, kernels, torch.float32)


@pytest.mark.parametrize("kernels", ["compiled", "reference"])
@pytest.mark.parametrize("values", [{}, {"lazy": True, "walk_cap": 4, "gather_cap": 3, "cap_choice": "near"}])
def test_scores_that_are_no_numbers_are_refused(kernels: str, values: dict[str, Any]) -> None:
    model = overgrown(kernels, **values)
    query = Query(1, 0, 3)
    raw = model.score(QueryBatch.of([query]), View.all(), 0)
    assert raw.isnan().any(), "the case is reached"
    scorer = TGAPScorer(model, EvaluationConfig())  # each weight by itself is fine
    message = r"the query \(subject 1, relation 0, time 3\) has scores that are no finite numbers"
    with pytest.raises(QueryError, match=message):
        scorer.score(batch_of((1, 0, 3)))
    with pytest.raises(QueryError, match=message):
        scorer.trace(query)
    with pytest.raises(QueryError, match=message):
        scorer.trace(query, View.all().without([0]))


def test_a_prediction_from_scores_that_are_no_numbers_is_refused() -> None:
    data = small_dataset()
    graph = TemporalGraph.build(data.num_entities, data.num_relations, *data.train.columns)
    model = TGAP(tiny_config(added_edges=2), graph, data.timeline.span)
    loaded = Model(TGAPScorer(model, EvaluationConfig()), data)
    asked = ("North Korea", "Threaten", "?", "2014-04-29")
    assert loaded.predict(*asked).answers
    with torch.no_grad():
        model.entity.mul_(1e25)
    loaded = Model(TGAPScorer(model, EvaluationConfig()), data)
    with pytest.raises(QueryError, match="no finite numbers: the weights are too large"):
        loaded.predict(*asked)
    with pytest.raises(QueryError, match="no finite numbers: the weights are too large"):
        loaded.explain(*asked)


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown backend 'fast'; expected compiled or reference"):
        backend("fast")
