from __future__ import annotations

import pytest

from tgap.config import RunConfig, TrainingConfig
from tgap.errors import ConfigError
from tgap.methods import METHODS, config_for, find_method, parse_config
from tgap.methods.tgap import METHOD, PAPER_MODEL, PAPER_TRAINING
from tgap.model.settings import TGAPSettings


def changed(**texts: str) -> RunConfig:
    """The recommended settings with values given as on the command line; __ stands for the dot."""
    config = config_for("tgap", "world")
    return config.with_values(config.values_of({name.replace("__", "."): text for name, text in texts.items()}))


@pytest.mark.parametrize("name", METHOD.presets)
@pytest.mark.parametrize("dataset", ["icews14", "icews05-15", "wikidata11k", "wikidata11k-clean", "world", "mine"])
def test_toml_round_trip(name: str, dataset: str) -> None:
    config = config_for("tgap", dataset, name)
    assert parse_config(config.to_toml()) == config
    assert config.dataset == dataset


def test_paper_preset_carries_the_papers_settings() -> None:
    # reference/paper_results.json of the paper: x, y, z, batch size, clip norm
    wanted = {"icews14": (100, 500, 500, 16, 3.0), "icews05-15": (10, 100, 100, 8, 3.0)}
    wanted |= {"wikidata11k": (50, 200, 200, 8, 5.0), "wikidata11k-clean": (50, 200, 200, 8, 5.0)}
    wanted |= {"icews14-unseen": (100, 500, 500, 16, 3.0)}
    for dataset, expected in wanted.items():
        config = config_for("tgap", dataset, "paper")
        model, training = config.model, config.training
        assert isinstance(model, TGAPSettings)
        found = (model.core_nodes, model.sampled_edges, model.added_edges, training.batch_size, training.clip_norm)
        assert found == expected
        assert (model.dimension, model.heads, model.steps) == (100, 5, 3)
        assert (training.epochs, training.learning_rate, training.schedule) == (10, 5e-4, "plateau")
        assert training.select_by == "hits1"


def test_the_paper_preset_does_not_follow_our_defaults() -> None:
    """Every field that says what is learned and how is named in it."""
    about_runs = {"seed", "log_steps", "checkpoint_minutes", "max_minutes"}
    by_dataset = {"core_nodes", "sampled_edges", "added_edges", "batch_size", "clip_norm"}
    names = {*TGAPSettings.model_fields, *TrainingConfig.model_fields}
    assert names == {*PAPER_MODEL, *PAPER_TRAINING} | about_runs | by_dataset


@pytest.mark.parametrize("name", METHODS)
def test_every_setting_has_a_description_and_every_preset_is_valid(name: str) -> None:
    method = find_method(name)
    assert method.name == name
    for owner in (method.settings, TrainingConfig):
        assert all(field.description for field in owner.model_fields.values())
    for preset in method.presets:
        assert config_for(name, "icews14", preset).method == name


def test_choices_that_are_numbers_are_read_from_text() -> None:
    config = config_for("tcomplex", "world")
    assert config.values_of({"model.time_power": "4"}) == {"model.time_power": 4}
    with pytest.raises(ConfigError, match=r"model.time_power is '5'; expected one of 3, 4"):
        config.values_of({"model.time_power": "5"})


def test_values_from_text() -> None:
    config = changed(model__steps="4", lazy="true", learning_rate="2e-3", dataset="icews14", schedule="cosine")
    assert isinstance(config.model, TGAPSettings)
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
        ({"model.pgnn_layers": "3"}, ["model.pgnn_layers is 3", "at most 2"]),
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
        changed(**{name.replace(".", "__"): text for name, text in values.items()})
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[model]\ncolour = 3", "model.colour"),
        ("colour = 3", "colour"),
        ("[training]\nepoch = 3", "training.epoch.*did you mean training.epochs"),
        ("[model]\nsteps = 'three'", "model.steps"),
        ("[model]\nsteps = true", "model.steps"),
        ("[model]\ndisplacement = 'sideways'", "relative, absolute"),
        ("model = 3", "a table of settings"),
        ("steps =", "not valid TOML"),
    ],
)
def test_bad_toml_is_named(text: str, part: str) -> None:
    with pytest.raises(ConfigError, match=part):
        parse_config(f'dataset = "world"\nmethod = "tgap"\n{text}')


def test_lazy_features_need_a_subgraph_and_one_layer() -> None:
    for values in ({"pgnn_layers": 2}, {"subgraph": False}):
        with pytest.raises(ConfigError, match=r"model\.lazy"):
            TGAPSettings(lazy=True).replace(**values)


def test_values_from_python_are_values_and_not_text() -> None:
    config = config_for("tgap", "world").with_values({"model.steps": 4, "training.epochs": 1})
    assert config.training.epochs == 1.0
    with pytest.raises(ConfigError, match=r"model\.steps is '4'; expected a whole number"):
        config.with_values({"model.steps": "4"})


def test_what_differs_between_two_configs_is_named() -> None:
    before = config_for("tgap", "world")
    after = before.with_values({"steps": 2, "dataset": "mine"})
    assert before.changes(after) == {"dataset": ["world", "mine"], "model.steps": [3, 2]}
    assert before.changes(before) == {}


def test_unknown_names_of_presets_and_methods() -> None:
    with pytest.raises(ConfigError, match="'fancy' of tgap; expected one of recommended, paper"):
        config_for("tgap", "world", "fancy")
    with pytest.raises(ConfigError, match="unknown method 'fancy'; expected one of tgap, "):
        config_for("fancy", "world")


def test_configs_of_version_0_1_are_read() -> None:
    text = 'dataset = "icews14"\nscorer = "tgap"\n[model]\nsteps = 4\n[training]\nsiblings = "together"\nepochs = 2.0'
    config = parse_config(text)
    assert config == config_for("tgap", "icews14").with_values({"steps": 4, "siblings": "together", "epochs": 2.0})
    counter = parse_config('dataset = "icews14"\nscorer = "recency"\n[model]\nsteps = 4')
    assert counter == config_for("recency", "icews14")
