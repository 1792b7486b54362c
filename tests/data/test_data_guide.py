"""The data guide does not lie: its commands are run and its output is compared."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from tgap.cli.main import cli
from tgap.data import catalog, display, facts, near_copies, vocabulary, world
from tgap.data.time import timeline

GUIDE = Path(__file__).parents[2] / "docs" / "data.md"


def sessions() -> list[tuple[str, str]]:
    """Every command of the guide with the output below it."""
    blocks = re.findall(r"```console\n(.*?)```", GUIDE.read_text(), flags=re.DOTALL)
    found = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in found]


def words(text: str) -> list[str]:
    """Lines without what depends on the width of the window: spaces at the end, empty lines, length of rules."""
    lines = (re.sub(r"─+", "─", line).rstrip() for line in text.splitlines())
    return [line for line in lines if line]


def test_commands_print_what_the_guide_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("TGAP_DATA", str(home))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    ran = 0
    for command, output in sessions():
        program, *arguments = shlex.split(command)
        if program == "cat":
            Path(arguments[0]).write_text(output)
            continue
        if program == "tgap":
            shown = CliRunner().invoke(cli, arguments).output
        else:
            shown = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
        assert words(shown.replace(str(home), "~/.cache/tgap/datasets")) == words(output), command
        ran += 1
    assert ran >= 5


@pytest.mark.parametrize("module", [catalog, display, facts, near_copies, timeline, vocabulary, world])
def test_examples_in_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.failed == 0
    assert result.attempted > 0


def test_python_examples_of_the_guide() -> None:
    result = doctest.testfile(str(GUIDE), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 5
