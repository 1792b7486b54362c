"""What would be if something had happened that did not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.slow import slow_service
from tgap.errors import QueryError
from tgap.server.errors import UnknownNameError
from tgap.server.schemas import CounterfactualRequest, PredictRequest
from tgap.server.service import Service

ASKED: dict[str, Any] = {"subject": "Galtria", "relation": "Visit", "time": "2012-09-14", "answer": "Hestonia"}
MORE = ("Galtria", "Visit", "Hestonia", "2012-09-13")


@pytest.fixture(scope="module")
def service(world_run: Path) -> Service:
    return Service.from_run(world_run)


def counterfactual(service: Service, **changes: Any) -> dict[str, Any]:
    return service.counterfactual(CounterfactualRequest(**ASKED, **changes))


def stored(service: Service, place: int) -> tuple[str, str, str, str]:
    """A training fact by name."""
    names, fact = service.predictor.names, service.dataset.train[place]
    return names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time)


def test_an_added_fact_counts_there_and_nowhere_else(service: Service) -> None:
    now = service.predict(PredictRequest(**ASKED))
    found = counterfactual(service, added=[("galtria", *MORE[1:])])
    assert found["added"] == [list(MORE)]
    assert found["before"]["asked"]["score"] == pytest.approx(now["asked"]["score"], rel=0.2)  # another sample of edges
    assert found["after"]["asked"]["score"] != found["before"]["asked"]["score"]
    assert found["after"]["asked"]["known"] == found["before"]["asked"]["known"]  # it did not happen
    assert service.predict(PredictRequest(**ASKED)) == now


def test_a_fact_that_happened_cannot_be_added_again(service: Service) -> None:
    found = counterfactual(service, added=[stored(service, 100)])
    assert found["after"] == found["before"]
    assert found["changes"] is False


def test_facts_are_taken_away_and_added_at_once(service: Service) -> None:
    away = stored(service, 0)
    both = counterfactual(service, facts=[away], added=[MORE])
    assert both["after"]["asked"]["score"] != both["before"]["asked"]["score"]
    none = counterfactual(service, facts=[MORE], added=[MORE])  # what was added can be taken away
    assert none["after"] == none["before"]


def test_what_cannot_be_added_is_told(service: Service) -> None:
    with pytest.raises(QueryError, match="no fact to take away and none to add"):
        counterfactual(service)
    with pytest.raises(UnknownNameError) as told:
        counterfactual(service, added=[("Galtrea", *MORE[1:])])
    assert told.value.details["field"] == "added"
    asked: dict[str, Any] = {"subject": "North Korea", "relation": "Threaten", "time": "2014-04-29"}
    fact = ("North Korea", "Threaten", "Japan", "2014-04-28")
    with pytest.raises(QueryError, match="does not read the graph"):
        slow_service()[1].counterfactual(CounterfactualRequest(**asked, added=[fact]))
