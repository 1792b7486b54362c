"""tgap: answers about temporal knowledge graphs, with the walk that led there.

>>> import tgap
>>> model = tgap.load("world")  # doctest: +SKIP
>>> model.predict("Meridona", "Retaliate against", "?", "2012-04-26")  # doctest: +SKIP

Names are imported when they are first used, so ``import tgap`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["Dataset", "Model", "datasets", "load", "load_dataset", "train"]

if TYPE_CHECKING:
    from tgap.api import Model, datasets, load, train
    from tgap.data import Dataset, load_dataset

_HOMES = {"Dataset": "tgap.data", "load_dataset": "tgap.data"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'tgap' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "tgap.api")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
