"""A real headless Chromium against a real server. Without a browser the tests are skipped, except where CI is true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.explain.small_dataset import small_dataset, small_explainer
from tests.predict.run_folder import make_run
from tests.server.live import running
from tests.web.needed import missing
from tests.web.page import Browsing, OneBrowser, find_chromium
from tgap.kernels import set_threads
from tgap.server.app import create_app
from tgap.server.service import Service

_BROWSER = OneBrowser()


@pytest.fixture
def browsing() -> Browsing:
    """The browser."""
    program = find_chromium()
    if program is None:
        missing("no Chromium on this machine (Debian: apt-get install chromium)")
    try:
        import playwright  # noqa: F401
    except ModuleNotFoundError:
        missing("the Python package playwright is not installed")
    return _BROWSER.get(program)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the browser where the next test is none of the page."""
    if nextitem is None or nextitem.path.parent != item.path.parent:
        _BROWSER.close()


@pytest.fixture(scope="session")
def world_service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """An untrained model of the synthetic world: its answers are no good, but always the same."""
    folder: Path = make_run(tmp_path_factory.mktemp("web") / "run")
    return Service.from_run(folder)


@pytest.fixture(scope="session")
def world(world_service: Service) -> Iterator[str]:
    """Address of a server of the world."""
    with running(create_app(world_service, initialise=lambda: set_threads(None))) as address:
        yield address


@pytest.fixture(scope="session")
def small() -> Iterator[str]:
    """Address of a server of a dozen facts with awkward names."""
    dataset = small_dataset()
    with running(create_app(Service(small_explainer(dataset), dataset))) as address:
        yield address
