"""View: what of a graph may be seen, as a value.

Training hides a batch's own facts; an explanation hides the facts whose effect it measures; a forecast sees only what
happened before its own time. A view is a cheap description that can be compared, hashed and combined; it knows no
graph. What it shows of one is found out by ``resolve.py``.

    View.all().without(facts)          all but some facts, each with its inverse and all its copies
    View.all().since(3).until(8)       events from time 3 to time 8, both included
    View.all().before(9)               events strictly before time 9
    View.all().before_query()          events strictly before the time of the query that is being answered
    View.all().window(30)              of these only the last 30 units of the timeline before the query

Views only ever narrow: what one step takes away no later step brings back. Self-loops have no time and stay visible.
Only this file knows how the limits in time are kept: it groups queries that see the same facts (``groups``), finds
the facts within the limits (``shown``, ``stretch``) and puts the limits into words (``title``, ``clause``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tgap.data import Timeline
from tgap.errors import ConfigError

Times = NDArray[np.integer]
Rows = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class View:
    """What may be seen; made by ``View.all()`` and the methods that narrow it.

    >>> View.all().without([7, 3, 7]) == View.all().without([3]).without([7])
    True
    >>> View.all().until(8).before(6)
    View.all().until(5)
    """

    hidden: tuple[int, ...] = ()  # facts taken away by name (ids as in ``TemporalGraph.fact``), ascending
    _first: int | None = None  # earliest time that is seen; None: no limit
    _last: int | None = None  # latest time that is seen
    _past_only: bool = False  # of each query's own time only what lies strictly before it
    _window: int | None = None  # units before the query's time that are seen; only with ``_past_only``

    def __repr__(self) -> str:
        parts = [f"without({list(self.hidden)})"] if self.hidden else []
        parts += [] if self._first is None else [f"since({self._first})"]
        parts += [] if self._last is None else [f"until({self._last})"]
        if self._past_only:
            parts.append("before_query()" if self._window is None else f"window({self._window})")
        return ".".join(["View.all()", *parts])

    @staticmethod
    def all() -> View:
        """The whole graph."""
        return WHOLE

    # Narrowing.

    def without(self, facts: Iterable[int]) -> View:
        """Without these facts, their inverses and their copies; -1 (no such fact) is ignored."""
        hidden = {int(fact) for fact in facts if fact >= 0}
        return replace(self, hidden=tuple(sorted(hidden.union(self.hidden)))) if hidden else self

    def since(self, time: int) -> View:
        """Only events at ``time`` or later."""
        return replace(self, _first=time if self._first is None else max(self._first, time))

    def until(self, time: int) -> View:
        """Only events at ``time`` or earlier."""
        return replace(self, _last=time if self._last is None else min(self._last, time))

    def before(self, time: int) -> View:
        """Only events strictly before ``time``."""
        return self.until(time - 1)

    def before_query(self) -> View:
        """Only events strictly before the time of the query that is being answered, which may differ in a batch."""
        return replace(self, _past_only=True)

    def window(self, duration: int) -> View:
        """Only events of the last ``duration`` units of the timeline before the query's time.

        >>> View.all().window(30).at(100)
        View.all().since(70).until(99)
        """
        if duration < 1:
            raise ConfigError(f"a window of {duration} units shows nothing; expected at least 1")
        shortest = duration if self._window is None else min(self._window, duration)
        return replace(self, _past_only=True, _window=shortest)

    def within(self, limits: View) -> View:
        """What both this view and ``limits`` show.

        >>> View.all().until(8).within(View.all().since(3).until(9))
        View.all().since(3).until(8)
        """
        if limits == WHOLE:
            return self
        both = self.without(limits.hidden)
        both = both if limits._first is None else both.since(limits._first)
        both = both if limits._last is None else both.until(limits._last)
        both = both if limits._window is None else both.window(limits._window)
        return both.before_query() if limits._past_only else both

    # What a query sees.

    @property
    def depends_on_query(self) -> bool:
        """Whether queries of different times see different facts."""
        return self._past_only

    @property
    def past_only(self) -> bool:
        """Whether a query sees nothing from its own time on."""
        return self._past_only

    def at(self, time: int) -> View:
        """The view that a query of this time has; one that depends on no query is the same for all times."""
        if not self._past_only:
            return self
        seen = replace(self.before(time), _past_only=False, _window=None)
        return seen if self._window is None else seen.since(time - self._window)

    def groups(self, times: Times, *, by_time: bool = False) -> list[tuple[Rows, View]]:
        """Queries that see the same facts, by number, with what they see; ``times`` are those of the queries.

        With ``by_time`` queries of different times are apart even where they see the same.

        >>> View.all().before_query().groups(np.array([5, 3, 5]))
        [(array([1]), View.all().until(2)), (array([0, 2]), View.all().until(4))]
        """
        if not len(times):
            return []
        if not (self._past_only or by_time):
            return [(np.arange(len(times)), self)]
        order = np.argsort(times, kind="stable")
        apart = np.split(order, np.flatnonzero(np.diff(times[order])) + 1)
        return [(rows, self.at(int(times[rows[0]]))) for rows in apart]

    # Which facts that is. A view that depends on the query is asked by ``at`` first.

    @property
    def bounded(self) -> bool:
        """Whether the limits may leave out a time."""
        return self._first is not None or self._last is not None

    def shows(self, time: int) -> bool:
        """Whether events of a time are within the limits."""
        self._check_fixed()
        return (self._first is None or self._first <= time) and (self._last is None or time <= self._last)

    def shown(self, times: Times) -> NDArray[np.bool_]:
        """Which events with these times are within the limits."""
        self._check_fixed()
        shown = np.ones(len(times), dtype=bool)
        if self._first is not None:
            shown &= times >= self._first
        if self._last is not None:
            shown &= times <= self._last
        return shown

    def stretch(self, times: Times) -> tuple[int, int]:
        """Where the events within the limits begin and stop among events with these times, which are ascending."""
        self._check_fixed()
        begin = 0 if self._first is None else int(np.searchsorted(times, self._first))
        stop = len(times) if self._last is None else int(np.searchsorted(times, self._last, side="right"))
        return begin, max(begin, stop)

    def _check_fixed(self) -> None:
        assert not self._past_only, "this view depends on the query: ask view.at(time)"

    @property
    def with_all_facts(self) -> View:
        """The same limits in time, with no fact taken away by name."""
        return replace(self, hidden=()) if self.hidden else self

    # In words.

    def limit_of_all(self) -> int | None:
        """Latest time that any query sees; None: no limit."""
        return self._last

    def earliest_of_all(self) -> int | None:
        """Earliest time that any query sees; None: no limit."""
        return self._first

    def window_length(self) -> int | None:
        """Units before a query's time that it sees; None: no window."""
        return self._window

    def title(self, timeline: Timeline) -> str:
        """What tables add to the name of a setting, beside whether only the past is seen."""
        window = "" if self._window is None else f", last {_units(self._window, timeline)}"
        first = "" if self._first is None else f" since {timeline.format(self._first)}"
        return window + first + ("" if self._last is None else f" as of {timeline.format(self._last)}")

    def clause(self, timeline: Timeline) -> str:
        """Which facts a query sees, as the end of "a query sees the facts ..."."""
        if self._window is not None:
            clause = f"of the last {_units(self._window, timeline)} before the asked time"
        else:
            clause = "that lie strictly before the asked time" if self._past_only else "before and after it"
        clause += "" if self._first is None else f", nothing earlier than {timeline.format(self._first)}"
        return clause + ("" if self._last is None else f", nothing later than {timeline.format(self._last)}")

    def notes(self, timeline: Timeline, time: int) -> tuple[str, ...]:
        """A note on an answer at ``time``, if the limits leave anything out."""
        seen = self.at(time)
        since = "" if seen._first is None else f" since {timeline.format(seen._first)}"
        if seen._last is not None:
            rest = "later" if seen._first is None else "else"
            return (f"answered from what is known{since} until {timeline.format(seen._last)}; nothing {rest} was seen",)
        return (f"answered from what is known{since}; nothing earlier was seen",) if since else ()


def _units(count: int, timeline: Timeline) -> str:
    """A number of units in words: 1 day, 30 days."""
    return f"{count:,} {timeline.unit_word}{'' if count == 1 else 's'}"


WHOLE = View()
