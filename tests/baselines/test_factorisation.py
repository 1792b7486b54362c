"""Every trained baseline through the seam: train, stop, resume to the same bits, load, evaluate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.training.standin import assert_same_run, small_dataset
from tgap.baselines.factorisation import FactorisationLearner
from tgap.config import RunConfig
from tgap.evaluation import evaluate
from tgap.methods import METHODS, config_for, find_method, make_learner, parse_config
from tgap.runs.folder import RunFolder, create_run
from tgap.runs.load import load_weights
from tgap.scorer import Query, QueryBatch, ScoreKind
from tgap.training.events import Listener, Stepped, StopReason
from tgap.training.interruption import Interruption
from tgap.training.session import train

TRAINED = [name for name in METHODS if METHODS[name].startswith("tgap.baselines.") and find_method(name).learn]
DATASET = small_dataset()


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


class StopAt(Listener):
    """Asks for a stop after a step."""

    def __init__(self, interruption: Interruption, step: int) -> None:
        self._interruption = interruption
        self._step = step

    def on_step(self, event: Stepped) -> None:
        if event.at.step == self._step:
            self._interruption.request()


def small_config(name: str, **values: Any) -> RunConfig:
    small = {"model.rank": 4, "training.epochs": 2.0, "training.batch_size": 50, "training.validate_every": 0.5}
    return config_for(name, "small").with_values({**small, **values})


def train_in(folder: RunFolder, stop_at: int = -1) -> StopReason:
    interruption = Interruption()
    listeners = [StopAt(interruption, stop_at)]
    return train(folder.config(), DATASET, folder=folder, listeners=listeners, interruption=interruption).reason


def test_all_ten_stand_in_the_table() -> None:
    assert len(TRAINED) == 10
    for name in TRAINED:
        assert find_method(name).name == name


@pytest.mark.parametrize("name", TRAINED)
def test_stopping_and_resuming_changes_no_bit(name: str, tmp_path: Path) -> None:
    dropout = {"model.dropout": 0.3} if "dropout" in find_method(name).settings.model_fields else {}
    folders = [
        create_run(tmp_path / part, small_config(name, **dropout), DATASET, threads=1) for part in ("whole", "parts")
    ]
    assert train_in(folders[0]) == "finished"
    assert [train_in(folders[1], stop_at) for stop_at in (2, 5)] == ["interrupted"] * 2
    assert train_in(folders[1]) == "finished"
    assert_same_run(*folders)


@pytest.mark.parametrize("loss", ["sampled", "margin"])
def test_random_entities_are_the_same_after_resuming(loss: str, tmp_path: Path) -> None:
    config = small_config("transe", **{"model.loss": loss, "model.negatives": 3, "model.unit_entities": True})
    folders = [create_run(tmp_path / part, config, DATASET, threads=1) for part in ("whole", "parts")]
    train_in(folders[0])
    assert train_in(folders[1], 4) == "interrupted"
    train_in(folders[1])
    assert_same_run(*folders)


@pytest.mark.parametrize("name", TRAINED)
def test_a_run_is_loaded_with_the_weights_it_was_validated_with(name: str, tmp_path: Path) -> None:
    config = small_config(name)
    folder = create_run(tmp_path / "run", config, DATASET, threads=1)
    assert parse_config(config.to_toml()) == config
    trained = train(config, DATASET, folder=folder).learner
    loaded = make_learner(folder.config(), DATASET)
    load_weights(loaded.module, folder)
    queries = QueryBatch.of([Query(s, r, t) for s in range(12) for r in range(6) for t in (0, 4, 30)])
    np.testing.assert_array_equal(loaded.scorer().score(queries), trained.scorer().score(queries))
    report = evaluate(loaded.scorer(), DATASET, "valid").report
    assert report.of("time").mrr == folder.report()["validation"]["time"]["mrr"]


def test_initial_weights_are_a_function_of_the_seed_and_leave_torchs_generator_alone() -> None:
    config = small_config("ta-distmult")
    state = torch.get_rng_state()
    first, second = make_learner(config, DATASET), make_learner(config, DATASET)
    other = make_learner(config.with_values({"training.seed": 1}), DATASET)
    assert torch.equal(torch.get_rng_state(), state)
    weights = [dict(learner.module.named_parameters()) for learner in (first, second, other)]
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])
    assert not torch.equal(weights[0]["sequence.reader.weight_ih_l0"], weights[2]["sequence.reader.weight_ih_l0"])


@pytest.mark.parametrize("optimiser", ["adagrad", "adam"])
def test_the_settings_choose_the_optimiser(optimiser: str) -> None:
    learner = make_learner(small_config("distmult", **{"model.optimiser": optimiser}), DATASET)
    assert type(learner.optimiser()).__name__.lower() == optimiser


@pytest.mark.parametrize("name", TRAINED)
def test_presets_can_be_built(name: str) -> None:
    for preset in find_method(name).presets:
        config = config_for(name, "icews14", preset)
        assert isinstance(config.model, find_method(name).settings)
        assert config.training.batch_size > 100


def test_softmax_gives_log_probabilities_and_a_margin_an_order() -> None:
    queries = QueryBatch.of([Query(0, 0, 0), Query(3, 4, 9)])
    for loss, kind in (("softmax", ScoreKind.LOG_PROBABILITY), ("margin", ScoreKind.ORDER)):
        scorer = make_learner(small_config("distmult", **{"model.loss": loss}), DATASET).scorer()
        assert scorer.kind is kind
        chances = kind.probabilities(scorer.score(queries))
        if chances is not None:
            np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-5)


def test_the_learner_refuses_the_settings_of_another_method() -> None:
    with pytest.raises(AssertionError, match="its own settings"):
        FactorisationLearner("TransE", lambda *_: None, DATASET, config_for("recency", "small"))  # type: ignore[arg-type]
