"""What ``import tgap`` offers to begin with: datasets, training, and trained models by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.data import Dataset, load_dataset
from tgap.data.catalog import is_here, stored_folders
from tgap.data.entries import CATALOG
from tgap.kernels import flush_denormals, num_threads, set_threads
from tgap.learner import DEFAULT_TASK
from tgap.methods import DEFAULT, config_for, find_method, make_scorer
from tgap.runs import create_run
from tgap.runs.load import with_appended
from tgap.training.events import Listener
from tgap.training.session import train as train_config

if TYPE_CHECKING:
    import polars as pl


def datasets() -> pl.DataFrame:
    """Every dataset that ``load_dataset`` knows by name, and whether it is here."""
    import polars as pl  # noqa: PLC0415

    rows = [(name, entry.summary, is_here(name)) for name, entry in CATALOG.items()]
    rows += [(name, "imported", True) for name in stored_folders() if name not in CATALOG]
    return pl.DataFrame(rows, schema=["name", "summary", "here"], orient="row")


def train(
    dataset: str | Path | Dataset,
    method: str = DEFAULT,
    *,
    preset: str = "recommended",
    task: str = DEFAULT_TASK,
    settings: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    threads: int | None = None,
    listeners: Sequence[Listener] | None = None,
    **more: Any,
) -> Model:
    """Train a method on a dataset and give back the model with its best weights.

    ``task="forecast"`` learns to answer from what lies strictly before a question. Settings are given by name,
    ``train("world", epochs=0.3, dimension=16)``, or by dotted name in ``settings`` where a name alone is ambiguous.
    With ``out`` everything is kept in that run folder, which the command line can resume; without, nothing is written.
    ``listeners`` hear what happens (default: a progress bar and a line per validation).
    """
    data = dataset if isinstance(dataset, Dataset) else load_dataset(dataset)
    named = data.name if isinstance(dataset, Dataset) else str(dataset)
    config = config_for(method, named, preset, task).with_values({**more, **(settings or {})})
    used = set_threads(threads) if threads is not None else num_threads()
    folder = None if out is None else create_run(Path(out), config, data, used)
    if find_method(method).learn is None:
        return Model(make_scorer(config, data), data, config=config)
    if listeners is None:
        from tgap.cli.train_display import Display  # noqa: PLC0415  the terminal's library, only to show something

        listeners = [Display()]
    with flush_denormals():
        trained = train_config(config, data, folder=folder, listeners=listeners)
    report = {"status": trained.reason, "validation": trained.best or {}}
    scorer, known = with_appended(trained.learner.scorer(), data)
    path = None if folder is None else folder.path
    return Model(scorer, known, config=config, report=report, learner=trained.learner, folder=path)


def load(run: str | Path, dataset: str | None = None, *, task: str | None = None, **settings: Any) -> Model:
    """The model of a run folder, or a shipped one by name; ``settings`` change what fits the same weights.

    With ``dataset`` a method that needs no training answers about it (``load("recency", "icews14")``), a class of one's
    own (``package.module:Class``), and a T-GAP about facts that it was not trained on, if it knows their relations by
    name.
    """
    return load_model(run, dataset, task=task, changes=settings)
