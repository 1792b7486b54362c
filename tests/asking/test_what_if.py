"""Questions asked again with facts taken away or added: the same as on a dataset that was so from the beginning."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import tgap
from tests.asking.run_folder import make_run
from tests.explain.small_dataset import small_dataset, small_explainer
from tests.methods.own_scorers import Popular
from tgap.asking.model import Model
from tgap.data import Dataset, load_dataset
from tgap.data.facts import Fact, Facts, in_order
from tgap.errors import QueryError
from tgap.methods import config_for, make_learner, make_scorer
from tgap.runs.files import read_tensors
from tgap.scorer import Scorer

ASKED = ("North Korea", "Threaten", "?", "2014-04-29")
THREAT = ("North Korea", "Threaten", "South Korea", "2014-04-28")  # twice in train
NEW = ("North Korea", "Threaten", "Far Away", "2014-04-28")


@pytest.fixture(scope="module")
def walker() -> Model:
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


def recency_of(dataset: Dataset) -> Scorer:
    return make_scorer(config_for("recency", "world"), dataset)


@pytest.fixture(scope="module")
def counter() -> Model:
    dataset = small_dataset()
    return Model(recency_of(dataset), dataset)


def changed(rows: list[int], *new: Fact) -> Dataset:
    """The dataset without some rows of train and with other facts."""
    dataset = small_dataset()
    kept = [fact for row, fact in enumerate(dataset.train) if row not in rows]
    return replace(dataset, train=Facts.of([*kept, *new]))


def test_taken_away_is_as_if_it_had_never_been_there(walker: Model, counter: Model) -> None:
    less = changed([2, 3])
    for loaded, alone in ((walker, small_explainer(less)), (counter, recency_of(less))):
        found = loaded.what_if(*ASKED, without=[THREAT])
        assert found.before.answers == loaded.predict(*ASKED).answers
        expected = Model(alone, loaded.dataset).predict(*ASKED)
        assert [answer.name for answer in found.after.answers] == [answer.name for answer in expected.answers]
        assert [answer.score for answer in found.after.answers] == pytest.approx(
            [answer.score for answer in expected.answers], rel=1e-5
        )
        assert found.without == (THREAT,)
        assert found.changes == (found.before.best != found.after.best)


def test_added_is_as_if_it_had_always_been_there(counter: Model) -> None:
    entities = counter.dataset.entities
    more = changed([], Fact(entities.id("North Korea"), 2, entities.id("Far Away"), 117))
    found = counter.what_if(*ASKED, added=[NEW])
    assert found.after.answers == Model(recency_of(more), counter.dataset).predict(*ASKED).answers
    assert found.before.answers == counter.predict(*ASKED).answers
    far = {answer.name: answer.score for answer in found.after.answers}["Far Away"]
    assert far > {answer.name: answer.score for answer in found.before.answers}["Far Away"]
    assert found.added == (NEW,)
    again = counter.what_if(*ASKED, added=[THREAT])  # it happened anyway
    assert again.after == again.before


def test_the_asked_fact_stays_hidden_unless_told_otherwise(walker: Model) -> None:
    asked = ("North Korea", "Threaten", "South Korea", "2014-04-28")
    other = ("South Korea", "Consult", "Japan", "2014-04-29")
    hidden, seen = (walker.what_if(*asked, without=[other], hide_asked=hide).before.asked for hide in (True, False))
    bare = Model(small_explainer(changed([2, 3])), walker.dataset).predict(*asked).asked
    assert hidden is not None
    assert bare is not None
    assert hidden.score == pytest.approx(bare.score, rel=1e-5)
    assert seen == walker.predict(*asked).asked != hidden


def test_both_at_once_as_a_document(counter: Model) -> None:
    found = counter.what_if(*ASKED, without=[("South Korea", "consult", "japan", "2014-04-29")], added=[NEW])
    document = json.loads(found.to_json())
    assert document["schema"] == "tgap.what-if/1"
    assert document["without"] == [["South Korea", "Consult", "Japan", "2014-04-29"]]
    assert document["added"] == [list(NEW)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "no fact to take away and none to add"),
        ({"without": [NEW]}, "is no training fact"),
        ({"added": [("Nobody", "Threaten", "Japan", "2014-04-28")]}, "unknown entity 'Nobody'"),
    ],
)
def test_what_cannot_be_is_said(walker: Model, change: dict[str, list[tuple[str, ...]]], words: str) -> None:
    with pytest.raises(QueryError, match=words):
        walker.what_if(*ASKED, **change)


def test_a_method_that_reads_no_graph_is_refused() -> None:
    world = load_dataset("world")
    named, when = _middle_fact(world)
    with pytest.raises(QueryError, match=r"popular does not read the graph"):
        Model(Popular(world), world).what_if(named[0], named[1], "?", when, without=[(*named, when)])


def _middle_fact(world: Dataset) -> tuple[tuple[str, str, str], str]:
    fact, names = world.train[len(world.train) // 2], world.entities
    named = (names.name(fact.subject), world.relations.name(fact.relation), names.name(fact.object))
    return named, world.timeline.format(fact.time)


def test_a_trained_model_sees_what_is_added(tmp_path: Path) -> None:
    world = load_dataset("world")
    named, when = _middle_fact(world)
    later = world.timeline.format(world.timeline.read(when) + 1)
    model = tgap.load(make_run(tmp_path / "run"))
    less = model.what_if(named[0], named[1], "?", later, without=[(*named, when)])
    assert less.before.answers == model.predict(named[0], named[1], "?", later).answers
    assert less.after.answers != less.before.answers
    fact = world.train[len(world.train) // 2]._replace(time=world.timeline.read(later))
    more = replace(world, train=in_order(Facts.concatenate([world.train, Facts.of([fact])])))
    assert model.config is not None
    learner = make_learner(model.config, more)
    learner.module.load_state_dict(read_tensors(tmp_path / "run" / "weights.safetensors")[0])
    expected = Model(learner.scorer(), world).predict(named[0], named[1], "?", later)
    found = model.what_if(named[0], named[1], "?", later, added=[(*named, later)])
    assert found.after.answers == expected.answers
    hidden = model.what_if(*named, later, added=[(*named, later)])
    assert hidden.after.asked == hidden.before.asked  # the added fact is the asked one, and stays hidden
