from __future__ import annotations

import datetime
import json

import numpy as np
import polars as pl
import pytest

from tests.explain.small_dataset import ENTITIES, SCRIPT, small_dataset, small_explainer
from tgap.asking.model import Model
from tgap.errors import QueryError
from tgap.evaluation.calibration import Calibration
from tgap.evaluation.reliability import Bin, Reliability
from tgap.scorer import FloatArray, Query, QueryBatch, ScoreKind


@pytest.fixture(scope="module")
def model() -> Model:
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


def test_answers_are_the_scores_in_order(model: Model) -> None:
    found = model.predict("North Korea", "Threaten", "?", "2014-04-29")
    query = Query(ENTITIES.index("North Korea"), 2, 118)
    scores = model.scorer.score(QueryBatch.of([query]))[0]
    order = [ENTITIES[place] for place in np.argsort(-scores) if scores[place] > 0]
    assert [answer.name for answer in found.answers] == order[:10]
    assert found.answers[0].rank == 1
    assert sum(answer.score for answer in found.answers) <= 1 + 1e-5
    assert found.probabilities
    assert found.question.text == "(North Korea, Threaten, ?, 2014-04-29)"
    assert "Lonely Island" not in [answer.name for answer in found.answers]  # out of reach


def test_head_prediction_walks_the_inverse_relation(model: Model) -> None:
    found = model.predict("?", "threaten", "SOUTH_KOREA", "2014-04-29")
    scores = model.scorer.score(QueryBatch.of([Query(ENTITIES.index("South Korea"), 2 + 3, 118)]))[0]
    assert found.answers[0].name == ENTITIES[int(scores.argmax())]
    assert found.question.asks == "subject"
    assert found.question.text == "(?, Threaten, South Korea, 2014-04-29)"
    known = {answer.name: (answer.known, answer.known_in) for answer in found.answers}
    assert known["North Korea"] == ("on this day", ("test",))


@pytest.mark.parametrize("time", ["2014-04-29", datetime.date(2014, 4, 29), datetime.datetime(2014, 4, 29, 7, 30)])
def test_times_may_be_texts_or_dates(model: Model, time: str | datetime.date) -> None:
    assert model.predict("North Korea", "Threaten", time=time).question.time == "2014-04-29"


@pytest.mark.parametrize("name", ["north korea", "North_Korea", " NORTH  KOREA "])
def test_names_are_matched_leniently_and_told_exactly(model: Model, name: str) -> None:
    assert model.predict(name, "THREATEN", None, "2014-04-29").question.subject == "North Korea"


def test_known_answers_are_marked_with_their_split(model: Model) -> None:
    found = model.predict("North Korea", "Threaten", "?", "2014-04-29")
    known = {answer.name: (answer.known, answer.known_in) for answer in found.answers}
    assert known["South Korea"] == ("on this day", ("test",))
    assert known["Japan"] == ("on this day", ("valid",))
    assert known[SCRIPT] == (None, ())
    other = model.predict("North Korea", "Threaten", "?", "2014-06-01")
    known = {answer.name: (answer.known, answer.known_in) for answer in other.answers}
    assert known["South Korea"] == ("at another time", ("train", "test"))


def test_a_whole_fact_tells_how_its_object_stands(model: Model) -> None:
    found = model.predict("North Korea", "Threaten", "South Korea", "2014-04-29", top=1)
    assert found.asked is not None
    assert found.asked.name == "South Korea"
    assert len(found.answers) == 1
    never = model.predict("North Korea", "Consult", "Lonely Island", "2014-04-29")
    assert never.asked is not None
    assert never.asked.score == 0


@pytest.mark.parametrize(
    ("question", "part"),
    [
        (("North Corea", "Threaten", "?", "2014-04-29"), "did you mean 'North Korea'"),
        (("North Korea", "Thraeten", "?", "2014-04-29"), "did you mean 'Threaten'"),
        (("North Korea", "Threaten", "?", "yesterday"), "'yesterday' is not a time"),
        (("North Korea", "Threaten", "?", None), "the time is missing"),
        (("?", "Threaten", "?", "2014-04-29"), "names no entity"),
        (("?", "Threaten", "Nowhere", "2014-04-29"), "unknown entity 'Nowhere'"),
    ],
)
def test_mistakes_are_told_in_one_line(model: Model, question: tuple[str, str, str, str | None], part: str) -> None:
    with pytest.raises(QueryError, match=part) as caught:
        model.predict(*question)
    assert "\n" not in str(caught.value)


