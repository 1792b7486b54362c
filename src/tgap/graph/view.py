"""View: what of a graph may be seen, as a value.

Training hides a batch's own facts; an explanation hides the facts whose effect it measures; a forecast sees only what
happened before its own time. A view is a cheap description that can be compared, hashed and combined; it knows no
graph. What it shows of one is found out by ``resolve.py``.

    View.all().without(facts)          all but some facts, each with its inverse and all its copies
    View.all().since(3).until(8)       events from time 3 to time 8, both included
    View.all().before(9)               events strictly before time 9
    View.all().before_query()          events strictly before the time of the query that is being answered

Views only ever narrow: what one step takes away no later step brings back. Self-loops have no time and stay visible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class View:
    """What may be seen; made by ``View.all()`` and the methods that narrow it.

    >>> View.all().without([7, 3, 7]) == View.all().without([3]).without([7])
    True
    >>> View.all().until(8).before(6)
    View(hidden=(), first=None, last=5, strictly_past=False)
    """

    hidden: tuple[int, ...] = ()  # facts taken away (ids as in ``TemporalGraph.fact``), ascending
    first: int | None = None  # earliest time that is seen; None: no limit
    last: int | None = None  # latest time that is seen
    strictly_past: bool = False  # of each query's own time only what lies strictly before it

    @staticmethod
    def all() -> View:
        """The whole graph."""
        return WHOLE

    def without(self, facts: Iterable[int]) -> View:
        """Without these facts, their inverses and their copies; -1 (no such fact) is ignored."""
        hidden = {int(fact) for fact in facts if fact >= 0}
        return replace(self, hidden=tuple(sorted(hidden.union(self.hidden)))) if hidden else self

    def since(self, time: int) -> View:
        """Only events at ``time`` or later."""
        return replace(self, first=time if self.first is None else max(self.first, time))

    def until(self, time: int) -> View:
        """Only events at ``time`` or earlier."""
        return replace(self, last=time if self.last is None else min(self.last, time))

    def before(self, time: int) -> View:
        """Only events strictly before ``time``."""
        return self.until(time - 1)

    def before_query(self) -> View:
        """Only events strictly before the time of the query that is being answered, which may differ in a batch."""
        return replace(self, strictly_past=True)

    def at(self, time: int) -> View:
        """The view that a query of this time has: the same for all times, unless it ends before the query's own."""
        return replace(self.before(time), strictly_past=False) if self.strictly_past else self

    def shows(self, time: int) -> bool:
        """Whether events of a time are within the limits; a view that depends on the query is asked by ``at``."""
        assert not self.strictly_past, "this view depends on the query: ask view.at(time)"
        return (self.first is None or self.first <= time) and (self.last is None or time <= self.last)

    def within(self, limits: View) -> View:
        """What both this view and ``limits`` show.

        >>> View.all().until(8).within(View.all().since(3).until(9))
        View(hidden=(), first=3, last=8, strictly_past=False)
        """
        if limits == WHOLE:
            return self
        both = self.without(limits.hidden)
        both = both if limits.first is None else both.since(limits.first)
        both = both if limits.last is None else both.until(limits.last)
        return both.before_query() if limits.strictly_past else both

    @property
    def with_all_facts(self) -> View:
        """The same limits in time, with no fact taken away by name."""
        return replace(self, hidden=()) if self.hidden else self


WHOLE = View()
