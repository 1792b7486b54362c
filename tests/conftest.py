"""For all tests: no spinning threads, and no test leaves the processor flushing denormal numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch is loaded, as our commands do


@pytest.fixture(autouse=True)
def _denormal_numbers_stay() -> Iterator[None]:
    """Commands that run in this process set the flush for a process of their own; hypothesis needs denormals."""
    yield
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_flush_denormal(False)
