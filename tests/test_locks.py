"""A lock is held by one process; others are refused, wait, or get it when its holder is killed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tgap.errors import DataError
from tgap.locks import one_process

_HOLD = """
import sys, time
from pathlib import Path
from tgap.locks import one_process
with one_process(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DataError, match="it is taken"), one_process(path, DataError("it is taken")):
            raise AssertionError("the lock was given to two processes")
        holder.kill()
    with one_process(path, DataError("it is taken"), seconds=60):
        pass


def test_blocks_of_one_process_may_lie_in_each_other(tmp_path: Path) -> None:
    path, refusal = tmp_path / ".lock", DataError("it is taken")
    with one_process(path, refusal, nested=True), one_process(path, refusal, nested=True):
        pass
    with one_process(path, refusal), pytest.raises(DataError), one_process(path, refusal):
        pass
