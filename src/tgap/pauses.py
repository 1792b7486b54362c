"""Pauses in long computations: places where another computation may come in between, or this one may end for good.

An explanation with measured effects is dozens of forward passes. A model calls ``pause`` before each of them, and a
thread that wants to know of it sets a *hook*: the server's work queue, which lets questions through that came meanwhile
and raises where nobody waits for the answer any more. Without a hook nothing happens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_thread = threading.local()


@contextmanager
def pausing(hook: Callable[[], object]) -> Iterator[None]:
    """Inside, ``hook`` is called at every pause of this thread.

    >>> with pausing(lambda: print("held up")):
    ...     pause()
    held up
    """
    before = getattr(_thread, "hook", None)
    _thread.hook = hook
    try:
        yield
    finally:
        _thread.hook = before


def pause() -> None:
    """Here the computation may be held up or ended."""
    hook = getattr(_thread, "hook", None)
    if hook is not None:
        hook()


def pauses_heard() -> bool:
    """Whether a hook is set: then a computation stays in this thread, since other threads have no hook."""
    return getattr(_thread, "hook", None) is not None
