"""Pages for tests: fresh, watched for errors, in the size and colours that a test wants."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page
    from playwright.sync_api._generated import LocatorAssertions

_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 60_000  # milliseconds; a loaded machine is slow, and a wait that ends early costs nothing
WIDE = (1280, 900)
NARROW = (360, 740)


@dataclass
class Watched:
    """A page and what went wrong on it."""

    page: Page
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Browsing:
    """A running browser that gives pages."""

    browser: Browser

    @contextmanager
    def page(
        self, size: tuple[int, int] = WIDE, *, dark: bool = False, moving: bool = False, **options: Any
    ) -> Iterator[Page]:
        """A page in a context of its own; an error in its scripts or a breach of its policy fails the test."""
        with self.watched(size, dark=dark, moving=moving, **options) as watched:
            yield watched.page
            assert watched.errors == []

    @contextmanager
    def watched(
        self, size: tuple[int, int] = WIDE, *, dark: bool = False, moving: bool = False, **options: Any
    ) -> Iterator[Watched]:
        """The same, but errors are only collected."""
        context = self.browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            reduced_motion="no-preference" if moving else "reduce",
            **options,
        )
        context.set_default_timeout(PATIENCE)
        found = Watched(context.new_page())
        found.page.on("pageerror", lambda error: found.errors.append(str(error)))
        found.page.on("console", lambda said: found.errors.append(said.text) if said.type == "error" else None)
        try:
            yield found
        finally:
            context.close()


@contextmanager
def launch(program: str) -> Iterator[Browsing]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield Browsing(browser)
        browser.close()


def link(address: str, subject: str, relation: str, obj: str, time: str, answer: str = "") -> str:
    """Deep link of a question."""
    parts = {"s": subject, "r": relation, "o": obj, "t": time, **({"a": answer} if answer else {})}
    return f"{address}/?{urlencode(parts)}"


def open_walk(page: Page, address: str) -> None:
    """Open a deep link and wait until all of it is there: what comes later would push down what a test points at."""
    page.goto(address)
    page.wait_for_selector(".picture .node")
    settled(page)


def expect(found: Locator) -> LocatorAssertions:
    """What must be true of an element soon: asked again and again, not once."""
    from playwright.sync_api import expect as expectation

    expectation.set_options(timeout=PATIENCE)
    return expectation(found)


def settled(page: Page) -> None:
    """Wait until nothing more is on its way."""
    page.wait_for_selector("#results:not([aria-busy])")


def in_sight(page: Page, place: str) -> None:
    """Wait until an element is wholly inside the window: scrolling takes a moment."""
    page.wait_for_function(
        """place => { const box = document.querySelector(place).getBoundingClientRect();
        return box.top >= 0 && box.bottom <= innerHeight; }""",
        arg=place,
    )


def drag_date(page: Page, pixels: float, moves: int) -> None:
    """Drag the flag of the asked date to the right (or left)."""
    page.locator(".handle").scroll_into_view_if_needed()
    flag = page.locator(".handle rect").bounding_box()
    assert flag is not None
    x, y = flag["x"] + flag["width"] / 2, flag["y"] + 8
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + pixels, y, steps=moves)
    page.mouse.up()


def find_chromium() -> str | None:
    """The browser's program on this machine."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
