"""evaluate(): every query of a split asked once, whatever the batch, and clear errors for broken scorers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from tgap.data import Dataset
from tgap.errors import EvaluationError
from tgap.evaluation import Filters, evaluate
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import Query, QueryBatch

if TYPE_CHECKING:
    from tests.evaluation.conftest import FunctionScorer, Score

    ScorerOf = Callable[[Dataset, Score], FunctionScorer]


def constant(value: float, count: int = 5) -> Score:
    def function(subject: int, relation: int, time: int) -> NDArray[np.floating]:
        return np.full(count, value)

    return function


def test_equal_queries_are_scored_once(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    evaluation = evaluate(random_scorer, dataset)
    assert len(evaluation.ranks) == 6
    assert sorted(random_scorer.asked) == [(0, 1, 6), (1, 3, 6), (2, 3, 6), (3, 0, 2), (4, 2, 2)]
    assert evaluation.report.queries == 6
    assert evaluation.report.distinct == 5


@pytest.mark.parametrize("batch_size", [1, 2, 64])
def test_batch_size_changes_nothing(dataset: Dataset, random_scorer: FunctionScorer, batch_size: int) -> None:
    whole = evaluate(random_scorer, dataset, batch_size=5, top=3)
    parts = evaluate(random_scorer, dataset, batch_size=batch_size, top=3, filters=Filters.of(dataset))
    np.testing.assert_array_equal(whole.ranks.better, parts.ranks.better)
    np.testing.assert_array_equal(whole.ranks.equal, parts.ranks.equal)
    np.testing.assert_array_equal(whole.answer_score, parts.answer_score)
    assert whole.top is not None
    assert parts.top is not None
    np.testing.assert_array_equal(whole.top.entity, parts.top.entity)
    assert whole.report.metrics == parts.report.metrics


def test_ranks_belong_to_their_queries(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    evaluation = evaluate(random_scorer, dataset)
    batch = evaluation.queries.batch
    for k in range(len(evaluation.queries)):
        row = random_scorer.function(int(batch.subject[k]), int(batch.relation[k]), int(batch.time[k]))
        own = row[evaluation.queries.answer[k]]
        assert evaluation.answer_score[k] == own
        assert evaluation.ranks.of("raw", "optimistic")[k] == 1 + (row > own).sum()
        assert evaluation.ranks.of("raw", "pessimistic")[k] == (row >= own).sum()


def test_a_scorer_that_knows_everything_is_perfect_by_the_time_filter(dataset: Dataset, scorer_of: ScorerOf) -> None:
    answers = TrueAnswers.of(dataset).at_that_time()

    def oracle(subject: int, relation: int, time: int) -> NDArray[np.floating]:
        scores = np.arange(5) / 100
        scores[answers.rows(QueryBatch.of([Query(subject, relation, time)])).of(0)] += 1
        return scores

    report = evaluate(scorer_of(dataset, oracle), dataset).report
    assert report.headline.mrr == report.headline.hits1 == report.headline.mean_rank == 1
    assert report.of("raw").mrr < 1


def test_a_scorer_that_knows_nothing_gets_the_middle(dataset: Dataset, scorer_of: ScorerOf) -> None:
    report = evaluate(scorer_of(dataset, constant(0.25)), dataset).report
    assert report.of("raw").mean_rank == 3
    assert report.of("raw", "optimistic").hits1 == 1
    assert report.of("raw", "pessimistic").mean_rank == 5


def test_sample_is_a_part_of_the_whole(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    whole = evaluate(random_scorer, dataset)
    part = evaluate(random_scorer, dataset, limit=4, seed=3)
    assert (part.report.queries, part.report.available, part.report.seed) == (4, 6, 3)
    assert whole.report.seed is None
    position = {
        (int(f), bool(h)): k for k, (f, h) in enumerate(zip(whole.queries.fact, whole.queries.head, strict=True))
    }
    for k in range(4):
        at = position[int(part.queries.fact[k]), bool(part.queries.head[k])]
        assert part.ranks.of("time")[k] == whole.ranks.of("time")[at]


def test_progress_hears_of_every_query(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    heard: list[tuple[int, int]] = []
    evaluate(random_scorer, dataset, batch_size=2, progress=lambda done, total: heard.append((done, total)))
    assert len(heard) == 3
    assert heard[-1] == (6, 6)
    assert heard == sorted(heard)


def test_unseen_entities_and_leaks_are_counted(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    report = evaluate(random_scorer, dataset).report
    assert (report.unseen.queries, report.unseen.subject, report.unseen.answer) == (2, 1, 1)
    assert report.leaked == 0
    train = dataset.train
    leaky = Dataset(dataset.name, dataset.entities, dataset.relations, dataset.timeline, train, dataset.valid, train)
    assert evaluate(random_scorer, leaky).report.leaked == 8


def test_nan_is_an_error_and_never_a_good_rank(dataset: Dataset, scorer_of: ScorerOf) -> None:
    with pytest.raises(EvaluationError, match="score nan for entity 0"):
        evaluate(scorer_of(dataset, constant(np.nan)), dataset)


def test_scores_of_the_wrong_shape_are_refused(dataset: Dataset, scorer_of: ScorerOf) -> None:
    with pytest.raises(EvaluationError, match=r"shape \(5, 4\).*expected floats \(5, 5\)"):
        evaluate(scorer_of(dataset, constant(1.0, count=4)), dataset)


def test_a_scorer_for_another_dataset_is_refused(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    random_scorer.num_entities = 7
    with pytest.raises(EvaluationError, match="knows 7 entities and 2 relations, but village has 5 and 2"):
        evaluate(random_scorer, dataset)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "train"}, "split 'train' cannot be evaluated; expected one of valid, test"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"limit": 0}, "at least 1"),
    ],
)
def test_wrong_arguments_are_one_clear_line(
    dataset: Dataset, random_scorer: FunctionScorer, arguments: dict[str, int], message: str
) -> None:
    with pytest.raises(EvaluationError, match=message):
        evaluate(random_scorer, dataset, **arguments)  # type: ignore[arg-type]


def test_an_empty_split_is_an_error(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    empty = Dataset(
        dataset.name,
        dataset.entities,
        dataset.relations,
        dataset.timeline,
        dataset.train,
        dataset.valid,
        dataset.test[:0],
    )
    with pytest.raises(EvaluationError, match="test split of village has no facts"):
        evaluate(random_scorer, empty)
