"""Studies of a model or of many: one file each, ``NAME_study.py``, called as ``tgap.studies.NAME(...)``.

>>> import tgap
>>> found = tgap.studies.displacement(tgap.load("world"), relations=("Visit",))  # doctest: +SKIP
>>> found.profiles[0].attention  # doctest: +SKIP

A file holds the study's options, what it computes, its document, its text and its files, all in one ``OPERATION``.
``tgap study NAME`` is made from it. Nothing lists the studies: a file in this folder is one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tgap.asking.operation import OperationFolder, OperationFunction

STUDIES = OperationFolder(__name__, Path(__file__).parent, "_study")


def __getattr__(name: str) -> OperationFunction[Any]:
    if name not in STUDIES.names:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; its studies are {', '.join(STUDIES.names)}"
        )
    return OperationFunction(STUDIES.find(name))


def __dir__() -> list[str]:
    return sorted([*globals(), *STUDIES.names])
