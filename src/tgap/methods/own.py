"""Scorers of one's own: a class that the user names as ``package.module:Class``, as a method without training.

The class is called with the dataset and gives a ``Scorer``. Its code is part of the user's environment and runs with
the user's rights, so it must be the user who names it: on the command line or in a call, never a file. The config of a
run is refused if it names one (``parse_config``), and no run folder is made for one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.errors import ConfigError
from tgap.learner import Method
from tgap.scorer import ScoreKind, Scorer

_NAME = re.compile(r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<attribute>[^\W\d]\w*)")
_MEMBERS = ("name", "kind", "num_entities", "num_relations", "score")


class NoSettings(Settings):
    """A class of one's own is set up by its own code."""


def is_own(name: str) -> bool:
    """Whether a name is of the form ``package.module:Class``.

    >>> is_own("mine.scorers:Nearest"), is_own("recency"), is_own("runs/mine:1")
    (True, False, False)
    """
    return _NAME.fullmatch(name) is not None


def own_method(name: str) -> Method:
    """The class of that name as a method; modules are also looked for in the current folder."""
    make = _find(name)

    def build(dataset: Dataset, _config: RunConfig) -> Scorer:
        return _checked(make(dataset), name)

    title = name.partition(":")[2]
    return Method(name=name, title=title, summary="a class of one's own", settings=NoSettings, build=build)


def _find(name: str) -> Callable[[Dataset], object]:
    match = _NAME.fullmatch(name)
    assert match is not None, "asked for with is_own"
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: a file that lies about here hides no installed module
    try:
        module = import_module(match["module"])
    except ModuleNotFoundError as error:
        if error.name is None or not f"{match['module']}.".startswith(f"{error.name}."):
            raise  # something that the user's own code imports: its traceback tells where
        raise ConfigError(
            f"there is no module {error.name!r} for {name!r}; install it, or call tgap in the folder that holds it"
        ) from None
    found = getattr(module, match["attribute"], None)
    if not callable(found):
        offered = [key for key, value in vars(module).items() if isinstance(value, type) and not key.startswith("_")]
        raise ConfigError(
            f"{module.__name__} has no class {match['attribute']!r}; it has {', '.join(offered) or 'none'}"
        )
    return cast("Callable[[Dataset], object]", found)


def _checked(made: Any, name: str) -> Scorer:
    missing = [member for member in _MEMBERS if not hasattr(made, member)]
    if missing:
        raise ConfigError(f"{name} is no scorer: it lacks {', '.join(missing)}; tgap.scorer.Scorer says what is needed")
    if not isinstance(made.kind, ScoreKind):
        kinds = ", ".join(f"ScoreKind.{kind.name}" for kind in ScoreKind)
        raise ConfigError(f"{name}.kind is {made.kind!r}; expected one of {kinds}")
    return cast("Scorer", made)
