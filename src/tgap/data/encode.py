"""Names and times of events to ids: the step from a table of texts to a dataset.

Ids are ranks among the sorted names of all splits together, so they depend on what is in the files, never on the
order of lines. polars does the hashing and sorting; nothing here loops over facts in Python.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tgap.data.facts import Facts, Int64Array, fact_keys
from tgap.data.instants import read_instants
from tgap.data.timeline import Timeline, Unit
from tgap.data.units import Counted, count_instants
from tgap.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    import polars as pl

COLUMNS = ("subject", "relation", "object", "time")


class TimeColumn:
    """The times of a table, each different text read once."""

    def __init__(self, texts: pl.Series, unit: Unit | None = None) -> None:
        import polars as pl  # noqa: PLC0415

        distinct = texts.unique().sort()
        self.texts = distinct.to_list()
        self.counted: Counted = count_instants(read_instants(distinct), self.texts, unit)
        self.code: Int64Array = texts.cast(pl.Enum(distinct)).to_physical().to_numpy()
        self.timeline: Timeline = self.counted.timeline

    @property
    def good(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Rows whose time fits the timeline."""
        good: np.ndarray[tuple[int], np.dtype[np.bool_]] = self.counted.good[self.code]
        return good

    @property
    def instant(self) -> Int64Array:
        """Units since the first instant, one a row."""
        return self.counted.instant[self.code]


class Encoded:
    """Vocabularies and id columns of a table with the columns subject, relation, object (texts)."""

    def __init__(self, table: pl.DataFrame, instants: Int64Array) -> None:
        import polars as pl  # noqa: PLC0415

        distinct = table.select(pl.col(name).unique().implode() for name in COLUMNS[:3])
        entities = pl.concat([distinct["subject"][0], distinct["object"][0]]).unique().sort()
        relations = distinct["relation"][0].sort()
        kinds = (pl.Enum(entities), pl.Enum(relations), pl.Enum(entities))
        ids = table.select(
            pl.col(name).cast(kind).to_physical().cast(pl.Int64) for name, kind in zip(COLUMNS, kinds, strict=False)
        )
        self.entities = Vocabulary(entities.to_list(), "entity")
        self.relations = Vocabulary(relations.to_list(), "relation")
        subject, relation, obj = (ids[name].to_numpy() for name in COLUMNS[:3])
        self.facts = Facts(subject, relation, obj, instants.astype(np.int64))

    def split(self, sizes: list[int]) -> list[Facts]:
        """The facts cut into consecutive parts, each sorted into the order that all copies share."""
        bounds = np.cumsum([0, *sizes])
        (keys,) = fact_keys([self.facts])
        return [self.facts.take(low + np.argsort(keys[low:high], kind="stable")) for low, high in pairwise(bounds)]