def test_notes_for_dates_outside_and_entities_without_facts(model: Model) -> None:
    late = model.predict("North Korea", "Threaten", "?", "2015-01-10")
    (note,) = late.notes
    assert note.startswith("2015-01-10 lies outside the data (2014-01-01 to 2014-12-31), 10 days after the last")
    early = model.predict("North Korea", "Threaten", "?", "2013-12-31")
    assert "1 day before the first" in early.notes[0]
    lonely = model.predict("Lonely Island", "Consult", "?", "2014-04-29")
    assert "no training fact" in lonely.notes[0]
    assert [answer.name for answer in lonely.answers] == ["Lonely Island"]


def test_forms_of_a_prediction(model: Model) -> None:
    found = model.predict("North Korea", "Threaten", "?", "2014-04-29")
    frame = found.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["rank", "name", "score", "known", "known_in"]
    assert frame.height == len(found.answers)
    document = json.loads(found.to_json())
    assert document["schema"] == "tgap.prediction/1"
    assert document["question"]["asks"] == "object"
    assert document["answers"][0]["name"] == found.answers[0].name
    html = found._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_explaining_takes_the_best_answer_unless_told(model: Model) -> None:
    best = model.predict("North Korea", "Threaten", "?", "2014-04-29").answers[0]
    assert model.explain("North Korea", "Threaten", "?", "2014-04-29").document.answer == best
    for found in (
        model.explain("North Korea", "Threaten", "Japan", "2014-04-29"),
        model.explain("North Korea", "Threaten", time="2014-04-29", answer="japan"),
    ):
        assert found.document.answer.name == "Japan"
    head = model.explain("?", "Threaten", "South Korea", "2014-04-29", answer="North Korea")
    assert head.document.question.start == "South Korea"
    assert head.document.paths.walks[0].sentence.startswith("South Korea ")
    with pytest.raises(QueryError, match="two answers are given, 'Japan' and 'South Korea'"):
        model.explain("North Korea", "Threaten", "Japan", "2014-04-29", answer="South Korea")


def test_wanted_sizes_are_kept(model: Model) -> None:
    found = model.explain("North Korea", "Threaten", "Japan", "2014-04-29", edges=2, paths=3, effects=1).document
    assert [len(step.edges) for step in found.steps] == [2, 2, 2]
    assert len(found.paths.walks) == 3
    assert len(found.evidence) == 1


def test_what_is_said_of_a_probability_is_left_out_where_nothing_is_known(model: Model) -> None:
    whole = Bin(0.0, 1.0, 50, 0.5, 0.4)
    found = Calibration("valid", 50, 50, Reliability((whole,), 0.1, 0.1), Reliability((whole,), 0, 0), ((0.5, 0.4),))
    calibrated = Model(model.scorer, model.dataset, calibration=found)
    for subject, said in (("North Korea", True), ("Lonely Island", False)):
        assert (calibrated.predict(subject, "Consult", "?", "2014-04-29").calibration is not None) == said
        assert (calibrated.why(subject, "Consult", "?", "2014-04-29").calibration is not None) == said
    assert "Nothing is known of Lonely Island" in calibrated.why("Lonely Island", "Consult", "?", "2014-04-29").sentence


def test_the_sentence_alone_is_that_of_the_explanation(model: Model) -> None:
    question = ("North Korea", "Threaten", "?", "2014-04-29")
    for answer in (None, "Japan", "Lonely Island"):
        found, whole = model.why(*question, answer=answer), model.explain(*question, answer=answer).document
        assert (found.sentence, found.kind, found.answer) == (whole.sentence, whole.kind, whole.answer)
        assert found.evidence == whole.evidence
        assert (found.asked_fact_hidden, found.calibration) == (whole.asked_fact_hidden, whole.calibration)
    few = model.why(*question, effects=2)
    assert len(few.evidence) == 2


