"""Where does the time of a step go? Every moment of forward and backward belongs to one part of the model.

While profiling, the functions of each part are wrapped in ranges of torch's profiler. A moment of the forward pass
belongs to the innermost range around it, Python and numpy included. A node of the backward pass belongs to the part
that its forward operation ran in; the two carry the same sequence number. What lies in no range is the rest: the query
vector, the loss, the hiding of facts, the accumulation of gradients.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

PARTS = ("PGNN", "flow", "SGNN", "sampling", "optimiser", "rest")
STEP, PART, BACKWARD = "benchmark step", "benchmark part ", "autograd::engine::evaluate_function: "


def shares(engine: Any, step: Callable[[Any], None], batches: Sequence[Any]) -> dict[str, float]:
    """Share of each part in the time of ``step`` over some batches; together 1."""
    from torch.profiler import ProfilerActivity, profile, record_function

    with labelled(engine), profile(activities=[ProfilerActivity.CPU]) as seen:
        for batch in batches:
            with record_function(STEP):
                step(batch)
    spent = attribute(seen.events())
    total = sum(spent.values())
    return {part: spent[part] / total for part in PARTS}


@contextmanager
def labelled(engine: Any) -> Iterator[None]:
    """Inside the block the functions of each part open a range with its name."""
    from tgap.graph.subgraph import Subgraphs
    from tgap.model.displacement import Displacement
    from tgap.model.forward import ForwardPass
    from tgap.model.pgnn import Features
    from tgap.model.tgap import TGAP

    backend = type(engine.model.backend)
    functions: list[tuple[str, Any, str]] = [
        ("PGNN", TGAP, "first_tables features features_of"),
        ("PGNN", Features, "join"),
        ("flow", backend, "flow_tables step to_targets to_all"),
        ("flow", Displacement, "flow_table"),
        ("flow", ForwardPass, "_condition _look_ahead _inputs"),
        ("SGNN", ForwardPass, "_update"),
        ("sampling", ForwardPass, "_choose_core _recording _sample"),
        ("sampling", Subgraphs, "grow"),
        ("optimiser", type(engine), "improve"),
    ]
    originals = [(owner, name, vars(owner)[name]) for _, owner, names in functions for name in names.split()]
    for part, owner, names in functions:
        for name in names.split():
            setattr(owner, name, _ranged(part, vars(owner)[name]))
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def _ranged(part: str, function: Any) -> Any:
    """The function inside a range; a static method stays one."""
    from torch.profiler import record_function

    inner = function.__func__ if isinstance(function, staticmethod) else function

    @wraps(inner)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with record_function(PART + part):
            return inner(*args, **kwargs)

    return staticmethod(wrapper) if isinstance(function, staticmethod) else wrapper


def attribute(events: Iterable[Any]) -> dict[str, float]:
    """Microseconds of each part inside the steps, from the events of the thread that ran them."""
    events = list(events)
    thread = next(event.thread for event in events if event.name == STEP)
    mine = [event for event in events if event.thread == thread]
    mine.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
    spent: dict[str, float] = defaultdict(float)
    maker: dict[int, str] = {}  # part that made the node with a sequence number
    around: list[tuple[str, float, bool]] = []  # ranges we are in, innermost last: part, end, backward
    at = 0.0
    for event in mine:
        start, end = event.time_range.start, event.time_range.end
        at = _advance(around, spent, at, start)
        if event.name == STEP:
            part = "rest"
        elif not around:
            continue
        elif event.name.startswith(PART):
            part = event.name.removeprefix(PART)
        elif event.name.startswith(BACKWARD):
            part = maker.get(event.sequence_nr, "rest")
        else:  # an operation; of those with one number the last to start made the node
            if event.sequence_nr >= 0 and not around[-1][2]:
                maker[event.sequence_nr] = around[-1][0]
            continue
        around.append((part, min(end, around[-1][1]) if around else end, event.name.startswith(BACKWARD)))
    _advance(around, spent, at, float("inf"))
    return spent


def _advance(around: list[tuple[str, float, bool]], spent: dict[str, float], at: float, now: float) -> float:
    """Give the time from ``at`` to ``now`` to the innermost ranges, and leave those that end before."""
    while around and around[-1][1] <= now:
        part, end, _ = around.pop()
        spent[part] += max(end - at, 0.0)
        at = max(at, end)
    if around:
        spent[around[-1][0]] += now - at
    return now
