"""tgap evaluate with the baselines: what is printed, what is written, and what is refused."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner, Result

from tgap.asking.operations import OPERATIONS
from tgap.cli.generated import command_of
from tgap.errors import CapabilityError, ConfigError, DataError, RunError, TgapError

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    def call(*arguments: str | Path) -> Result:
        command = command_of(OPERATIONS.find("evaluate"))
        return CliRunner(env={"COLUMNS": "80"}).invoke(command, [str(argument) for argument in arguments])

    return call


def test_table_shows_both_baselines_and_states_the_protocol(run: Run) -> None:
    result = run("recency", "--dataset", "world")
    assert result.exit_code == 0, result.output
    assert "world, test:" in result.output
    for word in ("recency", "frequency", "raw", "static", "time", "MRR", "Hits@10", "Mean rank"):
        assert word in result.output
    assert "Ties: mean rule" in result.output
    assert "Filter time: entities true for (subject, relation) at that time step aside." in result.output
    assert result.output.index("recency") < result.output.index("frequency")
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_what_was_asked_for_stands_first(run: Run) -> None:
    output = run("frequency", "--dataset", "world").output
    assert output.index("frequency") < output.index("recency")


def test_one_protocol_without_baselines(run: Run) -> None:
    output = run("recency", "--dataset", "world", "--protocol", "time", "--no-baselines").output
    assert "frequency" not in output
    assert "static" not in output


def test_details_print_the_breakdowns(run: Run) -> None:
    output = run("recency", "--dataset", "world", "--details").output
    for title in (
        "by relation",
        "by train events",
        "by true answers",
        "to the nearest train event",
        "by entities known",
    ):
        assert title in output


def test_files_are_written(run: Run, tmp_path: Path) -> None:
    endings = {"json": "json", "csv": "csv", "markdown": "md", "predictions": "parquet"}
    files = {kind: tmp_path / "results" / f"out.{ending}" for kind, ending in endings.items()}
    options = [part for kind, path in files.items() for part in (f"--{kind}", path)]
    result = run("recency", "--dataset", "world", "--split", "valid", "--top", "3", *options)
    assert result.exit_code == 0, result.output
    value = json.loads(files["json"].read_text(encoding="utf-8"))
    assert value["split"] == "valid"
    for protocol in ("raw", "static", "time"):
        assert set(value[protocol]) == {"mrr", "hits1", "hits3", "hits10", "mean_rank"}
    assert list(value["baselines"]) == ["frequency"]
    assert files["csv"].read_text(encoding="utf-8").startswith("scorer,dataset,split,")
    assert files["markdown"].read_text(encoding="utf-8").startswith("# world, valid: ")
    frame = pl.read_parquet(files["predictions"])
    assert frame.height == value["queries"]["ranked"]
    assert set(frame["top"].list.len()) == {3}
    assert (1 / frame["rank_time"]).mean() == pytest.approx(value["time"]["mrr"])
    for path in files.values():
        assert f"wrote {path}" in result.output


def test_predictions_hold_ten_answers_unless_told_otherwise(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    result = run("recency", "--dataset", "world", "--limit", "20", "--no-baselines", "--predictions", target)
    assert result.exit_code == 0, result.output
    assert set(pl.read_parquet(target)["top"].list.len()) == {10}


def test_a_sample_is_the_same_for_the_same_seed(run: Run, tmp_path: Path) -> None:
    def figures(seed: int) -> dict[str, float]:
        path = tmp_path / "sample.json"
        result = run("recency", "--dataset", "world", "--limit", "20", "--seed", str(seed), "--json", path)
        assert "20 of " in result.output
        found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))["time"]
        return found

    assert figures(1) == figures(1)
    assert figures(1) != figures(2)


@pytest.mark.parametrize(("option", "starts"), [("--json", "{"), ("--csv", "scorer,"), ("--markdown", "# world")])
def test_a_dash_prints_the_text_and_nothing_else(run: Run, option: str, starts: str) -> None:
    result = run("recency", "--dataset", "world", "--limit", "20", option, "-")
    assert result.stdout.startswith(starts)
    assert "wrote" not in result.stdout
    assert not Path("-").exists()
    if option == "--json":
        assert json.loads(result.stdout)["queries"]["ranked"] == 20


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["recency"], ConfigError, "recency is a method, not a run, and needs a dataset"),
        (["recency", "--dataset", "nowhere"], DataError, "nowhere"),
        (["no-such-run"], RunError, "no-such-run.*or a method without training"),
        (["no-such-run", "--protocol", "best"], TgapError, "best"),
        (["recency", "--dataset", "world", "--json", "/"], ConfigError, "is a folder"),
    ],
)
def test_mistakes_are_one_clear_line(run: Run, arguments: list[str], error: type[TgapError], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, error)
    with pytest.raises(error, match=message):
        raise result.exception
    assert "\n" not in str(result.exception)


def test_a_target_inside_a_file_is_refused_before_scoring(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    result = run("recency", "--dataset", "world", "--csv", tmp_path / "file" / "out.csv")
    assert isinstance(result.exception, ConfigError)
    assert "is no folder that may be written to" in str(result.exception)
    assert "world, test" not in result.output


def test_a_run_folder_knows_its_dataset(run: Run, tmp_path: Path) -> None:
    from tgap.data import load_dataset
    from tgap.methods import config_for
    from tgap.runs import create_run

    folder = tmp_path / "run"
    create_run(folder, config_for("frequency", "world"), load_dataset("world"))
    result = run(folder, "--limit", "50")
    assert result.exit_code == 0, result.exception
    assert result.output.index("frequency") < result.output.index("recency")
    refused = run(folder, "--dataset", "icews14")
    assert isinstance(refused.exception, CapabilityError)
    assert "answers about world only" in str(refused.exception)


PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"


def shown_commands() -> dict[str, list[str]]:
    """Commands of the protocol page, each with all output printed under it."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    found: dict[str, list[str]] = {}
    for command, output in (part.split("\n", 1) for part in parts):
        found.setdefault(command, []).extend(output.split("...\n"))
    return found


@pytest.mark.parametrize(("command", "shown"), shown_commands().items())
def test_the_protocol_page_shows_what_the_commands_print(run: Run, command: str, shown: list[str]) -> None:
    program, name, *arguments = shlex.split(command)
    assert (program, name) == ("tgap", "evaluate")
    result = run(*arguments)
    if isinstance(result.exception, DataError):
        pytest.skip(str(result.exception))
    assert result.exit_code == 0, result.output

    def timeless(text: str) -> str:
        return re.sub(r"[ \t]+$", "", re.sub(r"^Seconds: .*$", "", text, flags=re.MULTILINE), flags=re.MULTILINE)

    printed = timeless(result.output)
    for excerpt in shown:
        assert timeless(excerpt).strip("\n") in printed
