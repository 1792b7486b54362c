"""A real headless Chromium against a real server. Without a browser the tests are skipped, except where CI is true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.asking.run_folder import make_run
from tests.explain.small_dataset import small_dataset, small_explainer
from tests.server.live import running
from tests.web.needed import missing
from tests.web.page import Browsing, OneBrowser, find_chromium
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.kernels import set_threads
from tgap.server.app import create_app

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
def world_model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """An untrained model of the synthetic world: its answers are no good, but always the same."""
    folder: Path = make_run(tmp_path_factory.mktemp("web") / "run")
    return load_model(folder)


@pytest.fixture(scope="session")
def world(world_model: Model) -> Iterator[str]:
    """Address of a server of the world."""
    with running(create_app(world_model, initialise=lambda: set_threads(None))) as address:
        yield address


@pytest.fixture(scope="session")
def small() -> Iterator[str]:
    """Address of a server of a dozen facts with awkward names."""
    dataset = small_dataset()
    with running(create_app(Model(small_explainer(dataset), dataset))) as address:
        yield address
