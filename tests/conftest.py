"""For all tests: no spinning threads, no chance in `make test`, and denormal numbers stay after every test."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch is loaded, as our commands do

# The default suite draws the same examples every time, so that it fails for a change and not by luck;
# `make test-slow` searches at random.
settings.register_profile("tgap", derandomize=True)
settings.load_profile("tgap")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the page come first: their files take longest, and one of them at the end would keep a core idle."""
    items.sort(key=lambda item: "web" not in item.path.parts)


@pytest.fixture(autouse=True)
def _denormal_numbers_stay() -> Iterator[None]:
    """Commands that run in this process set the flush for a process of their own; hypothesis needs denormals."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)
