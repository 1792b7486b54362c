"""The public interface: every name is there, comes from where it is said to, and nothing else is listed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tgap


@pytest.mark.parametrize("name", tgap.__all__)
def test_every_public_name_can_be_imported_and_is_documented(name: str) -> None:
    found = getattr(tgap, name)
    assert found.__doc__


def test_dir_shows_the_interface_only() -> None:
    assert set(dir(tgap)) == {*tgap.__all__, "__version__"}
    assert sorted(tgap.__all__) == tgap.__all__
    with pytest.raises(AttributeError, match="has no attribute 'predictor'"):
        tgap.predictor  # noqa: B018


def test_loading_a_model_sets_how_threads_wait_before_torch_is_loaded() -> None:
    code = "import os, tgap; os.environ.pop('OMP_WAIT_POLICY', 0); tgap.load; print(os.environ['OMP_WAIT_POLICY'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "PASSIVE\n"
