"""What nobody should be left alone with: wrong names, a server that is gone, busy, guarded or without walks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from xml.dom import minidom

import httpx
import pytest

from tests.explain.small_dataset import ENTITIES, SCRIPT, small_dataset, small_explainer
from tests.server.live import running
from tests.server.slow import slow_model
from tests.web.page import Browsing, expect, link, open_walk, save, settled
from tgap.asking.model import Model
from tgap.data import Vocabulary
from tgap.server.app import create_app

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page, Route

WATCH_PLACEHOLDERS = """
window.placeholdersSeen = window.placeholdersNotTold = 0;
addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("results");
  new MutationObserver(() => {
    if (!results.querySelector(".skeleton")) return;
    window.placeholdersSeen += 1;
    if (!results.hasAttribute("aria-busy")) window.placeholdersNotTold += 1;
  }).observe(results, { subtree: true, childList: true, attributes: true });
});
"""
ASKED = ("North Korea", "Threaten", "?", "2014-04-29")


def small_app(token: str | None = None):  # type: ignore[no-untyped-def]
    dataset = small_dataset()
    return create_app(Model(small_explainer(dataset), dataset), token=token)


def test_a_wrong_name_is_met_with_suggestions(browsing: Browsing, world: str) -> None:
    with browsing.watched() as watched:
        page = watched.page
        page.goto(link(world, "Galtrea", "Visit", "?", "2012-09-14"))
        page.wait_for_selector(".notice")
        assert page.inner_text(".notice").startswith("Unknown entity 'Galtrea'.")
        assert "ask again" in page.inner_text(".failed")
        assert page.get_attribute("#ask-subject", "aria-invalid") == "true"
        page.locator(".notice .chip", has_text="Galtria").click()
        page.wait_for_selector(".picture .node")
        settled(page)
        assert page.input_value("#ask-subject") == "Galtria"
        assert page.locator(".notice").count() == 0
        page.fill("#ask-time", "someday")
        page.keyboard.press("Enter")
        expect(page.locator(".notice")).to_contain_text("write it like 2013-12-31")
        assert all("422" in error for error in watched.errors)


def test_a_wrong_answer_in_a_link_leaves_the_answers_standing(browsing: Browsing, world: str) -> None:
    with browsing.watched() as watched:
        page = watched.page
        page.goto(link(world, "Galtria", "Visit", "?", "2012-09-14", "Hestonja"))
        page.wait_for_selector(".notice .chip")
        assert page.locator(".answers .name").count() == 10
        page.locator(".notice .chip", has_text="Hestonia").first.click()
        page.wait_for_selector(".picture .node")
        assert page.inner_text("#walk-title") == "The way to Hestonia"


def test_while_an_answer_is_on_its_way(browsing: Browsing, world: str) -> None:
    with browsing.page(fresh=True) as page:
        page.add_init_script(WATCH_PLACEHOLDERS)
        held: list[Route] = []
        page.route("**/api/v1/predict", lambda route: held.append(route))  # noqa: PLW0108  a builtin takes no mark
        with page.expect_request("**/api/v1/predict"):
            page.goto(link(world, "Galtria", "Visit", "?", "2012-09-14"))
        page.wait_for_selector("#results[aria-busy=true] .skeleton")
        assert page.input_value("#ask-subject") == "Galtria"
        held[0].continue_()
        page.wait_for_selector(".evidence-row")
        settled(page)
        page.locator(".answer[aria-pressed=false]").first.click()
        page.wait_for_selector("#results[aria-busy]", state="attached")
        settled(page)
        expect(page.locator(".skeleton")).to_have_count(0)
        assert page.evaluate("window.placeholdersSeen") > 0
        assert page.evaluate("window.placeholdersNotTold") == 0


def test_a_page_that_learns_nothing_of_its_model_says_so_and_begins_again(browsing: Browsing, world: str) -> None:
    with browsing.watched() as watched:
        page = watched.page
        page.route("**/api/v1/models", lambda route: route.abort())
        page.goto(link(world, "Galtria", "Visit", "?", "2012-09-14"))
        expect(page.locator(".notice")).to_contain_text("does not answer")
        assert page.locator(".skeleton").count() == 0
        assert page.get_attribute("#results", "aria-busy") is None
        assert page.input_value("#ask-subject") == "Galtria"
        page.unroute("**/api/v1/models")
        page.locator(".notice button").click()
        page.wait_for_selector(".picture .node")
        expect(page.locator("#about-button")).to_have_text("world · T-GAP")


def test_a_server_that_stops_in_the_middle(browsing: Browsing) -> None:
    with browsing.watched() as watched:
        page = watched.page
        with running(small_app()) as address:
            open_walk(page, link(address, *ASKED))
        page.fill("#ask-time", "2014-05-01")
        page.keyboard.press("Enter")
        expect(page.locator(".notice")).to_contain_text("does not answer")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        assert page.input_value("#ask-subject") == "North Korea"  # nothing typed is lost


def test_a_question_is_asked_again_while_the_model_warms_up(browsing: Browsing) -> None:
    scorer, model = slow_model()
    scorer.hold()
    with running(create_app(model), ready=False) as address, browsing.watched() as watched:
        page = watched.page
        page.goto(link(address, *ASKED))
        expect(page.locator(".notice")).to_contain_text("warming up")
        scorer.go.set()
        page.wait_for_selector(".answers .name")
        expect(page.locator(".notice")).to_have_count(0)
        expect(page.locator(".place-reasons")).to_contain_text("no walk to show")  # this scorer does not walk


def test_the_token_is_asked_for_and_kept(browsing: Browsing) -> None:
    with running(small_app(token="open-sesame")) as address, browsing.watched() as watched:  # noqa: S106
        assert httpx.get(f"{address}/api/v1/model").status_code == 401
        page = watched.page
        page.goto(link(address, *ASKED))
        page.wait_for_selector("#token-input")
        page.fill("#token-input", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("#token:has-text('refused')")
        page.fill("#token-input", "open-sesame")
        page.keyboard.press("Enter")
        page.wait_for_selector(".picture .node")
        page.reload()
        page.wait_for_selector(".picture .node")
        expect(page.locator("#token")).to_be_hidden()


def test_closing_the_tokens_dialog_leaves_a_way_back(browsing: Browsing) -> None:
    with running(small_app(token="open-sesame")) as address, browsing.watched() as watched:  # noqa: S106
        page = watched.page
        page.goto(link(address, *ASKED))
        page.wait_for_selector("#token-input")
        page.keyboard.press("Escape")
        expect(page.locator(".notice")).to_contain_text("only with its token")
        page.get_by_role("button", name="Enter the token").click()
        page.fill("#token-input", "open-sesame")
        page.keyboard.press("Enter")
        page.wait_for_selector(".picture .node")
        expect(page.locator(".notice")).to_have_count(0)


def test_a_question_that_lacks_something_says_what(browsing: Browsing, world: str) -> None:
    with browsing.page() as page:
        page.goto(world)
        page.wait_for_selector(".starter")
        page.fill("#ask-subject", "?")
        page.fill("#ask-object", "?")
        page.fill("#ask-relation", "Visit")
        page.fill("#ask-time", "2012-09-14")
        page.click(".ask-go")
        expect(page.locator(".notice")).to_contain_text("Name the subject or the object")
        assert page.get_attribute("#ask-subject", "aria-invalid") == "true"
        assert page.evaluate("document.activeElement.id") == "ask-subject"
        page.fill("#ask-subject", "Galtria")
        page.fill("#ask-time", "")
        page.click(".ask-go")
        expect(page.locator(".notice")).to_have_text("Name a date.")


def test_a_script_in_a_name_is_shown_as_text(browsing: Browsing, small: str) -> None:
    with browsing.page() as page, no_dialog(page):
        open_walk(page, link(small, SCRIPT, "Praise <loudly>", "?", "2014-04-29"))
        assert page.get_attribute(".node.start", "data-name") == SCRIPT
        assert page.input_value("#ask-subject") == SCRIPT
        page.focus("#ask-object")
        page.keyboard.type("script")
        expect(page.locator("#ask-object-list .name").first).to_have_text(SCRIPT)
        page.keyboard.press("Escape")
        page.locator(".node.start circle").click()
        page.wait_for_selector(".detail:has-text('stored facts')")
        assert page.inner_text(".detail h3") == SCRIPT
        page.wait_for_selector(".evidence-row")
        page.locator(".evidence-row input").first.check()
        page.click("#ask-without")
        page.wait_for_selector(".what-if .bars")
        assert page.locator("script").count() == 2  # the page's own


@contextmanager
def no_dialog(page: Page) -> Iterator[None]:
    """Inside, nothing may open a dialog of the browser: a script in a name would."""
    opened: list[str] = []

    def note(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    yield
    page.remove_listener("dialog", note)
    assert opened == []


AWKWARD = "Ja\x01pan\x1b[31m\u202eevil"


def test_control_characters_in_a_name_break_neither_the_page_nor_its_files(browsing: Browsing, awkward: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(awkward, *ASKED, AWKWARD))
        assert page.get_attribute(".node.answer", "data-name") == AWKWARD
        saved = {kind: save(page, kind)[1] for kind in ("svg", "png", "html", "json", "csv")}
    assert "pan" in minidom.parseString(saved["svg"]).toxml()  # noqa: S318  our own file
    assert saved["png"].startswith(b"\x89PNG")
    assert json.loads(saved["json"])["explanation"]["answer"]["name"] == AWKWARD
    assert b"pan" in saved["html"]
    assert b"pan" in saved["csv"]


@pytest.fixture(scope="module")
def awkward() -> Iterator[str]:
    """A server of the small dataset in which Japan's name does not behave."""
    names = [AWKWARD if name == "Japan" else name for name in ENTITIES]
    dataset = dataclasses.replace(small_dataset(), entities=Vocabulary(names, "entity"))
    with running(create_app(Model(small_explainer(dataset), dataset))) as address:
        yield address


def test_an_entity_without_facts_is_explained_not_broken(browsing: Browsing, small: str) -> None:
    with browsing.page() as page:
        open_walk(page, link(small, "Lonely Island", "Consult", "?", "2014-04-29"))
        assert "in no training fact" in page.inner_text(".answers-card")
        open_walk(page, link(small, "North Korea", "Consult", "Far Away", "2014-04-29"))
        assert "not reachable" in page.inner_text(".paths-card")
        open_walk(page, link(small, "North Korea", "Threaten", "?", "2015-06-01"))
        assert "extrapolation" in page.inner_text(".answers-card")
