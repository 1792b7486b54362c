"""A date as a short sequence of tokens (Garcia-Duran et al. 2018): digits of the year, the month, digits of the day.

2014-05-13 is read as  2y 0y 1y 4y 05m 1d 3d.  Digits are shared between dates, so one that train never saw is still
made of known tokens. Timelines of other units use the same idea as far as they go: years only, years and months, and
with hours and minutes the digits of these; plain steps are digits of a number. A year or step outside of the digits
that train needs is read as the largest that has them, and a sign in front tells what lies before zero.
"""

from __future__ import annotations

import numpy as np

from tgap.data import Timeline
from tgap.scorer import IntArray

_DIGITS = {"day": 2, "hour": 2, "minute": 2}  # parts that are written in two digits; the month is one token
_MONTHS = 12


class DateTokens:
    """Turns instants of one timeline into rows of token ids, all of one length.

    >>> tokens = DateTokens(Timeline("day", 16071, 16435))
    >>> tokens.words(np.array([132]))
    [['2y', '0y', '1y', '4y', '05m', '1d', '3d']]
    >>> tokens.ids(np.array([132])).shape, len(tokens.vocabulary)
    ((1, 7), 32)
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        ends = np.array([0, timeline.span])
        names = tuple(timeline.parts(ends))
        first = timeline.parts(ends)[names[0]]
        self._signed = bool((first < 0).any())
        self._width = max(4 if names[0] == "year" else 1, *(len(str(abs(int(value)))) for value in first))
        self._base: dict[str, int] = {}  # id of a part's first token
        vocabulary: list[str] = ["+", "-"] if self._signed else []
        for name in names:
            self._base[name] = len(vocabulary)
            if name == "month":
                vocabulary += [f"{month:02d}m" for month in range(1, _MONTHS + 1)]
            else:
                vocabulary += [f"{digit}{'i' if name == 'minute' else name[0]}" for digit in range(10)]
        self.vocabulary = tuple(vocabulary)

    def ids(self, instants: IntArray) -> IntArray:
        """Token ids [B, L]."""
        columns: list[IntArray] = []
        for name, value in self._timeline.parts(instants).items():
            base = self._base[name]
            if name == "month":
                columns.append(base + value - 1)
            elif name in _DIGITS:
                columns += [base + digit for digit in _digits(value, _DIGITS[name])]
            else:
                if self._signed:
                    columns.append((value < 0).astype(np.int64))
                largest = 10**self._width - 1
                size = np.abs(value) if self._signed else np.maximum(value, 0)
                columns += [base + digit for digit in _digits(np.minimum(size, largest), self._width)]
        return np.stack(columns, axis=1)

    def words(self, instants: IntArray) -> list[list[str]]:
        """The tokens as people read them."""
        return [[self.vocabulary[token] for token in row] for row in self.ids(instants).tolist()]


def _digits(value: IntArray, width: int) -> list[IntArray]:
    """Decimal digits, the highest first."""
    return [value // 10**place % 10 for place in reversed(range(width))]
