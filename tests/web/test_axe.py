"""axe-core finds no serious fault, in light and dark, wide and narrow, in every state of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.page import NARROW, WIDE, Browsing, link, open_walk

if TYPE_CHECKING:
    from playwright.sync_api import Page

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")


def faults(page: Page) -> list[str]:
    found = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_no_serious_fault(browsing: Browsing, world: str, size: tuple[int, int], dark: bool) -> None:
    with browsing.page(size, dark=dark) as page:
        open_walk(page, link(world, "Galtria", "Visit", "?", "2012-09-14"))
        page.wait_for_selector(".evidence-row")
        page.locator(".evidence-row input").first.check()
        page.click("#ask-without")
        page.wait_for_selector(".what-if .bars")
        page.locator(".more-reasons summary").click()
        page.locator(".walks summary").click()
        page.locator(".link").last.dispatch_event("click")
        page.wait_for_selector(".detail")
        page.locator(".edge-table summary").click()
        page.click("#export-button")
        assert faults(page) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_before_and_beside_a_question(browsing: Browsing, world: str, dark: bool) -> None:
    with browsing.page(dark=dark) as page:
        page.goto(world)
        page.wait_for_selector(".starter")
        assert faults(page) == []
        page.click("#about-button")
        page.wait_for_selector("#about[open]")
        assert faults(page) == []


def test_suggestions_and_notices(browsing: Browsing, world: str) -> None:
    with browsing.watched() as watched:
        page = watched.page
        page.goto(link(world, "Galtrea", "Visit", "?", "2012-09-14"))
        page.wait_for_selector(".notice")
        page.focus("#ask-relation")
        page.wait_for_selector("#ask-relation-list [role=option]")
        assert faults(page) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_comparison_and_probability_over_time(
    browsing: Browsing, world: str, size: tuple[int, int], dark: bool
) -> None:
    with browsing.page(size, dark=dark) as page:
        open_walk(page, link(world, "Galtria", "Visit", "?", "2012-09-14"))
        page.locator(".compare-button").first.click()
        page.wait_for_selector(".compare-side table")
        page.click("#sweep-button")
        page.wait_for_selector(".sweep-table:not([hidden])")
        page.locator(".sweep-table summary").click()
        assert faults(page) == []
        page.click("#pin-button")
        page.click("#kept-button")
        page.wait_for_selector("#kept[open] .kept-list")
        assert faults(page) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_an_entity_and_many_questions(browsing: Browsing, world: str, size: tuple[int, int], dark: bool) -> None:
    with browsing.page(size, dark=dark) as page:
        page.goto(f"{world}/?e=Galtria&t=2012-09-14")
        page.locator(".count-row").first.click()
        page.wait_for_selector(".entity-facts li")
        assert faults(page) == []
        page.goto(f"{world}/?batch=")
        page.fill("#batch-text", "Galtria,Visit,?,2012-09-14\nGaltrea,Visit,?,2012-09-14")
        page.click("#batch-start")
        page.wait_for_selector("#batch-save:not([hidden])")
        assert faults(page) == []
