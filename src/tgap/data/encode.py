"""Names and times of events to ids: the step from a table of texts to a dataset.

Ids are ranks among the sorted names of all splits together, so they depend on what is in the files, never on the
order of lines. polars hashes every text once (as categories, in the order it meets them), then only the different
names are sorted; nothing here loops over facts in Python.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tgap.data.facts import BoolArray, Facts, Int64Array, in_order
from tgap.data.time import Unit, read_times
from tgap.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = ("subject", "relation", "object", "time")


class Encoded:
    """Vocabularies, timeline and ids of a table with text columns subject, relation, object and time.

    Every different text is looked at once. A row whose time fits no timeline has ``good`` False and a meaningless time;
    one whose time says that it is not known has ``unknown`` True.
    """

    def __init__(
        self, table: pl.DataFrame, unit: Unit | None = None, time_format: str = "", day_first: bool | None = None
    ) -> None:
        import polars as pl  # noqa: PLC0415

        entity, relation, time = (pl.Categories.random() for _ in range(3))
        kinds = zip(_COLUMNS, (entity, relation, entity, time), strict=True)
        codes = table.select(pl.col(name).cast(pl.Categorical(kind)) for name, kind in kinds)
        entities, entity_id = _in_order(entity)
        relations, relation_id = _in_order(relation)
        times, time_id = _in_order(time)
        subject, predicate, obj, when = (codes[name].to_physical().to_numpy() for name in _COLUMNS)
        met = np.bincount(when, minlength=len(time_id))
        self.times: list[str] = times.to_list()  # the different texts, sorted
        self.rows = np.zeros(len(times), dtype=np.int64)  # how many rows have each
        np.add.at(self.rows, time_id, met)
        self.read = read_times(self.times, unit, rows=self.rows, time_format=time_format, day_first=day_first)
        self.timeline = self.read.timeline
        self.entities = Vocabulary(entities.to_list(), "entity")
        self.relations = Vocabulary(relations.to_list(), "relation")
        instant = self.read.instant[time_id]
        self.facts = Facts(
            entity_id.take(subject), relation_id.take(predicate), entity_id.take(obj), instant.take(when)
        )
        self._text_of = (time_id, when)
        self.good: BoolArray = self.read.good[time_id].take(when)

    @property
    def unknown(self) -> BoolArray:
        """Rows whose time says that it is not known."""
        time_id, when = self._text_of
        unknown: BoolArray = self.read.unknown[time_id].take(when)
        return unknown

    def rows_with(self, texts: BoolArray) -> Int64Array:
        """Positions of the rows whose time is one of the texts of a mask over ``times``."""
        time_id, when = self._text_of
        return np.flatnonzero(texts[time_id].take(when))

    def parts(self, group: NDArray[np.integer], count: int) -> list[Facts]:
        """The facts of groups 0 to ``count`` - 1, each sorted into the order that all copies of a dataset share."""
        if (group[1:] < group[:-1]).any():
            return [in_order(self.facts[group == index]) for index in range(count)]
        starts = np.searchsorted(group, np.arange(count + 1))
        return [in_order(self.facts[slice(*ends)]) for ends in pairwise(starts.tolist())]


def _in_order(categories: pl.Categories) -> tuple[pl.Series, Int64Array]:
    """The names of categories, sorted, and for each code the place of its name among them."""
    import polars as pl  # noqa: PLC0415

    names = categories.to_series()  # null where polars reserved a code that no name took
    ordered = names.drop_nulls().sort()
    place = names.cast(pl.Enum(ordered)).to_physical().fill_null(0)  # much quicker than arg_sort
    return ordered, place.to_numpy().astype(np.int64)
