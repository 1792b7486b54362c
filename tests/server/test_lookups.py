from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import httpx
import pytest

from tests.explain.small_dataset import ENTITIES, small_dataset
from tgap.asking.examples import QuestionSource
from tgap.asking.history import History
from tgap.asking.names import NameIndex
from tgap.data import Dataset, Fact, Facts, Timeline, Vocabulary, make_world


def test_model_card(client: httpx.Client) -> None:
    card = client.get("/api/v1/model").json()
    assert card["dataset"]["name"] == "small"
    assert card["dataset"]["facts"] == {"train": 10, "valid": 1, "test": 2}
    assert card["dataset"]["timeline"] == {"unit": "day", "first": "2014-01-01", "last": "2014-12-31", "span": 364}
    assert card["explains"] is True
    assert "raw" in card["protocol"]
    described = client.get("/api/v1/openapi.json").json()["components"]["schemas"]["ModelCard"]
    assert set(card) == set(described["properties"])


def test_search_ranks_by_use_and_where_the_part_stands(client: httpx.Client) -> None:
    found = client.get("/api/v1/search", params={"q": "ja"}).json()["matches"]
    assert found[0] == {"name": "Japan", "facts": 4, "spans": [[0, 2]], "edits": 0}
    korea = client.get("/api/v1/search", params={"q": "KOREA", "limit": 1}).json()["matches"]
    assert [match["name"] for match in korea] == ["North Korea"]
    whole = client.get("/api/v1/search", params={"q": "south korea"}).json()["matches"]
    assert whole[0]["name"] == "South Korea"
    accents = client.get("/api/v1/search", params={"q": "gagauzia"}).json()["matches"]
    assert accents[0]["name"] == "Găgăuzia\u00a0"


def test_search_allows_typing_errors_and_any_order_of_words(client: httpx.Client) -> None:
    (found,) = client.get("/api/v1/search", params={"q": "noth korea"}).json()["matches"]
    assert (found["name"], found["edits"], found["spans"]) == ("North Korea", 1, [[0, 5], [6, 11]])
    assert client.get("/api/v1/search", params={"q": "korea sou"}).json()["matches"][0]["name"] == "South Korea"
    assert client.get("/api/v1/search", params={"q": "<<>>"}).json()["matches"] == []


def test_nothing_typed_gives_the_most_used_names(client: httpx.Client) -> None:
    found = client.get("/api/v1/search", params={"limit": 3}).json()["matches"]
    assert found[0] == {"name": "North Korea", "facts": 8, "spans": [], "edits": 0}
    counts = [match["facts"] for match in found]
    assert counts == sorted(counts, reverse=True)


def test_relations_of_the_given_ends_come_first(client: httpx.Client) -> None:
    for subject, expected in (("North Korea", "Threaten"), ("Japan", "Consult")):
        found = client.get("/api/v1/search", params={"kind": "relation", "subject": subject}).json()["matches"]
        assert found[0]["name"] == expected
    unknown = client.get("/api/v1/search", params={"kind": "relation", "subject": "nobody yet"})
    assert unknown.status_code == 200


def test_search_is_quick_on_ten_thousand_names() -> None:
    kinds = ("Army of the North", "Army of the South", "Mayor of the North", "Mayor of the South")
    names = sorted(f"{kind} {number:04d}" for number in range(2500) for kind in kinds)
    dataset = Dataset(
        "many",
        Vocabulary(names, "entity"),
        Vocabulary(["Meet"], "relation"),
        Timeline("day", 0, 1),
        Facts.of([Fact(0, 0, 1, 0)]),
        Facts.of([]),
        Facts.of([]),
    )
    index = NameIndex(dataset)
    parts = ["north 12", "a", "Mayor of the South 2499", "zzz", ""]
    for part in parts:
        best = min(_seconds(partial(index.search, "entity", part, 10, None, None)) for _ in range(5))
        plain = min(_seconds(lambda: [name for name in names if "a" in name.casefold()]) for _ in range(5))
        assert best < 50 * plain  # of one pass over the names, which a busy or slow machine slows down alike


