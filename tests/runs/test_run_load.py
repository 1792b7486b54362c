"""Loading and shipping a trained run, with the real model on the synthetic world."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.locks import locked_elsewhere
from tgap.capabilities import capabilities_of
from tgap.data import load_dataset
from tgap.errors import ConfigError, DataError, RunError
from tgap.kernels import num_threads, set_threads
from tgap.methods import config_for
from tgap.runs import RunFolder, create_run, export_run, load_scorer
from tgap.runs import folder as folder_module
from tgap.runs.files import read_tensors, write_tensors
from tgap.scorer import Query, QueryBatch
from tgap.training.session import reopen_run, train

TINY = {"dimension": 8, "heads": 2, "core_nodes": 3, "sampled_edges": 10, "added_edges": 10}
SHORT = {"epochs": 0.03, "validation_queries": 20}
QUERIES = QueryBatch.of([Query(3, 1, 100), Query(7, 20, 50)])


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    before = num_threads()
    set_threads(1)
    config = config_for("tgap", "world").with_values({**TINY, **SHORT})
    dataset = load_dataset("world")
    folder = create_run(tmp_path_factory.mktemp("runs") / "run", config, dataset, threads=1)
    assert train(config, dataset, folder=folder).reason == "finished"
    set_threads(before)
    return folder


@pytest.fixture
def copy(trained: RunFolder, tmp_path: Path) -> RunFolder:
    shutil.copytree(trained.path, tmp_path / "copy")
    return RunFolder(tmp_path / "copy")


def test_a_run_is_loaded_with_its_dataset_and_report(trained: RunFolder) -> None:
    loaded = load_scorer(trained.path)
    assert capabilities_of(loaded.scorer).walks is loaded.scorer
    assert loaded.dataset.name == "world"
    assert loaded.config == trained.config()
    assert loaded.report["status"] == "finished"
    assert loaded.folder == trained.path
    scores = loaded.scorer.score(QUERIES)
    assert scores.shape == (2, loaded.dataset.num_entities)
    assert scores.sum(axis=1) == pytest.approx(1.0, abs=1e-4)


def test_the_shipped_form_answers_the_same_and_is_small(trained: RunFolder, tmp_path: Path) -> None:
    shipped = export_run(trained.path, tmp_path / "shipped", {"test": {"time": {"mrr": 0.5}}})
    assert sorted(path.name for path in shipped.path.iterdir()) == [
        "config.toml",
        "environment.json",
        "report.json",
        "weights.safetensors",
    ]
    loaded = load_scorer(shipped.path)
    assert loaded.report["test"] == {"time": {"mrr": 0.5}}
    assert loaded.report["validation"] == trained.report()["validation"]
    assert np.array_equal(loaded.scorer.score(QUERIES), load_scorer(trained.path).scorer.score(QUERIES))
    with pytest.raises(RunError, match="nothing to resume"), reopen_run(shipped.path, {}):
        pass


def test_a_run_with_its_data_answers_where_the_dataset_is_not(
    trained: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = export_run(trained.path, tmp_path / "shipped", with_data=True)
    scores = load_scorer(trained.path).scorer.score(QUERIES)

    def nowhere(name: str) -> None:
        raise DataError(f"no dataset {name!r}")

    monkeypatch.setattr(folder_module, "load_dataset", nowhere)
    loaded = load_scorer(shipped.path)
    assert loaded.dataset.name == "world"
    assert np.array_equal(loaded.scorer.score(QUERIES), scores)
    with pytest.raises(DataError, match="no dataset 'world'"):
        load_scorer(trained.path)


def test_weights_that_are_missing_damaged_or_of_another_run_are_named(copy: RunFolder) -> None:
    tensors, metadata = read_tensors(copy.weights_file)
    write_tensors(copy.weights_file, {**tensors, "entity": tensors["entity"][:, :4]}, metadata)
    with pytest.raises(RunError, match=r"does not fit its config\.toml: entity differ"):
        load_scorer(copy.path)
    copy.weights_file.write_bytes(copy.weights_file.read_bytes()[:-8])
    with pytest.raises(RunError, match=r"weights\.safetensors is damaged"):
        load_scorer(copy.path)
    copy.weights_file.unlink()
    with pytest.raises(RunError, match="has no weights yet; train on with: tgap train --resume"):
        load_scorer(copy.path)
    with pytest.raises(RunError, match="has no weights to export"):
        export_run(copy.path, copy.path.parent / "other")


def test_a_dataset_with_another_checksum_is_refused(copy: RunFolder) -> None:
    environment = copy.environment()
    copy.update_environment(dataset={**environment["dataset"], "checksum": "0" * 64})
    with pytest.raises(RunError, match="was made with 0000"):
        load_scorer(copy.path)
    with pytest.raises(RunError, match="was made with 0000"), reopen_run(copy.path, {}):
        pass


@pytest.mark.parametrize(
    ("key", "value"), [("training.batch_size", 16), ("model.steps", 2), ("evaluation.sampling_seed", 7)]
)
def test_what_decides_the_course_may_not_change_on_resume(copy: RunFolder, key: str, value: int) -> None:
    before = copy.config_file.read_bytes()
    words = rf"{key} is .* cannot become {value} .*; only training\.epochs, "
    with pytest.raises(RunError, match=words), reopen_run(copy.path, {key: value}):
        pass
    shutil.rmtree(copy.checkpoints)  # not even before the first checkpoint
    copy.weights_file.unlink()
    with pytest.raises(RunError, match=words), reopen_run(copy.path, {key: value}):
        pass
    assert copy.config_file.read_bytes() == before


def test_limits_and_step_length_may_change_on_resume(copy: RunFolder) -> None:
    changes = {"max_minutes": 7.0, "learning_rate": 1e-4, "clip_norm": 1.0, "evaluation.batch_size": 8}
    with reopen_run(copy.path, changes) as run:
        assert run.config == run.folder.config() == run.folder.config().with_values(changes)
        assert run.changed["training.max_minutes"] == [0.0, 7.0]
        assert len(run.changed) == 4
        assert train(run.config, run.dataset, folder=run.folder).reason == "finished"


def test_a_run_that_is_being_trained_keeps_its_settings(copy: RunFolder) -> None:
    before = copy.config_file.read_bytes()
    refused = pytest.raises(RunError, match="another process is training")
    with locked_elsewhere(copy), refused, reopen_run(copy.path, {"max_minutes": 7.0}):
        pass
    assert copy.config_file.read_bytes() == before


def test_a_baseline_is_not_trained(tmp_path: Path) -> None:
    dataset = load_dataset("world")
    folder = create_run(tmp_path / "run", config_for("recency", "world"), dataset)
    with pytest.raises(ConfigError, match="recency needs no training"):
        train(folder.config(), dataset, folder=folder)
    with pytest.raises(RunError, match="recency needs no training"), reopen_run(folder.path, {}):
        pass
