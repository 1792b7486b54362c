"""Every operation on the command line: the document that Python gives, files before text, and names that changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import tgap
from tests.cli.conftest import Fact
from tgap.asking.operations import OPERATIONS
from tgap.cli.main import cli
from tgap.cli.option_names import RENAMED

Call = tuple[list[str], tuple[Any, ...], dict[str, Any]]  # words of the command line; arguments in Python
PROGRAM = [sys.executable, "-m", "tgap.cli.main"]


def call(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "120"}).invoke(cli, [*map(str, arguments)])


def of_question(*words: str, **options: Any) -> Callable[[Fact], Call]:
    """A call with the four parts of the fact, and options both ways."""
    return lambda fact: ([*fact, *words], fact, options)


# One call of each: an operation without one fails the test below.
CALLS: dict[str, Callable[[Fact], Call]] = {
    "predict": of_question("--top", "3", "--evidence", "2", "--past-only", top=3, evidence=2, past_only=True),
    "explain": of_question("--effects", "3", "--no-flips", "--show-asked", effects=3, flips=False, hide_asked=False),
    "why": of_question("--effects", "4", effects=4),
    "support": of_question("--count", "2", "--as-of", "2012-06-01", count=2, as_of="2012-06-01"),
    "what_if": lambda fact: (
        ["?", *fact[1:], "--with", *fact, "--top", "4"],
        ("?", *fact[1:]),
        {"added": [fact], "top": 4},
    ),
    "sweep": lambda fact: (
        [*fact[:2], "--from", "2012-02-01", "--to", "2012-03-01", "--points", "3", "--answer", fact[2]],
        fact[:2],
        {"since": "2012-02-01", "until": "2012-03-01", "points": 3, "answers": [fact[2]]},
    ),
    "evaluate": lambda _: (
        ["--split", "valid", "--limit", "6", "--no-baselines", "--bootstrap", "20"],
        ("valid",),
        {"limit": 6, "baselines": False, "bootstrap": 20},
    ),
    "calibrate": lambda _: (["--limit", "20", "--seed", "2"], (), {"limit": 20, "seed": 2}),
    "search": lambda fact: ([fact[0][:4], "--limit", "3"], (fact[0][:4],), {"limit": 3}),
    "entity": lambda fact: ([fact[0]], (fact[0],), {}),
    "facts": lambda fact: ([fact[0], fact[3], "--limit", "4"], (fact[0], fact[3]), {"limit": 4}),
    "timeline": lambda _: (["--points", "7"], (), {"points": 7}),
    "examples": lambda _: ([], (), {}),
    "random_question": lambda _: (["--seed", "3"], (), {"seed": 3}),
    "card": lambda _: ([], (), {}),
}


@pytest.fixture
def own_run(run_folder: Path, tmp_path: Path) -> Path:
    """A copy of the run, for operations that write into it."""
    return Path(shutil.copytree(run_folder, tmp_path / "run"))


def timeless(document: dict[str, Any]) -> dict[str, Any]:
    """A document without what it took: seconds are never the same twice."""
    return {name: value for name, value in document.items() if name != "seconds"}


@pytest.mark.parametrize("name", OPERATIONS.commands.values())
def test_the_document_is_that_of_python(name: str, own_run: Path, fact: Fact) -> None:
    words, arguments, options = CALLS[name](fact)
    printed = call(OPERATIONS.find(name).title, own_run, *words, "--json", "-")
    assert printed.exit_code == 0, printed.output
    found = getattr(tgap.load(own_run), name)(*arguments, **options)
    assert timeless(json.loads(printed.stdout)) == timeless(json.loads(json.dumps(found.to_dict())))


@pytest.mark.parametrize("name", OPERATIONS.commands.values())
def test_every_operation_has_something_to_print(name: str, own_run: Path, fact: Fact) -> None:
    words, _, _ = CALLS[name](fact)
    printed = call(OPERATIONS.find(name).title, own_run, *words)
    assert printed.exit_code == 0, printed.output
    assert printed.stdout.strip()
    assert printed.stderr == ""


def test_every_file_is_written_before_a_reader_can_leave(run_folder: Path, tmp_path: Path) -> None:
    """As ``tgap evaluate ... | head -1`` does, with a pipe whose reader leaves after the first bytes."""
    json_file, csv_file = tmp_path / "a.json", tmp_path / "a.csv"
    command = [*PROGRAM, "evaluate", str(run_folder), "--limit", "6", "--details"]
    with subprocess.Popen(
        [*command, "--json", str(json_file), "--csv", str(csv_file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        with subprocess.Popen(["head", "-1"], stdin=process.stdout, stdout=subprocess.PIPE) as head:
            assert process.stdout is not None
            process.stdout.close()
            first, _ = head.communicate(timeout=120)
        assert process.stderr is not None
        told = process.stderr.read().decode().splitlines()
    assert process.returncode == 0
    assert b"world, test" in first
    assert told == [f"wrote {json_file}", f"wrote {csv_file}"]
    assert json.loads(json_file.read_text(encoding="utf-8"))["queries"]["ranked"] == 6
    assert csv_file.read_text(encoding="utf-8").startswith("scorer,dataset,split,")


def test_a_document_in_the_pipe_comes_after_the_files(run_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    reading, writing = os.pipe()
    os.close(reading)
    command = [*PROGRAM, "evaluate", str(run_folder), "--limit", "6", "--json", "-", "--csv", str(target)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr.decode()) == (0, f"wrote {target}\n")
    assert target.read_text(encoding="utf-8").startswith("scorer,dataset,split,")


def test_a_dash_prints_one_document_and_files_are_told_elsewhere(run_folder: Path, fact: Fact, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    printed = call("explain", run_folder, *fact, "--effects", "1", "--json", "-", "--html", page)
    assert json.loads(printed.stdout)["schema"].startswith("tgap.explanation/")
    assert printed.stderr == f"wrote {page}\n"
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(("command", "option"), RENAMED)
def test_a_renamed_option_names_the_new_one(command: str, option: str) -> None:
    result = call(command, "run", "a", "b", "2012-01-01", option, "3")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr == f"error: {option} is now {RENAMED[command, option]}\n"
    with_value = call(command, "run", "a", "b", "2012-01-01", f"{option}=3")
    assert with_value.stderr == result.stderr


def test_what_stands_in_place_of_a_renamed_option_exists() -> None:
    for now in RENAMED.values():
        words = now.split()
        command = cli.get_command(None, words[1]) if words[0] == "tgap" else None  # type: ignore[arg-type]
        for option in (word for word in words if word.startswith("--")):
            commands = [command] if command else [cli.get_command(None, name) for name, _ in RENAMED]  # type: ignore[arg-type]
            assert any(option in parameter.opts for one in commands if one for parameter in one.params), now


def test_an_option_that_never_was_is_wrong_usage(run_folder: Path, fact: Fact) -> None:
    result = call("explain", run_folder, *fact, "--fact", "3")
    assert result.exit_code == 2
    assert "No such option" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sweep", "--from", "2012-02-01", "--to", "2012-03-01", "--answer", ""], "error: --answer.0 is ''"),
        (["what-if", "--with", "a", "", "c", "d"], "error: --with.0.1 is ''"),
        (["predict", "--as-of", ""], "error: --as-of is ''"),
        (["support", "--object", "", "--task", "completion"], "error: --object is ''"),
    ],
)
def test_mistakes_name_options_as_they_were_written(words: list[str], message: str, fact: Fact) -> None:
    """Nothing is loaded for them: there is no such run."""
    name, *options = words
    parts = fact[:2] if name == "sweep" else ("?", fact[1], fact[3])
    result = call(name, "no-such-run", *parts, *options)
    assert result.exit_code == 2
    assert result.stderr.startswith(message), result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_library_messages_name_flags_here_and_arguments_in_python(tmp_path: Path) -> None:
    result = call("evaluate", "recency")
    assert "add --dataset, icews14 say" in result.stderr
    with pytest.raises(tgap.errors.ConfigError, match="add `dataset`, icews14 say"):
        tgap.load("recency")
    (tmp_path / "bad.csv").write_text("s,r,o,t\n" + "a,b,c,2020-01-01\n" * 30 + "a,,c,2020-01-01\n", encoding="utf-8")
    bad = call("data", "import", tmp_path / "bad.csv", "--out", tmp_path / "mine")
    assert bad.exit_code == 2
    assert "mend it or skip it with --skip-bad" in bad.stderr
    assert "`" not in bad.stderr
