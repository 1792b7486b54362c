"""What tests of studies share: a run folder of the world, and a fact to ask about."""

from __future__ import annotations

from tests.cli.conftest import fact, run_folder

__all__ = ["fact", "run_folder"]