class Plain:
    """A scorer that cannot show its walk."""

    name = "plain"
    kind = ScoreKind.ORDER
    num_entities = len(ENTITIES)
    num_relations = 3

    def score(self, queries: QueryBatch) -> FloatArray:
        return np.tile(np.arange(len(ENTITIES), dtype=np.float32), (len(queries), 1))


def test_a_scorer_without_a_walk_predicts_but_does_not_explain() -> None:
    model = Model(Plain(), small_dataset())
    found = model.predict("Japan", "Consult", "?", "2014-04-29", top=20)
    assert len(found.answers) == len(ENTITIES)
    assert not found.probabilities
    with pytest.raises(QueryError, match="plain gives answers without reasons: it has no walk to show"):
        model.explain("Japan", "Consult", "?", "2014-04-29")
    assert not model.walks


def test_support_says_that_there_is_no_walk_and_shows_the_nearest_facts() -> None:
    found = Model(Plain(), small_dataset()).support("North Korea", "Threaten", "?", "2014-04-29")
    assert (found.answer.name, found.answer.rank, found.probability) == ("South Korea", 1, False)
    assert found.sentence.startswith("plain has no walk to show. Instead, the facts of North Korea with South Korea")
    assert [edge.relative_time for edge in found.facts] == ["1 day before", "18 days before"]
    document = json.loads(found.to_json())
    assert document["schema"] == "tgap.support/1"
    assert document["facts"][0]["subject"] == "North Korea"
    assert SCRIPT not in Model(Plain(), small_dataset()).support("Japan", "Consult", SCRIPT, "2014-04-29")._repr_html_()


def test_support_of_a_pair_that_never_met() -> None:
    found = Model(Plain(), small_dataset()).support(
        "Japan", "Consult", "?", "2014-04-29", answer="Lonely Island", count=2
    )
    assert found.facts == ()
    assert found.sentence == "plain has no walk to show, and train holds no fact of Japan with Lonely Island."


def test_support_works_for_a_walker_too(model: Model) -> None:
    found = model.support("North Korea", "Threaten", "?", "2014-04-29")
    assert model.walks
    assert found.probability


class LogChances(Plain):
    """Log-probabilities and no walk."""

    kind = ScoreKind.LOG_PROBABILITY

    def score(self, queries: QueryBatch) -> FloatArray:
        chance = np.full(len(ENTITIES), 0.1 / (len(ENTITIES) - 2), np.float32)
        chance[:2] = 0.0, 0.9
        with np.errstate(divide="ignore"):
            return np.tile(np.log(chance), (len(queries), 1))


def test_probabilities_are_what_the_scorer_says_and_need_no_walk() -> None:
    model = Model(LogChances(), small_dataset())
    found = model.predict("Japan", "Consult", "?", "2014-04-29", top=100)
    assert found.probabilities
    assert len(found.answers) == len(ENTITIES) - 1  # what cannot be is not listed
    assert found.answers[0].name == ENTITIES[1]
    assert found.answers[0].score == pytest.approx(0.9)
    assert found.rest == pytest.approx(0, abs=1e-6)
    assert model.predict("Japan", "Consult", "?", "2014-04-29", top=1).rest == pytest.approx(0.1)
    with pytest.raises(QueryError, match="without reasons"):
        model.explain("Japan", "Consult", "?", "2014-04-29")


def test_what_is_not_listed_has_the_rest(model: Model) -> None:
    few, all_of_them = (model.predict("North Korea", "Threaten", "?", "2014-04-29", top=top) for top in (2, 100))
    assert few.rest == pytest.approx(1 - sum(answer.score for answer in few.answers), abs=1e-6)
    assert all_of_them.rest == pytest.approx(0, abs=1e-5)


def test_known_answers_have_a_code_for_programs(model: Model) -> None:
    found = model.predict("North Korea", "Threaten", "?", "2014-04-29", top=100)
    words = {(answer.known, answer.known_when) for answer in found.answers}
    assert words == {("on this day", "same"), (None, None)}
    later = model.predict("North Korea", "Threaten", "Japan", "2014-05-03")
    assert later.asked is not None
    assert (later.asked.known, later.asked.known_when) == ("at another time", "other")
