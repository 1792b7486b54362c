from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.asking.run_folder import make_run
from tests.explain.small_dataset import small_dataset, small_explainer
from tests.server.live import running
from tgap.asking.model import Model
from tgap.server.app import create_app


@pytest.fixture(scope="session")
def small_model() -> Model:
    """A dozen facts with awkward names, walked by the slow oracle."""
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


@pytest.fixture(scope="session")
def client(small_model: Model) -> Iterator[httpx.Client]:
    """A client of a real server over the small dataset."""
    with running(create_app(small_model)) as address, httpx.Client(base_url=address, timeout=30) as found:
        yield found


@pytest.fixture(scope="session")
def world_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained run on the synthetic world."""
    return make_run(tmp_path_factory.mktemp("server") / "run")
