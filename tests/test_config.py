from __future__ import annotations

from dataclasses import fields, replace

import pytest

from tgap.config import _PAPER_MODEL, _PAPER_TRAINING, PRESETS, ModelConfig, RunConfig, TrainingConfig, preset
from tgap.errors import ConfigError


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("dataset", ["icews14", "icews05-15", "wikidata11k", "wikidata11k-clean", "world", "mine"])
def test_toml_round_trip(name: str, dataset: str) -> None:
    config = preset(name, dataset)
    assert RunConfig.from_toml(config.to_toml()) == config
    assert config.dataset == dataset


def test_paper_preset_carries_the_papers_settings() -> None:
    # reference/paper_results.json of the paper: x, y, z, batch size, clip norm
    wanted = {"icews14": (100, 500, 500, 16, 3.0), "icews05-15": (10, 100, 100, 8, 3.0)}
    wanted |= {"wikidata11k": (50, 200, 200, 8, 5.0), "wikidata11k-clean": (50, 200, 200, 8, 5.0)}
    wanted |= {"icews14-unseen": (100, 500, 500, 16, 3.0)}
    for dataset, expected in wanted.items():
        config = preset("paper", dataset)
        model, training = config.model, config.training
        found = (model.core_nodes, model.sampled_edges, model.added_edges, training.batch_size, training.clip_norm)
        assert found == expected
        assert (model.dimension, model.heads, model.steps) == (100, 5, 3)
        assert (training.epochs, training.learning_rate, training.schedule) == (10, 5e-4, "plateau")
        assert training.select_by == "hits1"


def test_the_paper_preset_does_not_follow_our_defaults() -> None:
    """Every field that says what is learned and how is named in it."""
    about_speed = {"displacement_exact", "displacement_octave", "walk_cap", "gather_cap", "cap_choice", "lazy"}
    about_runs = {"validation_queries", "seed", "log_steps", "checkpoint_minutes", "max_minutes", "decay_share"}
    by_dataset = {"core_nodes", "sampled_edges", "added_edges", "batch_size", "clip_norm"}
    names = {field.name for owner in (ModelConfig, TrainingConfig) for field in fields(owner)}
    assert names == set(_PAPER_MODEL) | set(_PAPER_TRAINING) | about_speed | about_runs | by_dataset


def test_values_from_text() -> None:
    config = preset("recommended").with_values(
        {"model.steps": "4", "lazy": "true", "learning_rate": "2e-3", "dataset": "icews14", "schedule": "cosine"}
    )
    assert (config.model.steps, config.model.lazy, config.dataset) == (4, True, "icews14")
    assert (config.training.learning_rate, config.training.schedule) == (2e-3, "cosine")


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        ({"model.step": "4"}, ["model.step", "did you mean model.steps"]),
        ({"steps": "four"}, ["steps", "'four'", "whole number"]),
        ({"batch_size": "8"}, ["ambiguous", "training.batch_size", "evaluation.batch_size"]),
        ({"schedule": "stairs"}, ["schedule", "'stairs'", "plateau"]),
        ({"lazy": "maybe"}, ["lazy", "true or false"]),
        ({"model.heads": "0"}, ["model.heads is 0", "at least 1"]),
        ({"model.heads": "17"}, ["model.heads is 17", "at most 16"]),
        ({"model.dimension": "3"}, ["model.heads is 5", "more than model.dimension 3"]),
        ({"training.learning_rate": "0"}, ["training.learning_rate", "more than 0"]),
        ({"model.pgnn_layers": "3"}, ["pgnn_layers is 3", "0, 1 or 2"]),
        ({"training.learning_rate": "inf"}, ["training.learning_rate is inf", "finite"]),
        ({"training.clip_norm": "nan"}, ["training.clip_norm is nan", "finite"]),
        ({"training.seed": str(2**70)}, ["training.seed", "less than 2147483648"]),
        ({"sampling_seed": str(2**63)}, ["evaluation.sampling_seed", "less than 2147483648"]),
        ({"core_nodes": str(10**7)}, ["model.core_nodes is 10000000", "at most 1000000"]),
        ({"zzz.qqq": "1"}, ["zzz.qqq"]),
    ],
)
def test_bad_values_are_named(values: dict[str, str], parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        preset("recommended").with_values(values)
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[model]\ncolour = 3", "model.colour"),
        ("[model]\nsteps = 'three'", "model.steps"),
        ("[model]\nsteps = true", "model.steps"),
        ("[model]\ndisplacement = 'sideways'", "relative, absolute"),
        ("model = 3", "a table of settings"),
        ("steps =", "not valid TOML"),
    ],
)
def test_bad_toml_is_named(text: str, part: str) -> None:
    with pytest.raises(ConfigError, match=part):
        RunConfig.from_toml(text)


def test_lazy_features_need_a_subgraph_and_one_layer() -> None:
    for values in ({"pgnn_layers": 2}, {"subgraph": False}):
        with pytest.raises(ConfigError, match=r"model\.lazy"):
            replace(ModelConfig(lazy=True), **values)


def test_whole_numbers_serve_as_numbers() -> None:
    assert RunConfig.from_toml("[training]\nlearning_rate = 1").training == TrainingConfig(learning_rate=1.0)


def test_unknown_preset() -> None:
    with pytest.raises(ConfigError, match="fancy"):
        preset("fancy")
