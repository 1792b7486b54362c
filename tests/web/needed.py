"""What tests of the page need of a machine: a browser, Node.js. A test skips where they are missing, CI does not."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    """Skip, or fail where CI is true."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and CI needs it")
    pytest.skip(reason)
