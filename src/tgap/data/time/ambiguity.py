"""Decide what a column of times leaves open: day or month first in 01/02/2018, and which time zone counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from tgap.data.facts import Int64Array
from tgap.data.time.instants import DAY_FIRST, DAY_SECONDS, EITHER, MONTH_FIRST, UNREADABLE, Instants
from tgap.data.time.units import mostly

Zones = Literal["", "utc", "local"]
Order = Literal["", "month", "day", "guessed"]


def settle_order(found: Instants, rows: Int64Array, day_first: bool | None) -> tuple[Instants, Order]:
    """Decide whether 01/02/2018 starts with the day or the month: as given, else as most unambiguous texts have it.

    Texts that are only valid the other way become unreadable.
    """
    if not found.order.any():
        return found, ""
    either = found.order == EITHER
    by_month, by_day = (int(rows[found.order == kind].sum()) for kind in (MONTH_FIRST, DAY_FIRST))
    turned = by_day > by_month if day_first is None else day_first
    wrong = found.order == (MONTH_FIRST if turned else DAY_FIRST)
    day = np.where(either, found.other_way, found.day) if turned else found.day
    settled = replace(found, day=day, precision=np.where(wrong, np.int8(UNREADABLE), found.precision))
    if day_first is None and not by_month and not by_day:
        return settled, "guessed" if either.any() else ""
    return settled, "day" if turned else "month"


def settle_zones(found: Instants, rows: Int64Array) -> tuple[Instants, Zones]:
    """Keep local dates if nearly all times with a zone are midnights there; otherwise convert them to UTC."""
    zoned = found.zoned & found.good
    if not (found.away[zoned] != 0).any():
        return found, ""
    local = found.day * DAY_SECONDS + found.second + 60 * found.away
    if not mostly(local % DAY_SECONDS == 0, zoned, rows):
        return found, "utc"
    day, second = np.where(zoned, local // DAY_SECONDS, found.day), np.where(zoned, local % DAY_SECONDS, found.second)
    return replace(found, day=day, second=second), "local"
