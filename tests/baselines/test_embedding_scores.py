"""Score functions against loops over single facts, gradients against finite differences, rows against batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.baselines.plain_scores import SCORES, complex_cube
from tests.baselines.tiny_baselines import AXES, CASES, KINDS, N, R, every_query, plain_of, tiny_model
from tgap.baselines.embedding_model import EmbeddingModel
from tgap.baselines.embedding_scorer import EmbeddingScorer
from tgap.baselines.fact_batches import FactBatch
from tgap.errors import QueryError
from tgap.scorer import Query, QueryBatch


@pytest.mark.parametrize("case", CASES)
def test_scores_are_those_of_single_facts(case: str) -> None:
    name, values = CASES[case]
    model = tiny_model(name, **values)
    plain = plain_of(name, model)
    queries = every_query()
    found = model.score(queries).detach().numpy()
    for row in range(len(queries)):
        s, r, t = int(queries.subject[row]), int(queries.relation[row]), int(queries.time[row])
        expected = [SCORES[name](plain, s, r, o, t) for o in range(N)]
        np.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_some_columns_are_those_of_the_whole_row(case: str) -> None:
    name, values = CASES[case]
    model = tiny_model(name, **values)
    queries = every_query()
    chosen = torch.tensor([4, 0, 3])
    torch.testing.assert_close(model.score(queries, chosen), model.score(queries)[:, chosen], rtol=1e-12, atol=1e-12)


def batch_of(model: EmbeddingModel) -> FactBatch:
    random = np.random.default_rng(1)
    queries = every_query((3, 45, 20)).take(random.permutation(N * 2 * R * 3)[:9])
    return FactBatch(0, 0, queries, random.integers(0, N, 9), random.integers(0, N, 4))


@pytest.mark.parametrize("loss", ["softmax", "sampled", "margin"])
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_finite_differences(case: str, loss: str) -> None:
    name, values = CASES[case]
    extra: dict[str, Any] = (
        {"embedding_penalty": 0.1} if name in ("distmult", "ta-distmult", "tcomplex", "tntcomplex") else {}
    )
    model = tiny_model(name, loss=loss, margin=5.0, **values, **extra)
    batch = batch_of(model)
    model(batch).value.backward()
    random = np.random.default_rng(2)
    step = 1e-6
    for key, parameter in model.named_parameters():
        if not parameter.numel():
            continue
        flat, gradient = parameter.data.view(-1), parameter.grad
        for place in random.choice(len(flat), size=min(4, len(flat)), replace=False):
            before = float(flat[place])
            ends = []
            for moved in (before + step, before - step):
                flat[place] = moved
                ends.append(float(model(batch).value.detach()))
            flat[place] = before
            slope = (ends[0] - ends[1]) / (2 * step)
            found = 0.0 if gradient is None else float(gradient.view(-1)[place])
            assert found == pytest.approx(slope, rel=1e-5, abs=1e-8), f"{key}[{place}]"


@pytest.mark.parametrize("name", KINDS)
def test_a_row_does_not_depend_on_its_batch(name: str) -> None:
    scorer = EmbeddingScorer(name, tiny_model(name), batch_size=5)
    queries = every_query()
    together = scorer.score(queries)
    assert together.dtype == np.float32
    for row in range(0, len(queries), 11):
        alone = scorer.score(queries.take(slice(row, row + 1)))
        np.testing.assert_allclose(alone[0], together[row], rtol=1e-6)


def test_scattered_dates_are_scored_as_single_ones() -> None:
    """DE-SimplE multiplies by parts of the date where dates outnumber them, else by date."""
    model = tiny_model("de-simple")
    queries = QueryBatch.of([Query(time % N, time % (2 * R), time) for time in range(0, 365, 3)])
    together = model.score(queries)
    for row in range(len(queries)):
        alone = model.score(queries.take(slice(row, row + 1)))
        torch.testing.assert_close(alone[0], together[row], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_no_question_at_all_is_answered_with_nothing(name: str) -> None:
    assert EmbeddingScorer(name, tiny_model(name), batch_size=5).score(QueryBatch.of([])).shape == (0, N)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (Query(N, 0, 3), "subject id 6 is out of range; expected 0 to 5"),
        (Query(0, 2 * R, 3), "relation id 4 is out of range; expected 0 to 3"),
    ],
)
def test_ids_out_of_range_are_refused(query: Query, message: str) -> None:
    scorer = EmbeddingScorer("TransE", tiny_model("transe"), batch_size=5)
    with pytest.raises(QueryError, match=message):
        scorer.score(QueryBatch.of([query]))


def test_weights_that_are_no_numbers_are_refused() -> None:
    model = tiny_model("distmult")
    torch.nn.init.constant_(model.get_parameter("entity"), float("nan"))
    with pytest.raises(QueryError, match="entity holds NaN"):
        EmbeddingScorer("DistMult", model, batch_size=5)


def test_a_scorer_leaves_nothing_out_and_training_goes_on_as_it_was() -> None:
    model = tiny_model("ta-distmult", dropout=0.5).train()
    scorer = EmbeddingScorer("TA-DistMult", model, batch_size=5)
    queries = every_query((3,))
    np.testing.assert_array_equal(scorer.score(queries), scorer.score(queries))
    assert model.training
    assert not torch.equal(model.score(queries), model.score(queries))  # dropout is at work again


@pytest.mark.parametrize("name", ["tcomplex", "tntcomplex"])
@pytest.mark.parametrize("power", [3, 4])
def test_penalty_is_the_papers(name: str, power: int) -> None:
    """Equations 4 and 5 of the paper by loops, without their factor 1/3."""
    model = tiny_model(name, embedding_penalty=0.3, time_penalty=0.7, time_power=power)
    plain = plain_of(name, model)
    batch = batch_of(model)
    cubes = 0.0
    for row in range(len(batch)):
        s, r, t = (int(column[row]) for column in (batch.queries.subject, batch.queries.relation, batch.queries.time))
        subject, answer = plain.row("entity", s), plain.row("entity", int(batch.answers[row]))
        moving = plain.row("relation" if name == "tcomplex" else "temporal", r)
        time = plain.at_time("time.weight", t)
        half = len(time) // 2
        turned = [complex(moving[i], moving[half + i]) * complex(time[i], time[half + i]) for i in range(half)]
        cubes += sum(abs(value) ** 3 for value in turned)
        twice = 1 if name == "tcomplex" else 2
        cubes += twice * (complex_cube(subject) + complex_cube(answer))
        cubes += 0.0 if name == "tcomplex" else complex_cube(plain.row("lasting", r))
    rough = 0.0
    for before, after in zip(range(len(AXES.instants) - 1), range(1, len(AXES.instants)), strict=True):
        step = np.array(plain.row("time.weight", after)) - np.array(plain.row("time.weight", before))
        rough += sum(abs(complex(step[i], step[half + i])) ** power for i in range(half))
    expected = 0.3 * cubes / len(batch) + 0.7 * rough / (len(AXES.instants) - 1)
    loss = model(batch)
    assert loss.metrics["penalty"] / len(batch) == pytest.approx(expected, rel=1e-9)
    bare = tiny_model(name, embedding_penalty=0.0, time_penalty=0.0)(batch).value
    assert float((loss.value - bare).detach()) == pytest.approx(expected, rel=1e-9)
