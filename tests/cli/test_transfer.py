"""A trained model on facts of one's own, without training: from a file to an explained answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.asking.run_folder import make_run
from tgap.cli.main import run
from tgap.data import load_dataset
from tgap.distributed.source import AnswerSource
from tgap.runs import load_scorer
from tgap.runs.load import TransferWarning
from tgap.server.models import Models


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("transfer") / "run")


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Facts of the world's relations, written otherwise, about others; one entity has a name that the world knows."""
    place = tmp_path_factory.mktemp("mine")
    relation = load_dataset("world").relations.names[0].replace(" ", "_").upper()
    known = load_dataset("world").entities.names[0]
    lines = ["who,what,whom,day"]
    for day in range(1, 29):
        lines += [
            f"Ann {day % 5},{relation},Bob {day % 3},2020-01-{day:02d}",
            f"{known},shouts at,Ann 1,2020-02-{day:02d}",
        ]
    (place / "events.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run(["data", "import", str(place / "events.csv"), "--out", str(place / "mine")]) == 0
    return str(place / "mine")


def test_from_a_file_to_an_explained_answer_without_training(
    trained: Path, mine: str, capsys: pytest.CaptureFixture[str]
) -> None:
    relation = load_dataset("world").relations.names[0]
    assert run(["explain", str(trained), "Ann 1", relation, "2020-01-30", "--dataset", mine, "--json", "-"]) == 0
    shown = capsys.readouterr()
    assert "was trained on world, not on mine: it knows 1 of its 2 relations and 1 of its" in shown.err
    assert json.loads(shown.out)["answer"]["name"] in load_dataset(mine).entities
    assert run(["predict", str(trained), "Ann 1", relation, "2020-01-30", "--dataset", mine]) == 0
    assert run(["evaluate", str(trained), "--dataset", mine, "--limit", "6"]) == 0
    assert "mine, test" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::tgap.runs.load.TransferWarning")
def test_answers_about_other_facts_have_another_name(trained: Path, mine: str) -> None:
    own, other = AnswerSource(str(trained)), AnswerSource(str(trained), mine)
    assert own.name(own.load()) != other.name(other.load())


def test_one_run_is_served_on_other_facts_and_several_are_on_their_own(trained: Path, mine: str) -> None:
    with pytest.warns(TransferWarning):
        assert Models.from_runs([trained], mine).first.model.dataset.name == "mine"
    several = Models.from_runs([trained, "recency"], mine)
    assert [several.choose(name).model.dataset.name for name in (trained.name, "recency")] == ["world", "mine"]


def test_probabilities_are_not_calibrated_where_nothing_was_measured(trained: Path, mine: str) -> None:
    with pytest.warns(TransferWarning):
        loaded = load_scorer(trained, dataset=mine)
    assert loaded.calibration is None
    assert loaded.report == {"trained_on": "world"}, "no metrics of other facts"
    assert loaded.config.dataset == mine


@pytest.mark.parametrize("method", ["distmult", "frequency"])
def test_a_method_that_learns_entities_by_heart_stays_where_it_is(method: str, mine: str, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", method)
    assert run(["evaluate", str(folder), "--dataset", mine]) == 2
