"""The generated pages say what the code says."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from tests.processes import Started

ROOT = Path(__file__).parents[2]


def check_pages() -> None:
    sys.argv = [str(ROOT / "docs" / "generate.py"), "--check"]
    runpy.run_path(sys.argv[0], run_name="__main__")


def test_reference_pages_are_up_to_date(tmp_path: Path) -> None:
    """In a process of its own: the methods that tests add to the table are not in the pages."""
    assert Started(tmp_path / "log", check_pages).finish() == ""
