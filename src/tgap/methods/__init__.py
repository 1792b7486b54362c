"""Every way to answer, by name. The only place that knows methods by name.

To add one: write a file that holds its settings, its scorer or module and a ``Method``, and add a line to ``METHODS``.
docs/architecture.md has the recipe. Methods of other packages join by an entry point (``installed``). Files are
imported when a method is asked for, so listing the names of ``METHODS`` costs nothing.

>>> config_for("tgap", "icews14").model.core_nodes
20
>>> parse_config(config_for("recency", "world").to_toml()).method
'recency'
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tgap.config import EvaluationConfig, RunConfig, TrainingConfig
from tgap.data import Dataset
from tgap.errors import ConfigError
from tgap.graph.task import find_task
from tgap.learner import DEFAULT_TASK, Learner, Method, Overrides
from tgap.methods.installed import MethodWarning, installed_methods
from tgap.methods.own import is_own, own_method
from tgap.migrations import migrated_config
from tgap.scorer import Scorer

# Name -> where its Method stands.
METHODS: dict[str, str] = {
    "tgap": "tgap.methods.tgap:METHOD",
    "judged": "tgap.combined.judged:METHOD",
    "recency": "tgap.baselines.recency:METHOD",
    "frequency": "tgap.baselines.frequency:METHOD",
    "recurrency": "tgap.methods.recurrency:METHOD",
    "typed-pair": "tgap.baselines.typed_pair:METHOD",
    "universal": "tgap.universal.method:METHOD",
    "transe": "tgap.baselines.transe:METHOD",
    "distmult": "tgap.baselines.distmult:METHOD",
    "cont": "tgap.baselines.cont:METHOD",
    "ttranse": "tgap.baselines.ttranse:METHOD",
    "hyte": "tgap.baselines.hyte:METHOD",
    "ta-transe": "tgap.baselines.ta_transe:METHOD",
    "ta-distmult": "tgap.baselines.ta_distmult:METHOD",
    "de-simple": "tgap.baselines.de_simple:METHOD",
    "tcomplex": "tgap.baselines.tcomplex:METHOD",
    "tntcomplex": "tgap.baselines.tntcomplex:METHOD",
}
DEFAULT = "tgap"
SECTIONS = ("model", "training", "evaluation")
# Cheap enough to stand beside every result, by task.
BESIDE = {"completion": ("recency", "frequency"), "forecast": ("recurrency", "recency")}


def find_method(name: str) -> Method:
    """The method of that name, or the scorer of one's own that a user names as ``package.module:Class``."""
    if is_own(name):
        return own_method(name)
    if name not in METHODS:
        installed = installed_methods()
        if name in installed:
            return installed[name].load()
        known = ", ".join([*METHODS, *installed])
        raise ConfigError(f"unknown method {name!r}; expected one of {known}, or package.module:Class")
    module, _, attribute = METHODS[name].partition(":")
    method = getattr(import_module(module), attribute)
    assert isinstance(method, Method), f"{METHODS[name]} is no Method"
    return method


def method_names() -> list[str]:
    """Names of all methods that can be used: those of tgap, then those of installed packages.

    A broken one of another package is left out with a warning.
    """
    names = list(METHODS)
    for name, declared in installed_methods().items():
        try:
            if name in METHODS:
                raise ConfigError(f"the package {declared.package} declares a method {name!r}, which tgap has itself")
            declared.load()
            names.append(name)
        except ConfigError as error:
            warnings.warn(str(error), MethodWarning, stacklevel=2)
    return names


def untrained() -> list[str]:
    """Names of the methods that answer without training."""
    return [name for name in method_names() if find_method(name).learn is None]


def needs_dataset(name: str) -> bool:
    """Whether a name is of something that answers about any dataset at once: untrained, or a class of one's own."""
    if not (is_own(name) or name in METHODS or name in installed_methods()):
        return False
    return is_own(name) or find_method(name).build is not None


def refuse_own(method: str) -> None:
    """A file must not decide which code is run."""
    if is_own(method):
        raise ConfigError(
            f"method is {method!r}: a class of one's own is never run because a file names it; "
            f"name it yourself, for instance: tgap evaluate {method} --dataset NAME"
        )


def config_for(method: str, dataset: str, preset: str = "recommended", task: str = DEFAULT_TASK) -> RunConfig:
    """Settings of a method for a dataset and a task, from one of the method's presets."""
    chosen = find_method(method)
    if preset not in chosen.presets:
        raise ConfigError(f"unknown preset {preset!r} of {method}; expected one of {', '.join(chosen.presets)}")
    _check_task(chosen, task)
    return _build(chosen, dataset, task, _joined(chosen.presets[preset](dataset), chosen.tasks[task]))


def parse_config(text: str) -> RunConfig:
    """Config from TOML text, of this or of the former form; missing settings take their defaults."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the configuration is not valid TOML: {error}") from error
    values = migrated_config(values)
    known = ("dataset", "method", "task", *SECTIONS)
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f"unknown setting {key!r}; expected one of {', '.join(known)}")
        if key in SECTIONS and not isinstance(value, Mapping):
            raise ConfigError(f"{key} is {value!r}; expected a table of settings")
    values.setdefault("task", DEFAULT_TASK)  # configs of before tasks
    for key in ("dataset", "method", "task"):
        if not isinstance(values.get(key), str):
            raise ConfigError(f"{key} is {values.get(key)!r}; expected a name")
    refuse_own(values["method"])
    method = find_method(values["method"])
    _check_task(method, values["task"])
    return _build(method, values["dataset"], values["task"], values)


def able_to(task: str) -> list[str]:
    """Methods that can do a task."""
    return [name for name in method_names() if task in find_method(name).tasks]


def _check_task(method: Method, task: str) -> None:
    if find_task(task).name not in method.tasks:
        raise ConfigError(f"{method.name} does not do the task {task}; {', '.join(able_to(task))} do")


def _joined(preset: Overrides, task: Overrides) -> dict[str, dict[str, Any]]:
    """Settings of a preset, then those that the task changes."""
    return {section: {**preset.get(section, {}), **task.get(section, {})} for section in SECTIONS}


def _build(method: Method, dataset: str, task: str, values: Mapping[str, Any]) -> RunConfig:
    return RunConfig(
        dataset=dataset,
        method=method.name,
        task=task,
        model=method.settings(**values.get("model", {})),
        training=TrainingConfig(**values.get("training", {})),
        evaluation=EvaluationConfig(**values.get("evaluation", {})),
    )


def make_learner(config: RunConfig, dataset: Dataset) -> Learner:
    """What learns a config's model, with its initial weights: a function of the settings alone."""
    method = find_method(config.method)
    if method.learn is None:
        raise ConfigError(f"{config.method} needs no training; it answers at once")
    return method.learn(dataset, config)


def make_scorer(config: RunConfig, dataset: Dataset) -> Scorer:
    """The scorer of a method that needs no training."""
    method = find_method(config.method)
    if method.build is None:
        raise ConfigError(f"{config.method} answers only after training; give one of its runs")
    return method.build(dataset, config)
