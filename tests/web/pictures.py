"""Make the explorer's pictures in docs/images anew, from the shipped model of ICEWS14 in a real browser.

python -m tests.web.pictures          (needs Chromium and the dataset; a minute)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.server.live import running
from tests.web.page import NARROW, Browsing, find_chromium, launch, link, open_walk
from tgap.asking.load import load_model
from tgap.kernels import set_threads
from tgap.server.app import create_app

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).parents[2] / "docs" / "images"
QUESTION = ("North Korea", "Threaten", "?", "2014-04-29")
DESK = (1440, 930)


def main() -> int:
    """Take all pictures."""
    program = find_chromium()
    if program is None:
        print("no Chromium on this machine (Debian: apt-get install chromium)", file=sys.stderr)  # noqa: T201
        return 2
    app = create_app(load_model("icews14"), initialise=lambda: set_threads(None))
    with running(app) as address, launch(program) as browsing:
        asked = link(address, *QUESTION)
        take(browsing, "start", address, begin, size=(1280, 800))
        take(browsing, "light", asked, nothing)
        take(browsing, "dark", asked, nothing, dark=True)
        take(browsing, "time", asked, future, only=".walk-card")
        take(browsing, "check-dark", asked, check, dark=True, only=".evidence-grid")
        take(browsing, "narrow", asked, reasons_in_sight, size=(NARROW[0], 800))
    return 0


def take(
    browsing: Browsing,
    name: str,
    address: str,
    act: Callable[[Page], None],
    *,
    size: tuple[int, int] = DESK,
    dark: bool = False,
    only: str | None = None,
) -> None:
    """Open ``address``, do something, and keep what is then seen: the window, or one part of the page."""
    with browsing.page(size, dark=dark) as page:
        if "?" in address:
            open_walk(page, address)
            page.wait_for_selector(".evidence-row", timeout=60_000)
        else:
            page.goto(address)
        act(page)
        page.wait_for_timeout(400)
        file = IMAGES / f"explorer-{name}.png"
        if only:
            page.locator(only).screenshot(path=file)
        else:
            page.screenshot(path=file)
        print(f"wrote {file.relative_to(IMAGES.parents[1])}")  # noqa: T201


def nothing(_: Page) -> None:
    """As it is."""


def reasons_in_sight(page: Page) -> None:
    """Scrolled down to the reasons."""
    page.evaluate("document.querySelector('.reasons-card').scrollIntoView()")


def begin(page: Page) -> None:
    """Before a question, with the first letters of one."""
    page.wait_for_selector(".starter")
    page.focus("#ask-subject")
    page.keyboard.type("korea")
    page.wait_for_selector("#ask-subject-list mark")


def future(page: Page) -> None:
    """Only what happened afterwards."""
    page.get_by_role("button", name="Future", exact=True).click()
    page.mouse.move(2, 2)


def check(page: Page) -> None:
    """The strongest event taken away."""
    page.locator(".evidence-row input").first.check()
    page.click("#ask-without")
    page.wait_for_selector(".what-if .bars")
    page.mouse.move(2, 2)


if __name__ == "__main__":
    sys.exit(main())
