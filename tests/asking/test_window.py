"""Only the last days before the query: the same for answers, reasons, evaluation and the name of the setting."""

from __future__ import annotations

import numpy as np
import pytest

from tests.methods.own_scorers import Popular
from tgap.asking.model import Model
from tgap.capabilities import under_setting
from tgap.data import load_dataset
from tgap.errors import CapabilityError, ConfigError
from tgap.evaluation import evaluate
from tgap.graph import View
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting, visible_facts
from tgap.methods import config_for, make_scorer
from tgap.runs import load_scorer

WORLD = load_dataset("world")
QUESTION = ("Meridona", "Visit", None, "2012-04-26")
DAY = WORLD.timeline.parse("2012-04-26")
DAYS = 30


def chosen(window: int, context: str | None = None) -> EvaluationSetting:
    return DEFAULT_SETTING.chosen(WORLD, context, None, False, window)


def test_a_trained_walk_stays_in_the_window() -> None:
    run = load_scorer("world")
    model = Model(under_setting(run.scorer, WORLD, chosen(DAYS)), WORLD)
    found = model.explain(*QUESTION)
    assert found.trace.view == View.all().window(DAYS)
    walked = np.concatenate([step.time[step.relation < 2 * WORLD.num_relations] for step in found.trace.steps])
    assert len(walked)
    assert walked.min() >= DAY - DAYS
    assert walked.max() < DAY
    assert found.document.notes == (
        "answered from what is known since 2012-03-27 until 2012-04-25; nothing else was seen",
    )
    assert model.predict(*QUESTION).notes == found.document.notes


def test_an_evaluation_names_its_window() -> None:
    scorer = make_scorer(config_for("recency", "world"), WORLD)
    short = evaluate(under_setting(scorer, WORLD, chosen(DAYS)), WORLD, limit=300).report
    past = evaluate(under_setting(scorer, WORLD, EvaluationSetting().past_only()), WORLD, limit=300).report
    whole = evaluate(under_setting(scorer, WORLD, chosen(10_000)), WORLD, limit=300).report
    assert short.known.name == "fixed horizon (train), last 30 days"
    assert short.known.sentence.startswith(
        "a question sees the facts of train of the last 30 days before the asked time;"
    )
    assert (short.known.window, short.known.past_only, short.known.usual) == (DAYS, True, False)
    assert past.known.window is None
    assert short.headline.mrr < past.headline.mrr
    assert whole.metrics == past.metrics
    single = evaluate(under_setting(scorer, WORLD, chosen(7, "all")), WORLD, limit=20).report
    assert single.known.name == "single step, last 7 days"


def test_facts_of_a_window_are_those_that_a_query_sees() -> None:
    seen = visible_facts(WORLD, chosen(DAYS), DAY)
    expected = [fact for fact in WORLD.train if DAY - DAYS <= fact.time < DAY]
    assert list(seen) == expected
    assert expected


def test_a_window_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="a window of 0 units shows nothing"):
        chosen(0)
    with pytest.raises(CapabilityError, match="does not read the graph"):
        under_setting(Popular(WORLD), WORLD, chosen(DAYS))


def test_a_question_may_carry_a_window() -> None:
    counter = Model(make_scorer(config_for("recency", "world"), WORLD), WORLD)
    question = counter.question(*QUESTION, window=DAYS)
    found = counter.predict(question)
    assert found == counter.predict(*QUESTION, window=DAYS) == counter.with_setting(window=DAYS).predict(*QUESTION)
    assert found.notes[0].startswith("answered from what is known since 2012-03-27")
    assert counter.evaluate("valid", limit=20, window=7, baselines=False).report.known.window == 7