def _seconds(action: Callable[[], object]) -> float:
    begun = time.process_time()
    action()
    return time.process_time() - begun


def test_facts_around_a_date(client: httpx.Client) -> None:
    found = client.get("/api/v1/facts", params={"entity": "south korea", "time": "2014-04-28", "limit": 3}).json()
    assert (found["entity"], found["total"]) == ("South Korea", 5)
    rows = [(fact["subject"], fact["object"], fact["time"], fact["split"]) for fact in found["facts"]]
    assert rows[:2] == [("North Korea", "South Korea", "2014-04-28", "train")] * 2  # the fact is stored twice
    assert rows[2][2] == "2014-04-29"
    assert found["facts"][2]["relative_time"] == "1 day after"


def test_timeline_counts_every_fact_once() -> None:
    dataset = small_dataset()
    total = sum(len(facts) for facts in dataset.splits.values())
    for points in (1, 7, 365, 4000):
        found = History(dataset).timeline(points)
        assert len(found.texts) == len(found.facts) <= points
        assert sum(found.facts) == total
        assert found.texts[0] == "2014-01-01"


def test_examples_are_held_out_facts_about_seen_entities() -> None:
    world = make_world()
    found = QuestionSource(world).examples()
    assert len(found) == 6
    assert {question.asks for question in found} == {"subject", "object"}
    assert len({question.relation for question in found}) == 6
    test = {
        (world.entities.name(s), world.relations.name(r), world.entities.name(o), world.timeline.format(t))
        for s, r, o, t in world.test
    }
    for question in found:
        assert any(
            fact[1] == question.relation
            and fact[3] == question.time
            and question.subject in (None, fact[0])
            and question.object in (None, fact[2])
            for fact in test
        )


def test_random_questions_bring_their_true_answers(client: httpx.Client) -> None:
    seen = set()
    for seed in range(12):
        found = client.get("/api/v1/questions/random", params={"seed": seed}).json()
        assert found == client.get("/api/v1/questions/random", params={"seed": seed}).json()
        question = found["question"]
        seen.add(question["asks"])
        assert question["time"] == "2014-04-29"
        assert set(found["answers"]) <= set(ENTITIES)
        if question["asks"] == "object":
            assert found["answers"][0] == "South Korea"
            assert found["answers"][1:] == ["Japan"]  # true on the same day
    assert seen == {"subject", "object"}


@pytest.mark.parametrize("path", ["/api/v1/facts", "/api/v1/entity"])
def test_missing_parameters_are_named(client: httpx.Client, path: str) -> None:
    reply = client.get(path)
    assert reply.status_code == 422
    assert reply.json()["error"]["code"] == "invalid_request"
    assert "query." in reply.json()["error"]["message"]


def test_an_entity_with_its_activity_partners_and_relations(client: httpx.Client) -> None:
    found = client.get("/api/v1/entity", params={"entity": "north_korea"}).json()
    assert (found["entity"], found["total"], found["acting"]) == ("North Korea", 8, 7)
    assert (found["first"], found["last"]) == ("2014-04-01", "2014-05-12")
    assert sum(found["activity"]) == 8
    assert found["partners"][0] == {"name": "South Korea", "facts": 4}
    assert found["relations"][0] == {"relation": "Threaten", "facts": 6}
    lonely = client.get("/api/v1/entity", params={"entity": "Lonely Island"}).json()
    assert lonely["partners"] == [{"name": "North Korea", "facts": 1}]


def test_facts_of_an_entity_can_be_narrowed(client: httpx.Client) -> None:
    asked = {"entity": "North Korea", "time": "2014-04-29"}
    with_japan = client.get("/api/v1/facts", params={**asked, "partner": "japan"}).json()
    assert with_japan["total"] == 2
    assert all("Japan" in (fact["subject"], fact["object"]) for fact in with_japan["facts"])
    consulting = client.get("/api/v1/facts", params={**asked, "relation": "Consult"}).json()
    assert [fact["object"] for fact in consulting["facts"]] == ["Lonely Island"]
