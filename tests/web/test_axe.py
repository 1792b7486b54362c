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
