"""One setting after the other: against a plain loop, with every order in which processes may end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tgap.tuning.proposals import Proposal, Tried, next_in_turn
from tgap.tuning.space import Choice, Space

SPACE = Space({"a": Choice((1, 2, 3)), "b": Choice((10, 20)), "c": Choice(("x", "y", "z"))}, search="in turn")
START = {"a": 2, "b": 5, "c": "x"}


def plain(space: Space, start: dict[str, Any], result: dict[str, float]) -> dict[str, Any]:
    """The rule as people do it by hand."""
    best = dict(start)
    for name, domain in space.settings.items():
        for value in domain.listed():
            other = {**best, name: value}
            if result[str(other)] > result[str(best)]:
                best = other
    return best


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("workers", [1, 3])
def test_it_ends_where_a_plain_loop_ends(seed: int, workers: int) -> None:
    draw = np.random.default_rng(seed)
    result = {
        str({"a": a, "b": b, "c": c}): draw.random() for a in (1, 2, 3) for b in (5, 10, 20) for c in ("x", "y", "z")
    }
    tried: list[Tried] = []
    while True:
        running = [at for at, trial in enumerate(tried) if trial.result is None]
        proposal = next_in_turn(SPACE, START, tried) if len(running) < workers else Proposal(None)
        if proposal.done:
            break
        if proposal.values is not None:
            tried.append(Tried(proposal.values, None))
        else:
            assert running, "it waits for somebody"
            at = int(draw.choice(running))
            tried[at] = Tried(tried[at].values, result[str(tried[at].values)])
    assert len({str(trial.values) for trial in tried}) == len(tried) == 3 + 2 + 2, "nothing is tried twice"
    best = max(tried, key=lambda trial: trial.result or 0.0)
    assert best.values == plain(SPACE, START, result)


def test_one_that_failed_is_never_kept() -> None:
    space = Space({"a": Choice((1, 2))}, search="in turn")
    tried = [Tried({"a": 1}, 0.0), Tried({"a": 2}, float("-inf"))]
    assert next_in_turn(space, {"a": 1}, tried) == Proposal(None, done=True)
