"""Dates as tokens, for every unit that a timeline may have."""

from __future__ import annotations

import numpy as np
import pytest

from tgap.baselines.date_tokens import DateTokens
from tgap.data import Timeline


@pytest.mark.parametrize(
    ("timeline", "instant", "words"),
    [
        (Timeline("day", 16_071, 16_435), 132, "2y 0y 1y 4y 05m 1d 3d"),
        (Timeline("year", 25, 2020, "%04d"), 0, "0y 0y 2y 5y"),
        (Timeline("year", 25, 2020, "%04d"), 1995, "2y 0y 2y 0y"),
        (Timeline("year", -44, 2020, "%d"), 0, "- 0y 0y 4y 4y"),
        (Timeline("year", -44, 2020, "%d"), 46, "+ 0y 0y 0y 2y"),
        (Timeline("month", 24_000, 24_100, "%Y-%m"), 3, "2y 0y 0y 0y 04m"),
        (Timeline("week", 2_295, 2_300), 0, "2y 0y 1y 3y 12m 2d 3d"),
        (Timeline("hour", 24, 99, "%Y-%m-%dT%H"), 13, "1y 9y 7y 0y 01m 0d 2d 1h 3h"),
        (Timeline("minute", 0, 99, "%Y-%m-%dT%H:%M"), 61, "1y 9y 7y 0y 01m 0d 1d 0h 1h 0i 1i"),
        (Timeline("integer", 0, 188, "%d"), 42, "0s 4s 2s"),
        (Timeline("integer", 0, 0, "%d"), 0, "0s"),
    ],
)
def test_words(timeline: Timeline, instant: int, words: str) -> None:
    assert DateTokens(timeline).words(np.array([instant])) == [words.split()]


def test_what_needs_more_digits_than_the_data_is_read_as_the_largest_that_does_not() -> None:
    steps = DateTokens(Timeline("integer", 0, 88, "%d"))
    assert steps.words(np.array([99, 100, 12_345, -3])) == [["9s", "9s"], ["9s", "9s"], ["9s", "9s"], ["0s", "0s"]]


def test_a_day_has_the_papers_vocabulary() -> None:
    """Ten digits of a year, twelve months, ten digits of a day."""
    tokens = DateTokens(Timeline("day", 16_071, 16_435))
    assert len(tokens.vocabulary) == len(set(tokens.vocabulary)) == 32
    ids = tokens.ids(np.arange(365))
    assert ids.min() >= 0
    assert ids.max() < 32
    assert len(np.unique(ids, axis=0)) == 365
