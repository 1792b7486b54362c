"""A view is a value: narrowed, combined, compared and hashed without a graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    assert view.strictly_past
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
        View.all().last = 3  # type: ignore[misc]
