"""Names and times of events to ids: the step from a table of texts to a dataset.

Ids are ranks among the sorted names of all splits together, so they depend on what is in the files, never on the
order of lines. polars does the hashing and sorting; nothing here loops over facts in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.data.facts import Facts, in_order
from tgap.data.instants import read_instants
from tgap.data.timeline import Unit
from tgap.data.units import count_instants
from tgap.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = ("subject", "relation", "object", "time")


class Encoded:
    """Vocabularies, timeline and ids of a table with text columns subject, relation, object and time.

    Every different text is looked at once. A row whose time fits no timeline has ``good`` False and a meaningless time.
    """

    def __init__(self, table: pl.DataFrame, unit: Unit | None = None) -> None:
        import polars as pl  # noqa: PLC0415

        distinct = table.select(pl.col(name).unique().implode() for name in _COLUMNS)
        entities = pl.concat([distinct["subject"][0], distinct["object"][0]]).unique().sort()
        relations, times = distinct["relation"][0].sort(), distinct["time"][0].sort()
        kinds = (pl.Enum(entities), pl.Enum(relations), pl.Enum(entities), pl.Enum(times))
        codes = table.select(pl.col(name).cast(kind).to_physical() for name, kind in zip(_COLUMNS, kinds, strict=True))
        subject, relation, obj, time = (codes[name].to_numpy().astype(np.int64) for name in _COLUMNS)
        self.counted = count_instants(read_instants(times), times.to_list(), unit)
        self.timeline = self.counted.timeline
        self.entities = Vocabulary(entities.to_list(), "entity")
        self.relations = Vocabulary(relations.to_list(), "relation")
        self.facts = Facts(subject, relation, obj, self.counted.instant[time])
        self.good: NDArray[np.bool_] = self.counted.good[time]

    def parts(self, group: NDArray[np.integer], count: int) -> list[Facts]:
        """The facts of groups 0 to ``count`` - 1, each sorted into the order that all copies of a dataset share."""
        return [in_order(self.facts.take(group == index)) for index in range(count)]
