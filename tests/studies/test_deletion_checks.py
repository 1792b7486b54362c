"""Facts deleted from the training data cost what an explanation claims, and given to others carry the answer along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.asking.run_folder import make_run
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.evaluation.queries import queries_of
from tgap.explain.elsewhere import elsewhere
from tgap.scorer import Query
from tgap.studies.deletion_checks import POINT, DeletionCheck, check_deletions


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return load_model(make_run(tmp_path_factory.mktemp("run") / "world"))


def test_claims_are_what_deletion_gives(model: Model) -> None:
    dataset = model.dataset
    asked = queries_of(dataset.test, dataset.num_relations).sample(5, 1)
    found = check_deletions(model.walker, dataset, asked, 9)
    assert len(found) >= 9
    assert {check.kind for check in found} >= {"fact", "group"}
    assert all(check.holds for check in found)
    assert any(check.claimed != check.before for check in found)


def test_a_claim_that_is_off_and_a_flip_that_does_not_flip_do_not_hold() -> None:
    right = DeletionCheck("flip", 2, 0.5, 0.2, 0.2, True)
    assert right.holds
    assert not replace(right, flips=False).holds
    assert not replace(right, found=0.2 + 2 * POINT).holds


def test_facts_are_given_to_other_entities(model: Model) -> None:
    fact = model.dataset.test[0]
    query = Query(fact.subject, fact.relation, fact.time)
    trace = model.walker.trace(query)
    graph = model.walker.graph
    own = sorted(
        {int(found) for found in graph.fact[graph.row[fact.subject] : graph.row[fact.subject + 1]] if found >= 0}
    )
    rows = elsewhere(model.scorer, model.dataset, query, int(trace.scores.argmax()), own[:4], entities=3)
    assert [row.facts for row in rows] == [1, 3, 4]
    assert all(row.entities <= 3 and 0 <= row.first <= 1 for row in rows)
    assert len({row.before for row in rows}) == 1
    assert any(row.after != row.before for row in rows)
    strange = elsewhere(model.scorer, model.dataset, query, 0, [], entities=3)
    assert strange == ()
