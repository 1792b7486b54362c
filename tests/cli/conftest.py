"""What tests of predict, explain and study share: a run folder of the world, and a fact to ask about."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.asking.run_folder import make_run
from tgap.data import load_dataset

Fact = tuple[str, str, str, str]


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with initial weights; tests only read it."""
    return make_run(tmp_path_factory.mktemp("runs") / "world")


@pytest.fixture(scope="session")
def fact() -> Fact:
    """The first test fact of the world, by name."""
    world = load_dataset("world")
    first = world.test[0]
    names = world.entities
    time = world.timeline.format(first.time)
    return names.name(first.subject), world.relations.name(first.relation), names.name(first.object), time
