"""A command that README shows works as it stands: the cheap ones are run, the long ones at least parsed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tgap.cli.main import cli
from tgap.data.catalog import find_files

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

# How a command is made cheap enough for a test; one that is not here is parsed only.
RUN: dict[str, list[str]] = {
    "data list": [],
    "evaluate": ["--limit", "8", "--no-baselines"],
    "explain": [],
}


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def commands(page: Path, program: str) -> list[list[str]]:
    """The arguments of every command line of ``program`` in the code blocks of a page."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:console|bash|sh|text)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    found = [re.match(rf"(?:\$ )?{program} (.+)", line) for line in lines]
    return [shlex.split(match.group(1), comments=True) for match in found if match]


def mentions(page: Path, program: str) -> list[list[str]]:
    """The arguments of commands that the text speaks of; their required arguments may be left out."""
    return [shlex.split(spoken) for spoken in re.findall(rf"`{program} ([^`]+)`", prose(page))]


def resolve(arguments: list[str]) -> tuple[click.Command, click.Context | None, list[str]]:
    """The innermost command that a line names, and what is left of the line."""
    command: click.Command = cli
    parent: click.Context | None = None
    rest = arguments
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        parent = click.Context(command, parent=parent)
        name, found, rest = command.resolve_command(parent, rest)
        assert name is not None
        assert found is not None
        command = found
    return command, parent, rest


def runnable(arguments: list[str]) -> list[str] | None:
    """The arguments with what makes them cheap, or None if the command is too long for a test."""
    for name, extra in RUN.items():
        if arguments[: len(name.split())] == name.split():
            return [*arguments, *extra]
    return None


def test_every_command_of_readme_is_found() -> None:
    shown = [arguments[0] for arguments in commands(README, "tgap")]
    assert {"data", "train", "evaluate", "explain", "serve"} <= set(shown)
    assert {"demo", "test"} <= {arguments[0] for arguments in commands(README, "make")}


@pytest.mark.parametrize("arguments", [pair for pair in commands(README, "tgap") if runnable(pair)], ids=shlex.join)
def test_readme_commands_run(arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "icews14" in arguments and find_files("icews14") is None:
        pytest.skip("icews14 is not here; tgap data download icews14")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, runnable(arguments))
    assert result.exit_code == 0, (result.output, result.exception)
    for path in re.findall(r"\S+\.html", shlex.join(arguments)):
        assert (tmp_path / path).stat().st_size > 10_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shown_commands_can_be_parsed(page: Path) -> None:
    for arguments in commands(page, "tgap"):
        command, parent, rest = resolve(arguments)
        if "--help" not in rest:
            command.make_context(command.name, list(rest), parent=parent)
    for arguments in mentions(page, "tgap"):
        command, _, rest = resolve(arguments)
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        options = {part.partition("=")[0] for part in rest if part.startswith("--")}
        assert options <= known | {"--help", "--version"}, shlex.join(arguments)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_shown_targets_of_make_exist() -> None:
    shown = [arguments for page in PAGES for arguments in (*commands(page, "make"), *mentions(page, "make"))]
    targets = {arguments[0] for arguments in shown}
    done = subprocess.run(
        ["make", "--dry-run", *sorted(targets)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if not re.match(r"[a-z]+:|#", link):
            assert (page.parent / link.partition("#")[0]).exists(), link
