"""What a search may vary: read from TOML, checked against the method's settings."""

from __future__ import annotations

import tomllib

import pytest

from tgap.errors import ConfigError
from tgap.methods import METHODS, config_for, find_method
from tgap.tuning.space import Choice, Range, read_space


def test_values_become_what_the_setting_is() -> None:
    base = config_for("tgap", "world")
    space = read_space(
        tomllib.loads('settings = { "training.clip_norm" = { low = 1, high = 5, step = 2 }, "heads" = [3, 4] }')
    )
    assert space.settings == {"training.clip_norm": Range(1, 5, step=2), "heads": Choice((3, 4))}
    config = space.config(base, {"training.clip_norm": 3, "heads": 4})
    assert config.training.clip_norm == 3.0
    assert isinstance(config.training.clip_norm, float)
    assert dict(config.model)["heads"] == 4


@pytest.mark.parametrize(
    ("domain", "values"),
    [
        (Range(1, 5, step=1), (1, 2, 3, 4, 5)),
        (Range(0.0, 1.0, step=0.25), (0.0, 0.25, 0.5, 0.75, 1.0)),
        (Range(1, 100, log=True, points=3), (1, 10, 100)),
        (Range(1, 3, points=9), (1, 2, 3)),
        (Range(0.1, 0.2), ()),
        (Choice(("a", "b")), ("a", "b")),
    ],
)
def test_ranges_as_lists(domain: Range | Choice, values: tuple[object, ...]) -> None:
    assert domain.listed() == values


def test_points_of_a_range_are_evenly_apart_in_logarithms() -> None:
    listed = Range(5e-5, 5e-2, log=True, points=4).listed()
    assert listed == pytest.approx((5e-5, 5e-4, 5e-3, 5e-2))
    assert (listed[0], listed[-1]) == (5e-5, 5e-2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("search = 3", "the space varies nothing"),
        ('search = "grid"\n[settings]\nheads = [1]', "search of the space is 'grid'; expected one of tpe, in turn"),
        ('metric = "mr"\n[settings]\nheads = [1]', "metric of the space is 'mr'; expected one of mrr, hits1"),
        ("sets = 1", "unknown key 'sets'; expected settings, search, metric"),
        ("[settings]\nheads = []", "heads is []; expected a list of values, or a range like"),
        ("[settings]\nheads = { low = 1 }", "expected a list of values, or a range like"),
        ("[settings]\nheads = { low = 1, high = 'x' }", "expected numbers for low, high, step and points"),
        ("[settings]\nheads = { low = 3, high = 1 }", "heads goes from 3 to 1; expected low < high"),
        ("[settings]\nheads = { low = 0, high = 1, log = true }", "above 0 with log"),
        ("[settings]\nheads = { low = 1, high = 5, points = 1 }", "heads has 1 points; expected at least 2"),
        ("[settings]\nheads = { low = 1, high = 5, step = 0 }", "heads has step 0; expected more than 0"),
    ],
)
def test_a_wrong_space_is_told_in_one_line(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_space(tomllib.loads(text))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model.haeds": [3]}, "unknown setting 'model.haeds'; did you mean model.heads"),
        ({"model.heads": [3, 99]}, "model.heads is 99; expected at most 16"),
        ({"model.heads": ["many"]}, "model.heads is 'many'; expected a whole number"),
        ({"training.learning_rate": {"low": 1e-4, "high": 1e-2}}, "a search in turn needs its step or its number"),
    ],
)
def test_a_space_that_does_not_fit_the_method(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_space({"search": "in turn", "settings": settings}).check(config_for("tgap", "world"))
    assert words in str(caught.value)


def test_every_space_that_a_method_brings_fits_it() -> None:
    seen = 0
    for name in METHODS:
        for values in find_method(name).spaces.values():
            read_space(values).check(config_for(name, "world"))
            seen += 1
    assert seen >= 12
