"""Which values are tried next when one setting is searched after the other, as the T-GAP paper did.

The first setting runs through its values while all others stay where they started; the best one is kept, then comes
the second. It is a pure function of what has been tried, so any number of processes can ask, and a search that was
killed goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tgap.tuning.space import Space


class Tried(NamedTuple):
    """A trial: its values, and its result; None while it runs, minus infinity if it failed."""

    values: Mapping[str, Any]
    result: float | None


class Proposal(NamedTuple):
    """What to do next: try ``values``; without them, wait for the trials that run, or be done."""

    values: dict[str, Any] | None
    done: bool = False


def next_in_turn(space: Space, start: Mapping[str, Any], tried: Sequence[Tried]) -> Proposal:
    """The next values of a search in turn; ``start`` has a value for every setting of the space."""
    best = dict(start)
    results = {_key(trial.values): trial.result for trial in tried}
    for name, domain in space.settings.items():
        values = tuple(dict.fromkeys((best[name], *domain.listed())))
        candidates = [{**best, name: value} for value in values]
        open_ones = [candidate for candidate in candidates if _key(candidate) not in results]
        if open_ones:
            return Proposal(open_ones[0])
        outcomes = [results[_key(candidate)] for candidate in candidates]
        finished = [outcome for outcome in outcomes if outcome is not None]
        if len(finished) < len(outcomes):
            return Proposal(None)  # another process is still trying one of them
        best = candidates[outcomes.index(max(finished))]
    return Proposal(None, done=True)


def _key(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, repr(value)) for name, value in values.items()))
