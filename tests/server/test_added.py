"""What would be if something had happened that did not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.slow import slow_model
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.errors import QueryError, UnknownNameError

ASKED: dict[str, Any] = {"subject": "Galtria", "relation": "Visit", "time": "2012-09-14", "answer": "Hestonia"}
MORE = ("Galtria", "Visit", "Hestonia", "2012-09-13")


@pytest.fixture(scope="module")
def model(world_run: Path) -> Model:
    return load_model(world_run)


def what_if(model: Model, **changes: Any) -> dict[str, Any]:
    return model.what_if(**ASKED, **changes).to_dict()


def stored(model: Model, place: int) -> tuple[str, str, str, str]:
    """A training fact by name."""
    names, fact = model.names, model.dataset.train[place]
    return names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time)


def test_an_added_fact_counts_there_and_nowhere_else(model: Model) -> None:
    now = model.predict(**ASKED).to_dict()
    found = what_if(model, added=[("galtria", *MORE[1:])])
    assert found["added"] == [list(MORE)]
    assert found["before"]["asked"]["score"] == pytest.approx(now["asked"]["score"], rel=0.2)  # another sample of edges
    assert found["after"]["asked"]["score"] != found["before"]["asked"]["score"]
    assert found["after"]["asked"]["known"] == found["before"]["asked"]["known"]  # it did not happen
    assert model.predict(**ASKED).to_dict() == now


def test_a_fact_that_happened_cannot_be_added_again(model: Model) -> None:
    found = what_if(model, added=[stored(model, 100)])
    assert found["after"] == found["before"]
    assert found["changes"] is False


def test_facts_are_taken_away_and_added_at_once(model: Model) -> None:
    away = stored(model, 0)
    both = what_if(model, without=[away], added=[MORE])
    assert both["after"]["asked"]["score"] != both["before"]["asked"]["score"]
    none = what_if(model, without=[MORE], added=[MORE])  # what was added can be taken away
    assert none["after"] == none["before"]


def test_what_cannot_be_added_is_told(model: Model) -> None:
    with pytest.raises(QueryError, match="no fact to take away and none to add"):
        what_if(model)
    with pytest.raises(UnknownNameError) as told:
        what_if(model, added=[("Galtrea", *MORE[1:])])
    assert told.value.field == "added"
    asked: dict[str, Any] = {"subject": "North Korea", "relation": "Threaten", "time": "2014-04-29"}
    fact = ("North Korea", "Threaten", "Japan", "2014-04-28")
    with pytest.raises(QueryError, match="does not read the graph"):
        slow_model()[1].what_if(**asked, added=[fact])
