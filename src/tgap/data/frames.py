"""Datasets from and to polars frames: the same reading as for files, and facts by name."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from tgap.data.dataset import SPLITS, Dataset, DataWarning, warn_of_leaks
from tgap.data.facts import COLUMNS, Facts
from tgap.data.importing import Division, import_events
from tgap.data.reading import Layout, Sources, TableSource
from tgap.data.time import Unit
from tgap.errors import DataError, Message

if TYPE_CHECKING:
    import polars as pl


def dataset_of_frame(
    frame: object,
    name: str,
    layout: Layout | None = None,
    unit: Unit | None = None,
    division: Division | None = None,
) -> Dataset:
    """A dataset from a frame; what import would warn of is warned of. A bad row is a ``DataError``."""
    import polars as pl  # noqa: PLC0415

    if not isinstance(frame, pl.DataFrame):
        kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
        raise DataError(f"the frame is a {kind}; expected a polars.DataFrame, try polars.from_pandas")
    imported = import_events(
        name, Sources((TableSource(name, frame=frame),), (0,)), layout=layout, unit=unit, division=division
    )
    for remark in imported.events.remarks:
        if remark.serious:
            warnings.warn(Message(f"{name}: ", remark.text), DataWarning, stacklevel=3)
    warn_of_leaks(imported.dataset)
    return imported.dataset


def frame_of(dataset: Dataset, splits: tuple[str, ...] = SPLITS) -> pl.DataFrame:
    """Facts by name, one row each: subject, relation, object, time as the dataset prints it, split."""
    import polars as pl  # noqa: PLC0415

    unknown = [split for split in splits if split not in SPLITS]
    if unknown:
        raise DataError(f"there is no split {unknown[0]!r}; expected {', '.join(SPLITS)}")
    chosen = [dataset.splits[split] for split in splits]
    facts = Facts.concatenate(chosen)
    instants, place = np.unique(facts.time, return_inverse=True)
    entities = pl.Series(dataset.entities.names, dtype=pl.String)
    relations = pl.Series(dataset.relations.names, dtype=pl.String)
    times = pl.Series(dataset.timeline.texts(instants), dtype=pl.String)
    columns = (entities[facts.subject], relations[facts.relation], entities[facts.object], times[place.reshape(-1)])
    of_split = np.repeat(np.arange(len(splits)), [len(part) for part in chosen])
    named = [column.alias(role) for role, column in zip(COLUMNS, columns, strict=True)]
    return pl.DataFrame([*named, pl.Series("split", splits, dtype=pl.String)[of_split]])
