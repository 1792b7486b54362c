"""As of a day, and with nothing but the past: answers, reasons and notes keep to what may be seen."""

from __future__ import annotations

import numpy as np
import pytest

from tests.training.standin import StandIn, StandInScorer
from tgap.asking.answers import standings
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.capabilities import setting_of, under_setting
from tgap.data import load_dataset
from tgap.errors import ConfigError, QueryError
from tgap.evaluation import evaluate
from tgap.graph import View
from tgap.graph.setting import CONTEXTS, EvaluationSetting, visible_facts
from tgap.methods import config_for, make_scorer

WORLD = load_dataset("world")
QUESTION = ("Meridona", "Visit", None, "2012-04-26")
DAY = WORLD.timeline.parse("2012-04-26")


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("world")


def test_past_only_sees_nothing_from_the_day_of_the_question_on(model: Model) -> None:
    limited = model.with_setting(past_only=True)
    found = limited.explain(*QUESTION)
    assert found.trace.view == View.all().before_query()
    for step in found.trace.steps:
        events = step.relation < 2 * WORLD.num_relations
        assert (step.time[events] < DAY).all()
    assert found.document.notes == ("answered from what is known until 2012-04-25; nothing later was seen",)
    assert limited.predict(*QUESTION).notes == found.document.notes
    assert limited.predict(*QUESTION).answers != model.predict(*QUESTION).answers


def test_as_of_a_day_sees_that_day_and_nothing_later(model: Model) -> None:
    limited = model.with_setting(as_of="2012-03-01")
    assert setting_of(limited.scorer).limits == View.all().until(WORLD.timeline.parse("2012-03-01"))
    assert "until 2012-03-01" in limited.predict(*QUESTION).notes[0]
    many = list(limited.predict_many([QUESTION]))
    assert many[0] == limited.predict(*QUESTION)
    assert standings(limited, limited.question(*QUESTION), [0])[0].name == limited.predict(*QUESTION).best
    assert model.with_setting() is model


def test_a_fact_out_of_sight_needs_no_hiding(model: Model) -> None:
    """A training fact is hidden from its own question; where it cannot be seen anyway, nothing is said about it."""
    names, fact = model.names, WORLD.train[-1]
    parts = (names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time))
    assert any("was hidden" in note for note in model.explain(*parts).document.notes)
    assert not any("was hidden" in note for note in model.with_setting(past_only=True).explain(*parts).document.notes)


def test_counters_keep_to_it_and_show_the_facts_that_they_saw() -> None:
    recency = Model(make_scorer(config_for("recency", "world"), WORLD), WORLD)
    limited = recency.with_setting(past_only=True)
    before = limited.support(*QUESTION, count=50)
    assert before.facts
    assert all(edge.displacement < 0 for edge in before.facts)
    assert "nothing later was seen" in before.notes[0]


def test_a_method_whose_knowledge_is_in_its_weights_says_so() -> None:
    with pytest.raises(QueryError, match="stand-in does not read the graph"):
        Model(StandInScorer(StandIn(WORLD).eval()), WORLD).with_setting(past_only=True)


@pytest.mark.parametrize("method", ["recency", "typed-pair"])
def test_contexts_are_named_and_answers_are_never_told(method: str) -> None:
    scorer = make_scorer(config_for(method, "world"), WORLD)
    known = under_setting(scorer, WORLD, EvaluationSetting(CONTEXTS["train+valid"]))
    assert evaluate(scorer, WORLD, limit=200).report.known.usual
    report = evaluate(known, WORLD, limit=200).report
    assert (report.known.name, report.known.context, report.known.usual) == ("train+valid", "train+valid", False)
    with pytest.raises(ConfigError, match="context train\\+valid holds the facts of valid that are asked for"):
        evaluate(known, WORLD, "valid")
    horizon = under_setting(scorer, WORLD, EvaluationSetting(CONTEXTS["train+valid"]).past_only())
    assert evaluate(horizon, WORLD, "valid", limit=50).report.known.name == "fixed horizon (train+valid)"
    dated = under_setting(scorer, WORLD, EvaluationSetting().until(DAY))
    assert evaluate(dated, WORLD, limit=50).report.known.name == "train as of 2012-04-26"


def test_known_facts_are_those_that_a_question_sees() -> None:
    single_step = EvaluationSetting(CONTEXTS["all"]).past_only()
    seen = visible_facts(WORLD, single_step, DAY)
    assert seen.time.max() < DAY
    assert len(seen) == sum(int((facts.time < DAY).sum()) for facts in WORLD.splits.values())
    assert len(visible_facts(WORLD, EvaluationSetting(), DAY)) == len(WORLD.train)
    assert np.array_equal(np.unique(visible_facts(WORLD, EvaluationSetting().until(3), DAY).time), np.arange(4))
