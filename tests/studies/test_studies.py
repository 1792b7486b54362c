"""Studies as values: called from Python they give what the command line gives, and a file is all it takes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tgap
from tests.explain.small_dataset import small_dataset, small_explainer
from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.asking.operation import OperationFolder
from tgap.cli.main import cli
from tgap.errors import QueryError
from tgap.studies import STUDIES

Called = tuple[str, dict[str, Any], list[str]]  # study, options in Python, options of the command
QUESTION = ("Meridona", "Visit", "?", "2012-04-26")
OF_A_MODEL: list[Called] = [
    (
        "displacement",
        {"relations": ("Visit", "Consult"), "limit": 3, "side": "both"},
        ["--relation", "Visit", "--relation", "Consult", "--limit", "3", "--side", "both"],
    ),
    (
        "patterns",
        {"relations": ("Visit",), "limit": 4, "top": 3},
        ["--relation", "Visit", "--limit", "4", "--top", "3"],
    ),
    ("patterns", {"limit": 4, "seed": 2}, ["--limit", "4", "--seed", "2"]),
    ("faithfulness", {"limit": 2, "answers": "true"}, ["--limit", "2", "--answers", "true"]),
    ("causes", {"limit": 6, "past": True}, ["--limit", "6", "--past"]),
]


def from_command_line(*arguments: str) -> Any:
    result = CliRunner().invoke(cli, [*arguments, "--json", "-"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def plain(found: Any) -> Any:
    return json.loads(json.dumps(found.to_dict()))


@pytest.fixture(scope="module")
def model(run_folder: Path) -> Model:
    return load_model(run_folder)


@pytest.mark.parametrize("name", STUDIES.names)
def test_every_study_says_what_it_is(name: str) -> None:
    study = STUDIES.find(name)
    assert study.name == name
    assert study.summary == STUDIES.summary(name)
    assert hasattr(study.document, "to_dict")
    for field in study.options.model_fields.values():
        assert field.description
    called = getattr(tgap.studies, name)
    assert called.__doc__.startswith(study.summary)
    first = next(iter(inspect.signature(called).parameters), "")
    assert (first == "model") == (study.on == "model")
    assert not (Path(tgap.studies.__path__[0]) / f"{name}.py").exists()  # a module would stand in the study's place
    assert not (Path(tgap.studies.__path__[0]) / name).exists()


@pytest.mark.parametrize(("name", "options", "arguments"), OF_A_MODEL)
def test_python_and_the_command_line_give_the_same(
    name: str, options: dict[str, Any], arguments: list[str], model: Model, run_folder: Path
) -> None:
    found = plain(getattr(tgap.studies, name)(model, **options))
    assert found == from_command_line("study", name, str(run_folder), *arguments)
    assert found["schema"].startswith(f"tgap.{name}/")


@pytest.mark.parametrize("name", ["sampling", "case"])
def test_studies_of_a_question_take_it_as_operations_do(name: str, model: Model, run_folder: Path) -> None:
    call = getattr(tgap.studies, name)
    found = plain(call(model, *QUESTION))
    assert found == plain(call(model, model.question(*QUESTION)))
    assert found == from_command_line("study", name, str(run_folder), *QUESTION)
    named = plain(call(model, *QUESTION, past_only=True))
    assert named == from_command_line("study", name, str(run_folder), *QUESTION, "--past-only")
    assert named != found


def test_sampling_tells_what_it_draws(model: Model) -> None:
    found = tgap.studies.sampling(model, *QUESTION, core=1, sampled=4, added=3)
    first = plain(found)["steps"][0]
    assert (first["core"], len(first["edges"])) == (["Meridona"], 3)
    assert found.draw("svg").startswith(b"<?xml")


def test_other_sizes_need_a_run_folder() -> None:
    dataset = small_dataset()
    unsaved = Model(small_explainer(dataset), dataset)
    question = ("North Korea", "Threaten", "?", "2014-04-29")
    calls: list[Callable[[], object]] = [
        lambda: tgap.studies.sampling(unsaved, *question),
        lambda: tgap.studies.dial(unsaved),
        lambda: tgap.studies.faithfulness(unsaved, limit=1, rows=Path("rows.jsonl")),
    ]
    for call in calls:
        with pytest.raises(QueryError, match="save it first"):
            call()
    assert tgap.studies.faithfulness(unsaved, limit=1).questions <= 1


def test_the_case_is_the_papers_unless_a_whole_question_is_given(model: Model) -> None:
    with pytest.raises(QueryError, match="about ICEWS14"):
        tgap.studies.case(model)
    with pytest.raises(QueryError, match="needs a relation and a time"):
        tgap.studies.case(model, "Meridona")
    found = tgap.studies.case(model, relation="Visit", object="Meridona", time="2012-04-26", edges=2)
    assert found.document.question.asks == "subject"
    assert len(found.document.steps[0].edges) == 2


def test_comparison_and_backtest_without_training(tmp_path: Path) -> None:
    found = tgap.studies.compare("world", methods="recency,frequency", limit=40, out=tmp_path / "python")
    wanted = ["--methods", "recency,frequency", "--limit", "40", "--out", str(tmp_path / "command")]
    command = from_command_line("compare", "world", *wanted)
    assert _untimed(plain(found)) == _untimed(command)
    options = {"since": "2014-11-20", "until": "2014-12-10", "step": 14, "methods": ("recency",), "limit": 20}
    asked = plain(tgap.studies.backtest("icews14-forecast", **options, pasts=("origin",)))
    words = ["--from", "2014-11-20", "--to", "2014-12-10", "--step", "14", "--methods", "recency", "--limit", "20"]
    assert asked == from_command_line("backtest", "icews14-forecast", *words, "--past", "origin")


def _untimed(document: Any) -> Any:
    """A comparison without what differs from run to run."""
    document.pop("environment")
    for method in document["methods"]:
        method["report"].pop("seconds", None)
    return document


def test_runs_of_methods_may_be_a_mapping() -> None:
    read = STUDIES.find("compare").read
    assert read(("world",), {"runs": {"tgap": "runs/mine"}}) == read(("world",), {"runs": ("tgap=runs/mine",)})


def test_mistakes_name_what_is_wrong(model: Model) -> None:
    mistakes: list[tuple[Callable[[], object], str]] = [
        (lambda: tgap.studies.displacement("world"), "'world' was given first"),
        (tgap.studies.displacement, "nothing was given first"),
        (lambda: tgap.studies.displacement(model, relation="Visit"), "unknown option 'relation'"),
        (lambda: tgap.studies.displacement(model, relations=("No such",)), "unknown relation 'No such'"),
        (lambda: tgap.studies.causes(model, within=0), "within is 0"),
        (lambda: tgap.studies.causes(model, watch=None), "unknown option 'watch'"),
    ]
    for call, told in mistakes:
        with pytest.raises(QueryError) as caught:
            call()
        assert told in str(caught.value)
    with pytest.raises(AttributeError, match="its studies are ablation"):
        tgap.studies.displacment  # noqa: B018
    assert {"displacement", "compare"} <= set(dir(tgap.studies))


def test_a_file_in_the_folder_is_a_study_and_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_folder: Path, model: Model
) -> None:
    source = '''"""Count the facts of a dataset."""
from tgap.asking.operation import Operation
from tgap.asking.options import Options
from tgap.asking.record import Record
from tgap.text import Line

class Count(Record):
    """How many."""
    facts: int

OPERATION = Operation(
    name="fact_count",
    summary="Count the facts of a dataset.",
    options=Options,
    reply="tgap.studies.fact_count_study:Count",
    run=lambda model, options: Count(facts=len(model.dataset.train)),
    text=lambda found, options: [Line(str(found.facts))],
)
'''
    (tmp_path / "fact_count_study.py").write_text(source)
    monkeypatch.setattr(tgap.studies, "__path__", [*tgap.studies.__path__, str(tmp_path)])
    monkeypatch.setattr(tgap.studies, "STUDIES", OperationFolder("tgap.studies", tmp_path, "_study"))
    assert "fact-count" in CliRunner().invoke(cli, ["study", "--help"]).output
    assert tgap.studies.fact_count(model).facts == len(model.dataset.train)
    assert from_command_line("study", "fact-count", str(run_folder)) == {"facts": len(model.dataset.train)}
