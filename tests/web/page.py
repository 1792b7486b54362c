"""Pages for tests: clean, watched for errors, in the size and colours that a test wants."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Locator, Page
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


class Browsing:
    """A running browser that gives pages.

    Most tests use one page after the other: a page of one's own costs three times as much as opening another address in
    one that is there. Whatever a test may have changed on it is undone before the next one.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._shared: Page | None = None

    @contextmanager
    def page(
        self, size: tuple[int, int] = WIDE, *, dark: bool = False, moving: bool = False, **options: Any
    ) -> Iterator[Page]:
        """A page; an error in its scripts or a breach of its policy fails the test. See ``watched``."""
        with self.watched(size, dark=dark, moving=moving, **options) as watched:
            yield watched.page
            assert watched.errors == [], watched.errors

    @contextmanager
    def watched(
        self,
        size: tuple[int, int] = WIDE,
        *,
        dark: bool = False,
        moving: bool = False,
        fresh: bool = False,
        **options: Any,
    ) -> Iterator[Watched]:
        """The same, but errors are only collected.

        ``fresh``: a page of one's own, for tests that leave something on it which cannot be undone (scripts that run
        first, a stopped clock). With ``options`` of a context it is always one.
        """
        page = self._own(**options) if fresh or options else self._common()
        look(page, size, dark=dark, moving=moving)
        found = Watched(page)

        def failed(error: object) -> None:
            found.errors.append(str(error))

        def said(message: ConsoleMessage) -> None:
            if message.type == "error":
                found.errors.append(message.text)

        page.on("pageerror", failed)
        page.on("console", said)
        try:
            yield found
        finally:
            page.remove_listener("pageerror", failed)
            page.remove_listener("console", said)
            if page is self._shared:
                _tidy(page, at_rest=not found.errors)
            else:
                page.context.close()

    def _common(self) -> Page:
        if self._shared is None:
            self._shared = self._own()
        return self._shared

    def _own(self, **options: Any) -> Page:
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context.new_page()


def look(page: Page, size: tuple[int, int] = WIDE, *, dark: bool = False, moving: bool = False) -> None:
    """In which size, colours and motion a page is shown; on a screen, in colours of its own."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.emulate_media(
        media="screen",
        color_scheme="dark" if dark else "light",
        reduced_motion="no-preference" if moving else "reduce",
        forced_colors="none",
    )


def _tidy(page: Page, *, at_rest: bool) -> None:
    """Take away what a test has left: its routes, what it may do, what the page keeps in the browser.

    One that is not ``at_rest`` (it may look again and again for a server that is gone) is left as well.
    """
    page.unroute_all(behavior="ignoreErrors")
    page.context.clear_permissions()
    if page.url.startswith("http"):
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
    if not at_rest:
        page.goto("about:blank")


class OneBrowser:
    """A browser for as long as tests of the page come one after the other."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._browsing: Browsing | None = None

    def get(self, program: str) -> Browsing:
        """The browser, started if it does not run."""
        if self._browsing is None:
            self._browsing = self._stack.enter_context(launch(program))
        return self._browsing

    def close(self) -> None:
        """End it: while it runs, no other test can have an event loop of its own in this thread."""
        self._browsing = None
        self._stack.close()


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


def save(page: Page, kind: str) -> tuple[str, bytes]:
    """A file from the menu of what can be saved: its name and what is in it."""
    page.click("#export-button")
    with page.expect_download() as download:
        page.click(f"[data-export='save-{kind}']")
    return download.value.suggested_filename, download.value.path().read_bytes()


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
