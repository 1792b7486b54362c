"""A view is a value: narrowed, combined, compared and hashed without a graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgap.errors import ConfigError
from tgap.graph import View

facts = st.lists(st.integers(-1, 9), max_size=6)
times = st.integers(-5, 5)


@given(one=facts, other=facts)
def test_what_is_hidden_is_a_set(one: list[int], other: list[int]) -> None:
    both = View.all().without(one).without(other)
    assert both == View.all().without(np.array([*other, *one], np.int64))
    assert hash(both) == hash(View.all().without([*other, *one]))
    assert both.hidden == tuple(sorted({fact for fact in [*one, *other] if fact >= 0}))
    assert all(type(fact) is int for fact in View.all().without(np.array(one, np.int64)).hidden)


@given(a=times, b=times)
def test_limits_only_narrow(a: int, b: int) -> None:
    assert View.all().since(a).since(b) == View.all().since(max(a, b))
    assert View.all().until(a).until(b) == View.all().until(min(a, b))
    assert View.all().before(a) == View.all().until(a - 1)
    assert View.all().since(a).until(b) == View.all().until(b).since(a)


@given(limit=times, time=times)
def test_a_view_of_the_past_ends_before_each_query(limit: int, time: int) -> None:
    view = View.all().before_query().until(limit).without([3])
    assert view.depends_on_query
    assert view.at(time) == View.all().without([3]).until(limit).before(time)
    assert view.at(time).at(time + 7) == view.at(time)  # it is fixed now


def test_nothing_taken_away_is_everything() -> None:
    assert View.all() == View.all().without([]).without([-1]) == View()
    assert View.all().at(5) is View.all()
    limited = View.all().until(4)
    assert limited.without([1]).with_all_facts == limited
    assert limited != View.all()


def test_a_view_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        View.all().hidden = (3,)  # type: ignore[misc]


durations = st.integers(1, 8)
many_times = st.lists(times, max_size=12).map(lambda values: np.array(values, np.int64))


@given(duration=durations, time=times, limit=times)
def test_a_window_shows_the_last_units_before_each_query(duration: int, time: int, limit: int) -> None:
    view = View.all().window(duration).until(limit)
    expected = [when for when in range(-20, 20) if time - duration <= when < time and when <= limit]
    assert [when for when in range(-20, 20) if view.at(time).shows(when)] == expected
    assert view.past_only
    assert view.depends_on_query


@given(one=durations, other=durations)
def test_windows_only_narrow(one: int, other: int) -> None:
    shorter = View.all().window(min(one, other))
    assert View.all().window(one).window(other) == shorter
    assert View.all().window(one).within(View.all().window(other)) == shorter
    assert View.all().before_query().window(one) == View.all().window(one).before_query() == View.all().window(one)


@pytest.mark.parametrize("duration", [0, -3])
def test_a_window_that_shows_nothing_is_refused(duration: int) -> None:
    with pytest.raises(ConfigError, match=f"a window of {duration} units shows nothing; expected at least 1"):
        View.all().window(duration)


@given(asked=many_times, by_time=st.booleans(), duration=st.none() | durations, hidden=facts)
def test_queries_of_a_group_see_the_same(
    asked: np.ndarray[tuple[int], np.dtype[np.int64]], by_time: bool, duration: int | None, hidden: list[int]
) -> None:
    view = (View.all() if duration is None else View.all().window(duration)).without(hidden)
    groups = view.groups(asked, by_time=by_time)
    assert sorted(row for rows, _ in groups for row in rows) == list(range(len(asked)))
    for rows, seen in groups:
        assert rows.tolist() == sorted(rows.tolist())
        assert {view.at(int(asked[row])) for row in rows} == {seen}
    apart = by_time or view.depends_on_query
    assert len(groups) == (len(set(asked.tolist())) if apart else min(1, len(asked)))


@given(first=times, last=times, asked=many_times)
def test_what_is_shown_is_a_stretch_of_ordered_times(
    first: int, last: int, asked: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> None:
    view, ordered = View.all().since(first).until(last), np.sort(asked)
    begin, stop = view.stretch(ordered)
    inside = np.array([view.shows(int(time)) for time in ordered], dtype=bool)
    np.testing.assert_array_equal(np.flatnonzero(inside), np.arange(begin, stop))
    np.testing.assert_array_equal(view.shown(ordered), inside)


def test_a_view_says_how_it_is_made() -> None:
    view = View.all().without([2]).since(1).until(8)
    assert repr(view) == "View.all().without([2]).since(1).until(8)"
    assert repr(view.before_query()) == f"{view!r}.before_query()"
    assert repr(view.window(3)) == f"{view!r}.window(3)"
    assert repr(View.all()) == "View.all()"
