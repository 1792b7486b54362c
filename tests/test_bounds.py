"""Upper bounds of libraries whose private parts are used: they exist, and admit what is installed and pinned."""

from __future__ import annotations

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PRIVATE = ("numba", "torch", "uvicorn")


def requirement(name: str) -> Requirement:
    """The line of pyproject.toml about a library."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    (found,) = [one for one in map(Requirement, lines) if one.name == name]
    return found


def pinned(name: str) -> str:
    """The version that constraints.txt (and, for torch, the Makefile) installs."""
    lines = (ROOT / "constraints.txt").read_text().split() + (ROOT / "Makefile").read_text().split()
    (found,) = {line.partition("==")[2] for line in lines if line.startswith(f"{name}==")}
    return found


@pytest.mark.parametrize("name", PRIVATE)
def test_the_bound_admits_what_is_installed_and_pinned(name: str) -> None:
    allowed = requirement(name).specifier
    assert any(bound.operator == "<" for bound in allowed), f"{name} has no upper bound"
    assert version(name) in allowed
    assert pinned(name) in allowed
