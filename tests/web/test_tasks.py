"""What analysts come for, each from the first click to the answer they take away."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.explain.small_dataset import small_dataset, small_explainer
from tests.web.page import Browsing, expect, in_sight, link, open_walk, settled
from tests.web.test_reasons import PHONE
from tgap.asking.model import Model
from tgap.explain.wording import percent, points

if TYPE_CHECKING:
    from playwright.sync_api import Page

KOREA: dict[str, Any] = {"subject": "North Korea", "relation": "Threaten", "time": "2014-04-29"}
ASKED = ("North Korea", "Threaten", "?", "2014-04-29")
STRONG = ("one", "few", "pair")


@pytest.fixture(scope="module")
def korea() -> Model:
    """The model behind ``small``."""
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


def told(page: Page, place: str) -> list[str]:
    """Texts of elements, with ordinary spaces."""
    return [text.replace("\u00a0", " ") for text in page.locator(place).all_inner_texts()]


@pytest.mark.parametrize("size", [(1440, 900), PHONE], ids=["desk", "phone"])
def test_why_south_korea_and_not_japan(browsing: Browsing, small: str, korea: Model, size: tuple[int, int]) -> None:
    names = ["South Korea", "Japan"]
    found = [korea.explain(**KOREA, answer=name).to_dict() for name in names]
    with browsing.page(size) as page:
        open_walk(page, link(small, *ASKED, "South Korea"))
        assert told(page, ".sentence") == [found[0]["sentence"]]
        page.get_by_role("button", name="Compare with Japan").click()
        page.wait_for_selector(".compare-side table")
        in_sight(page, "#compare-title")
        for side, document in zip(told(page, ".compare-side"), found, strict=True):
            assert document["sentence"] in side
            assert f"{percent(document['answer']['score'])}, rank" in side
            for row in document["evidence"][:3]:
                assert points(row["effect"]) in side
                assert row["time"] in side
        assert page.evaluate("document.documentElement.scrollWidth") == size[0]


@pytest.mark.parametrize("size", [(1440, 900), PHONE], ids=["desk", "phone"])
def test_what_would_change_it(browsing: Browsing, small: str, korea: Model, size: tuple[int, int]) -> None:
    flips = korea.explain(**KOREA).to_dict()["flips"]
    with browsing.page(size) as page:
        open_walk(page, link(small, *ASKED))
        expect(page.locator(".flip")).to_contain_text(f"{flips['answer']} would come first")
        page.click("#try-flip")
        verdict = page.locator(".what-if .verdict")
        expect(verdict).to_contain_text(f"the answer would be {flips['answer']}")
        in_sight(page, ".what-if .verdict")


def test_how_does_it_look_a_week_later(browsing: Browsing, small: str, korea: Model) -> None:
    later = korea.explain(**{**KOREA, "time": "2014-05-06"}, answer="South Korea").to_dict()
    with browsing.page() as page:
        open_walk(page, link(small, *ASKED, "South Korea"))
        assert page.input_value("#other-time") == "2014-05-06"
        page.click("#compare-dates")
        page.wait_for_selector(".compare-side table")
        assert page.inner_text("#compare-title") == "South Korea on 2014-04-29 and on 2014-05-06"
        assert later["sentence"] in told(page, ".compare-side")[1]
        page.locator(".compare-side").nth(1).get_by_role("button", name="Show only this").click()
        expect(page.locator("#ask-time")).to_have_value("2014-05-06")
        settled(page)
        page.click("#sweep-button")  # and all the dates between
        page.wait_for_selector(".sweep-table:not([hidden])")
        page.locator(".sweep-table summary").click()
        columns = page.locator(".sweep-table thead th").all_inner_texts()
        row = page.locator(".sweep-table tbody tr", has_text="2014-05-06").locator("td").all_inner_texts()
        assert row[columns.index("South Korea")] == percent(later["answer"]["score"])


def test_which_of_these_fifty_questions_have_strong_evidence(
    browsing: Browsing, world: str, world_model: Model, tmp_path: Path
) -> None:
    dataset = world_model.dataset
    names, questions = world_model.names, []
    for fact in list(dataset.test)[:50]:
        parts = (names.entity(fact.subject), names.label(fact.relation), "?", names.date(fact.time))
        questions.append(dict(zip(("subject", "relation", "object", "time"), parts, strict=True)))
    table = tmp_path / "questions.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["subject", "relation", "object", "time"])
        writer.writeheader()
        writer.writerows(questions)
    expected = world_model.bulk(questions=[{**questions[0], "reason": True}]).to_dict()["entries"][0]
    with browsing.page() as page:
        page.goto(world)
        page.click("#batch-link")
        page.set_input_files("#batch-file", table)
        expect(page.locator("#batch-text")).to_have_value(table.read_text(encoding="utf-8").replace("\r\n", "\n"))
        page.click("#batch-start")
        page.wait_for_selector("#batch-save:not([hidden])", timeout=240_000)
        with page.expect_download() as download:
            page.click("#batch-save")
        download.value.save_as(tmp_path / "saved.csv")
        rows = list(csv.DictReader(io.StringIO((tmp_path / "saved.csv").read_text(encoding="utf-8"), newline="")))
        assert len(rows) == 50
        reason = expected["reason"]
        assert (rows[0]["subject"], rows[0]["kind"]) == (questions[0]["subject"], reason["kind"])
        assert rows[0]["sentence"] == reason["sentence"]
        strong = [row for row in rows if row["kind"] in STRONG]
        page.check("#batch-strong")
        expect(page.locator(".batch-table tbody tr")).to_have_count(len(strong))
        if strong:  # each leads to its own page
            page.locator(".batch-table a").first.click()
            page.wait_for_selector(".evidence-row")
