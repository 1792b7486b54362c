"""tgap: answers about temporal knowledge graphs, with the walk that led there.

>>> import tgap
>>> model = tgap.load("world")  # doctest: +SKIP
>>> model.predict("Meridona", "Retaliate against", "?", "2012-04-26")  # doctest: +SKIP

The names in ``__all__`` are the public interface; every other module is private and may change in any version. Names
are imported when they are first used, so ``import tgap`` costs nothing.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tgap import studies
    from tgap.api import datasets, load, train
    from tgap.asking.evaluations import EvaluationResult
    from tgap.asking.explanations import Explanation, Reason
    from tgap.asking.model import Model
    from tgap.asking.operation import FileOutput, Operation
    from tgap.asking.options import Options, QuestionOptions
    from tgap.asking.prediction import Prediction
    from tgap.asking.question import Question
    from tgap.asking.support import Support
    from tgap.asking.tables import TableAnswer, ask
    from tgap.asking.what_if import WhatIf
    from tgap.config import RunConfig, Settings
    from tgap.data import Dataset, Fact, Facts, Timeline, load_dataset
    from tgap.errors import (
        ConfigError,
        DataError,
        DependencyError,
        EvaluationError,
        OptionError,
        QueryError,
        RunError,
        TgapError,
        TrainingError,
        UnknownNameError,
    )
    from tgap.graph.setting import EvaluationSetting
    from tgap.graph.view import View
    from tgap.learner import Learner, Method
    from tgap.scorer import Query, QueryBatch, ScoreKind, Scorer

_HOMES = {
    **dict.fromkeys(("datasets", "load", "train"), "tgap.api"),
    "EvaluationResult": "tgap.asking.evaluations",
    **dict.fromkeys(("Explanation", "Reason"), "tgap.asking.explanations"),
    "Model": "tgap.asking.model",
    **dict.fromkeys(("FileOutput", "Operation"), "tgap.asking.operation"),
    **dict.fromkeys(("Options", "QuestionOptions"), "tgap.asking.options"),
    "Prediction": "tgap.asking.prediction",
    "Question": "tgap.asking.question",
    "Support": "tgap.asking.support",
    **dict.fromkeys(("TableAnswer", "ask"), "tgap.asking.tables"),
    "WhatIf": "tgap.asking.what_if",
    **dict.fromkeys(("RunConfig", "Settings"), "tgap.config"),
    **dict.fromkeys(("Dataset", "Fact", "Facts", "Timeline", "load_dataset"), "tgap.data"),
    **dict.fromkeys(
        (
            *("ConfigError", "DataError", "DependencyError", "EvaluationError", "OptionError", "QueryError"),
            *("RunError", "TgapError", "TrainingError", "UnknownNameError"),
        ),
        "tgap.errors",
    ),
    "EvaluationSetting": "tgap.graph.setting",
    "View": "tgap.graph.view",
    **dict.fromkeys(("Learner", "Method"), "tgap.learner"),
    **dict.fromkeys(("Query", "QueryBatch", "ScoreKind", "Scorer"), "tgap.scorer"),
}
__all__ = [
    "ConfigError",
    "DataError",
    "Dataset",
    "DependencyError",
    "EvaluationError",
    "EvaluationResult",
    "EvaluationSetting",
    "Explanation",
    "Fact",
    "Facts",
    "FileOutput",
    "Learner",
    "Method",
    "Model",
    "Operation",
    "OptionError",
    "Options",
    "Prediction",
    "Query",
    "QueryBatch",
    "QueryError",
    "Question",
    "QuestionOptions",
    "Reason",
    "RunConfig",
    "RunError",
    "ScoreKind",
    "Scorer",
    "Settings",
    "Support",
    "TableAnswer",
    "TgapError",
    "Timeline",
    "TrainingError",
    "UnknownNameError",
    "View",
    "WhatIf",
    "ask",
    "datasets",
    "load",
    "load_dataset",
    "studies",
    "train",
]


def __getattr__(name: str) -> Any:
    if name == "studies":
        return import_module("tgap.studies")
    if name not in _HOMES:
        raise AttributeError(f"module 'tgap' has no attribute {name!r}")
    if _HOMES[name] == "tgap.api" and "torch" not in sys.modules:
        from tgap.waiting import wait_briefly  # noqa: PLC0415  before torch is loaded, as the commands do

        wait_briefly()
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
