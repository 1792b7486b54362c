"""axe-core finds no serious fault in any state of the page, in light and wide and in dark and narrow.

A state is made once and looked at in both; light and narrow, dark and wide have the same colours and the same order and
run with `make test-slow`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.web.page import NARROW, WIDE, Browsing, link, look, open_walk

if TYPE_CHECKING:
    from playwright.sync_api import Page

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

OPTIONS = {"resultTypes": ["violations"], "preload": False}
ASKED = ("Galtria", "Visit", "?", "2012-09-14")
Looks = tuple[tuple[tuple[int, int], bool], ...]  # size, whether dark
looks = pytest.mark.parametrize(
    "looks",
    [
        pytest.param(((WIDE, False), (NARROW, True)), id="usual"),
        pytest.param(((WIDE, True), (NARROW, False)), id="other", marks=pytest.mark.slow),
    ],
)


def faults(page: Page, looks: Looks, within: str = "html") -> list[str]:
    """What axe finds wrong with the page as it stands, or with a part of it, in every look."""
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']} ({size}, {dark=})"
        for size, dark in looks
        for fault in _violations(page, size, dark, within)
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def _violations(page: Page, size: tuple[int, int], dark: bool, within: str) -> list[dict[str, Any]]:
    look(page, size, dark=dark)
    found: list[dict[str, Any]] = axe.Axe().run(page, within, options=OPTIONS).response["violations"]
    return found


@looks
def test_reasons_and_the_picture(browsing: Browsing, world: str, looks: Looks) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *ASKED))
        page.locator(".evidence-row input").first.check()
        page.click("#ask-without")
        page.wait_for_selector(".what-if .bars")
        page.locator(".more-reasons summary").click()
        page.locator(".walks summary").click()
        page.locator(".link").last.dispatch_event("click")
        page.wait_for_selector(".detail")
        page.locator(".edge-table summary").click()
        page.click("#export-button")
        assert faults(page, looks) == []


@looks
def test_before_and_beside_a_question(browsing: Browsing, world: str, looks: Looks) -> None:
    with browsing.watched() as watched:
        page = watched.page
        page.goto(world)
        page.wait_for_selector(".starter")
        assert faults(page, looks) == []
        page.click("#about-button")
        page.wait_for_selector("#about[open]")
        assert faults(page, looks, "#about") == []
        page.keyboard.press("Escape")
        page.fill("#ask-subject", "Galtrea")
        page.fill("#ask-relation", "Visit")
        page.fill("#ask-time", "2012-09-14")
        page.keyboard.press("Enter")
        page.wait_for_selector(".notice")
        page.focus("#ask-relation")
        page.wait_for_selector("#ask-relation-list [role=option]")
        assert faults(page, looks) == []
        assert all("422" in error for error in watched.errors)


@looks
def test_comparison_probability_over_time_and_kept_questions(browsing: Browsing, world: str, looks: Looks) -> None:
    with browsing.page() as page:
        open_walk(page, link(world, *ASKED))
        page.locator(".compare-button").first.click()
        page.wait_for_selector(".compare-side table")
        page.click("#sweep-button")
        page.wait_for_selector(".sweep-table:not([hidden])")
        page.locator(".sweep-table summary").click()
        page.click("#pin-button")
        assert faults(page, looks) == []
        page.click("#kept-button")
        page.wait_for_selector("#kept[open] .kept-list")
        assert faults(page, looks, "#kept") == []


@looks
def test_an_entity_and_many_questions(browsing: Browsing, world: str, looks: Looks) -> None:
    with browsing.page() as page:
        page.goto(f"{world}/?e=Galtria&t=2012-09-14")
        page.locator(".count-row").first.click()
        page.wait_for_selector(".entity-facts li")
        assert faults(page, looks) == []
        page.click("#batch-link")
        page.fill("#batch-text", "Galtria,Visit,?,2012-09-14\nGaltrea,Visit,?,2012-09-14")
        page.click("#batch-start")
        page.wait_for_selector("#batch-save:not([hidden])")
        assert faults(page, looks) == []
