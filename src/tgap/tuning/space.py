"""What a search may vary: settings by their dotted names, each with a list of values or a range.

A space is written in TOML, and methods bring theirs in the same form (``Method.spaces``):

    search = "tpe"                # or "in turn": one setting after the other, the others at their best so far
    metric = "mrr"                # or "hits1"; time-filtered, on validation

    [settings]
    "model.core_nodes" = [10, 20, 50]
    "training.learning_rate" = { low = 1e-4, high = 1e-2, log = true }
    "training.clip_norm" = { low = 1, high = 5, step = 1 }

A search in turn needs values that can be listed, so a range has a ``step`` or a number of ``points`` there.

>>> space = read_space({"settings": {"model.rank": [50, 100]}})
>>> space.settings["model.rank"].values
(50, 100)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from tgap.config import RunConfig
from tgap.errors import ConfigError

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Search = Literal["tpe", "in turn"]
Metric = Literal["mrr", "hits1"]
_RANGE_KEYS = {"low", "high", "log", "step", "points"}


@dataclass(frozen=True)
class Choice:
    """One of some values."""

    values: tuple[Any, ...]

    def listed(self) -> tuple[Any, ...]:
        """All of them."""
        return self.values

    def distribution(self) -> BaseDistribution:
        """For Optuna."""
        from optuna.distributions import CategoricalDistribution  # noqa: PLC0415  an extra

        return CategoricalDistribution(self.values)


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included; whole ones if both are."""

    low: float
    high: float
    log: bool = False
    step: float | None = None
    points: int | None = None  # how many of them a list has

    @property
    def whole(self) -> bool:
        """Whether the numbers are whole."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def listed(self) -> tuple[Any, ...]:
        """The range as values, the ends included; empty if nothing says how many."""
        if self.points is not None:
            low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
            at = [low + (high - low) * index / (self.points - 1) for index in range(self.points)]
            values = [self.low, *((math.exp(value) if self.log else value) for value in at[1:-1]), self.high]
        elif self.step is not None:
            count = math.floor((self.high - self.low) / self.step + 1e-9)
            values = [self.low + index * self.step for index in range(count + 1)]
        else:
            return ()
        return tuple(dict.fromkeys(round(value) if self.whole else value for value in values))

    def distribution(self) -> BaseDistribution:
        """For Optuna."""
        from optuna.distributions import FloatDistribution, IntDistribution  # noqa: PLC0415  an extra

        if self.whole:
            step = 1 if self.step is None else int(self.step)
            return IntDistribution(int(self.low), int(self.high), log=self.log, step=step)
        return FloatDistribution(self.low, self.high, log=self.log, step=self.step)


@dataclass(frozen=True)
class Space:
    """What is varied, how it is searched, and what counts."""

    settings: Mapping[str, Choice | Range]
    search: Search = "tpe"
    metric: Metric = "mrr"

    def check(self, base: RunConfig) -> None:
        """Refuse a setting that the method does not have, or a value that it does not take."""
        for name, domain in self.settings.items():
            values = domain.listed() if isinstance(domain, Choice) else (domain.low, domain.high)
            for value in values:
                self.config(base, {name: value})
            if self.search == "in turn" and not domain.listed():
                raise ConfigError(f"{name} is a range; a search in turn needs its step or its number of points")

    def config(self, base: RunConfig, values: Mapping[str, Any]) -> RunConfig:
        """The settings of one trial. A number becomes what the setting is: 10 is 10.0 where it has a fraction."""
        texts = {"training.select_by": self.metric, **{name: str(value) for name, value in values.items()}}
        return base.with_values(base.values_of(texts))


def read_space(values: Mapping[str, Any], place: str = "the space") -> Space:
    """A space from plain values, as TOML gives them."""
    for key in values:
        if key not in ("settings", "search", "metric"):
            raise ConfigError(f"{place} has an unknown key {key!r}; expected settings, search, metric")
    settings = values.get("settings")
    if not isinstance(settings, Mapping) or not settings:
        raise ConfigError(f"{place} varies nothing; give a table [settings] with a list or a range for each name")
    search = _one_of(values.get("search", "tpe"), get_args(Search), f"search of {place}")
    metric = _one_of(values.get("metric", "mrr"), get_args(Metric), f"metric of {place}")
    return Space({name: _domain(name, value) for name, value in settings.items()}, search, metric)


def _one_of(value: Any, known: tuple[str, ...], what: str) -> Any:
    if value not in known:
        raise ConfigError(f"{what} is {value!r}; expected one of {', '.join(known)}")
    return value


def _domain(name: str, value: Any) -> Choice | Range:
    if isinstance(value, list | tuple) and value and all(isinstance(one, bool | int | float | str) for one in value):
        return Choice(tuple(dict.fromkeys(value)))
    if not isinstance(value, Mapping) or not {"low", "high"} <= set(value) <= _RANGE_KEYS:
        raise ConfigError(
            f"{name} is {value!r}; expected a list of values, or a range like {{low = 1e-4, high = 1e-2, log = true}}"
        )
    numbers = [value[key] for key in ("low", "high", "step", "points") if key in value]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in numbers):
        raise ConfigError(f"{name} is {value!r}; expected numbers for low, high, step and points")
    domain = Range(**value)
    if not (domain.low < domain.high and (not domain.log or domain.low > 0)):
        raise ConfigError(f"{name} goes from {domain.low} to {domain.high}; expected low < high, above 0 with log")
    if domain.points is not None and domain.points < 2:
        raise ConfigError(f"{name} has {domain.points} points; expected at least 2")
    if domain.step is not None and (domain.step <= 0 or domain.log):
        raise ConfigError(f"{name} has step {domain.step}; expected more than 0, and no log beside it")
    return domain
