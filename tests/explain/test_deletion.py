"""Facts deleted from the training data cost what an explanation claims, and given to others carry the answer along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.predict.run_folder import make_run
from tgap.evaluation.queries import queries_of
from tgap.explain.deletion import POINT, DeletionCheck, check_deletions
from tgap.explain.elsewhere import elsewhere
from tgap.predict import Predictor
from tgap.scorer import Query


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Predictor:
    return Predictor.from_run(make_run(tmp_path_factory.mktemp("run") / "world"))


def test_claims_are_what_deletion_gives(predictor: Predictor) -> None:
    dataset = predictor.dataset
    asked = queries_of(dataset.test, dataset.num_relations).sample(5, 1)
    found = check_deletions(predictor.explainer, dataset, asked, 9)
    assert len(found) >= 9
    assert {check.kind for check in found} >= {"fact", "group"}
    assert all(check.holds for check in found)
    assert any(check.claimed != check.before for check in found)


def test_a_claim_that_is_off_and_a_flip_that_does_not_flip_do_not_hold() -> None:
    right = DeletionCheck("flip", 2, 0.5, 0.2, 0.2, True)
    assert right.holds
    assert not replace(right, flips=False).holds
    assert not replace(right, found=0.2 + 2 * POINT).holds


def test_facts_are_given_to_other_entities(predictor: Predictor) -> None:
    fact = predictor.dataset.test[0]
    query = Query(fact.subject, fact.relation, fact.time)
    trace = predictor.explainer.trace(query)
    graph = predictor.explainer.graph
    own = sorted(
        {int(found) for found in graph.fact[graph.row[fact.subject] : graph.row[fact.subject + 1]] if found >= 0}
    )
    rows = elsewhere(predictor.scorer, predictor.dataset, query, int(trace.scores.argmax()), own[:4], entities=3)
    assert [row.facts for row in rows] == [1, 3, 4]
    assert all(row.entities <= 3 and 0 <= row.first <= 1 for row in rows)
    assert len({row.before for row in rows}) == 1
    assert any(row.after != row.before for row in rows)
    strange = elsewhere(predictor.scorer, predictor.dataset, query, 0, [], entities=3)
    assert strange == ()
