"""Comparison, probability over time, an entity's page, many questions, kept questions, several models, the report."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.asking.run_folder import make_run
from tests.server.live import running
from tests.web.page import Browsing, expect, link, open_walk, settled
from tests.web.test_explorer import QUESTION, best  # noqa: F401  a fixture
from tests.web.test_reasons import ASKED, open_reasons
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.explain.wording import percent
from tgap.server.app import create_app
from tgap.server.models import Models, ServedModel

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_two_answers_side_by_side(
    browsing: Browsing,
    world: str,
    world_model: Model,
    best: list[str],  # noqa: F811
) -> None:
    """Why this one and not that one."""
    expected = [world_model.explain(**ASKED, answer=name).to_dict() for name in best[:2]]
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        page.get_by_role("button", name=f"Compare with {best[1]}").click()
        page.wait_for_selector(".compare-side table")
        assert page.inner_text("#compare-title") == f"{best[0]} and {best[1]}"
        sides = page.locator(".compare-side")
        for place, document in enumerate(expected):
            told = sides.nth(place).inner_text().replace("\u00a0", " ")
            assert document["sentence"] in told
            assert percent(document["answer"]["score"]) in told
        page.reload()  # the address holds the comparison
        page.wait_for_selector(".compare-side table")
        page.locator(".compare-card").get_by_role("button", name="Close").click()
        expect(page.locator(".compare-card")).to_have_count(0)
        assert "c=" not in page.url


def test_two_dates_side_by_side_by_way_of_a_pin(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        page.click("#pin-button")
        assert page.inner_text("#pin-button") == "Pinned"
        page.fill("#ask-time", "2012-09-21")
        page.keyboard.press("Enter")
        page.wait_for_selector(".picture .node")
        page.wait_for_selector(".evidence-row")
        settled(page)
        page.click("#kept-button")
        page.wait_for_selector("#kept[open]")
        assert page.locator(".kept-list").first.locator("li").count() == 1
        page.locator(".kept-list").first.get_by_role("button", name="compare").click()
        page.wait_for_selector(".compare-side table")
        heads = page.locator(".compare-side h3").all_inner_texts()
        assert [head.rpartition(", ")[2] for head in heads] == ["2012-09-21", "2012-09-14"]


def test_history_leads_back_and_can_be_forgotten(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        open_reasons(page, link(world, "Galtria", "Visit", "?", "2012-10-01"))
        page.click("#kept-button")
        rows = page.locator(".kept-list a")
        assert rows.all_inner_texts()[:2] == ["Galtria · Visit · ? · 2012-10-01", "Galtria · Visit · ? · 2012-09-14"]
        rows.nth(1).click()
        page.wait_for_function("() => document.getElementById('ask-time').value === '2012-09-14'")
        page.wait_for_selector(".evidence-row")
        settled(page)
        page.click("#kept-button")
        page.get_by_role("button", name="Forget these").click()
        expect(page.locator("#kept")).to_contain_text("Nothing has been asked yet")


def test_probability_over_time(browsing: Browsing, world: str, world_model: Model) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.click("#sweep-button")
        page.wait_for_selector(".sweep-table:not([hidden])")
        page.locator(".sweep-table summary").click()
        names = page.locator(".sweep-table thead th").all_inner_texts()
        assert page.locator(".curve-name title").all_text_contents() == names
        assert len(names) == 5
        row = page.locator(".sweep-table tbody tr").nth(3)
        time = row.locator("th").inner_text()
        found = world_model.predict(subject="Galtria", relation="Visit", time=time, top=100).to_dict()
        scores = {answer["name"]: answer["score"] for answer in found["answers"]}
        assert row.locator("td").all_inner_texts() == [percent(scores.get(name, 0.0)) for name in names]
        chart = page.locator(".sweep-chart").bounding_box()
        assert chart is not None
        page.mouse.move(chart["x"] + 200, chart["y"] + 60)
        page.wait_for_selector("#tooltip:not([hidden])")
        asked = page.inner_text("#tooltip b")
        page.mouse.click(chart["x"] + 200, chart["y"] + 60)
        page.wait_for_function("time => document.getElementById('ask-time').value === time", arg=asked)


def test_the_page_of_an_entity(browsing: Browsing, world: str, world_model: Model) -> None:
    known = world_model.entity("Galtria").to_dict()
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.locator(".node.start circle").click()
        page.get_by_role("button", name="All about Galtria").click()
        page.wait_for_selector(".entity-facts li")
        assert page.inner_text(".entity-page h1") == "Galtria"
        assert page.input_value("#entity-time") == "2012-09-14"
        assert page.locator(".activity-bar").count() == len(known["activity"])
        partner = known["partners"][0]["name"]
        page.locator(".count-row", has_text=partner).first.click()
        page.wait_for_function(
            "name => [...document.querySelectorAll('.entity-facts .what')].every(r => r.textContent.includes(name))",
            arg=partner,
        )
        page.wait_for_function("() => location.search.includes('p=')")
        page.reload()
        page.wait_for_selector(".entity-filter .chip")
        page.locator(".entity-facts").get_by_role("button", name="ask").first.click()
        page.wait_for_selector(".picture .node")
        page.go_back()
        page.wait_for_selector(".entity-facts li")


BATCH = """subject,relation,object,time
Galtria,Visit,?,2012-09-14
Galtrea,Visit,?,2012-09-14
?,Visit,Galtria,2012-10-01
"""


def test_many_questions_in_and_a_table_with_reasons_out(browsing: Browsing, world: str, tmp_path: Path) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.click("#batch-link")
        page.wait_for_selector("#batch-text")
        page.click("#batch-start")
        expect(page.locator(".batch [role=status]")).to_contain_text("no question yet")
        page.fill("#batch-text", BATCH)
        page.click("#batch-start")
        page.wait_for_selector("#batch-save:not([hidden])")
        assert page.inner_text(".batch [role=status]") == "3 of 3 answered."
        assert "unknown entity 'Galtrea'" in page.inner_text(".wrong-line")
        with page.expect_download() as download:
            page.click("#batch-save")
        download.value.save_as(tmp_path / "saved.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "saved.csv").read_text(encoding="utf-8"), newline="")))
        assert [bool(row["error"]) for row in rows] == [False, True, False]
        assert rows[0]["sentence"].startswith(rows[0]["answer"])
        kinds = [row["kind"] for row in rows if row["kind"]]
        page.check("#batch-strong")
        strong = sum(kind in ("one", "few", "pair") for kind in kinds)
        expect(page.locator(".batch-table tbody tr")).to_have_count(strong)


def test_questions_from_a_file(browsing: Browsing, world: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_text(BATCH, encoding="utf-8")
    with browsing.page() as page:
        page.goto(f"{world}/?batch=")
        page.wait_for_selector("#batch-text")
        page.set_input_files("#batch-file", file)
        page.wait_for_function("() => document.getElementById('batch-text').value.includes('Galtrea')")


def test_the_report_is_saved_as_a_page(browsing: Browsing, world: str, tmp_path: Path) -> None:
    with browsing.page() as page:
        open_reasons(page, link(world, *QUESTION))
        page.click("#export-button")
        with page.expect_download() as download:
            page.click("[data-export='save-html']")
        download.value.save_as(tmp_path / "report.html")
        page.goto((tmp_path / "report.html").as_uri())
        assert "Galtria" in page.inner_text("body")


def test_the_calendar_holds_the_dates_of_the_dataset(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *QUESTION))
        page.wait_for_selector(".calendar-place:not([hidden])")
        picker = page.locator(".date-picker")
        assert picker.get_attribute("min") == "2012-01-01"
        picker.evaluate("picker => { picker.value = '2012-11-05'; picker.dispatchEvent(new Event('change')); }")
        page.wait_for_function("() => document.getElementById('ask-time').value === '2012-11-05'")


def test_names_are_found_in_spite_of_typing_errors_and_marked(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.wait_for_selector(".starter")
        page.focus("#ask-subject")
        page.keyboard.type("gatlria")
        expect(page.locator("#ask-subject-list .name").first).to_have_text("Galtria")
        expect(page.locator("#ask-subject-list mark").first).to_be_visible()


@pytest.fixture(scope="module")
def two(world_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Any:
    recency = load_model(make_run(tmp_path_factory.mktemp("recency") / "run", method="recency"))
    with running(create_app(Models([ServedModel("walker", world_model), ServedModel("recency", recency)]))) as address:
        yield address


def test_another_model_answers_the_same_question(browsing: Browsing, two: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(two, *QUESTION))
        first = page.locator(".answers .name").all_inner_texts()
        page.select_option("#model-select", "recency")
        page.wait_for_selector(".without-reasons")
        settled(page)
        assert "m=recency" in page.url
        assert page.input_value("#ask-subject") == "Galtria"
        assert page.locator(".answers .name").all_inner_texts() != first
        assert page.locator(".compare-button").count() == 0
        assert page.locator(".why").count() == 0
        third = page.locator(".answer").nth(2)
        name = third.locator(".name").inner_text()
        third.click()
        expect(third).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#support-title")).to_have_text(name)
        expect(page.locator(".without-reasons .sentence")).to_contain_text("has no walk to show")
        page.goto(f"{two}/?batch=&m=recency")
        page.wait_for_selector("#batch-text")
        expect(page.locator("#batch-why")).to_be_disabled()
        for _ in range(3):  # the chosen answer, the question to this model, the question to the first
            page.go_back()
        page.wait_for_selector(".picture .node")
        card = json.loads(page.evaluate("fetch('/api/v1/model?model=recency').then(r => r.text())"))
        assert card["explains"] is False


def test_going_back_before_the_model_is_known_asks_it_nothing_wrong(browsing: Browsing, two: str) -> None:
    with browsing.page() as page:
        page.goto(link(two, *QUESTION) + "&m=recency")
        page.wait_for_selector(".without-reasons")
        settled(page)
        page.locator(".answer").nth(2).click()
        page.wait_for_function("() => location.search.includes('a=')")
        settled(page)
        held: list[Any] = []
        card = re.compile(r"/api/v1/model\?")
        page.route(card, lambda route: held.append(route))  # noqa: PLW0108  Playwright takes no built-in function
        page.reload()
        wait_until(page, lambda: len(held) == 1)
        page.go_back()  # while the card of the model is on its way
        wait_until(page, lambda: len(held) == 2)
        page.go_forward()
        wait_until(page, lambda: len(held) == 3)
        for route in held:
            route.continue_()
        page.wait_for_selector(".without-reasons")


def wait_until(page: Page, done: Callable[[], bool]) -> None:
    for _ in range(500):
        if done():
            return
        page.wait_for_timeout(20)
    raise AssertionError("not within ten seconds")
