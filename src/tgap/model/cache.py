"""A bounded store of PGNN features by query time, for evaluation and serving."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from tgap.model.walk import Features


class FeatureCache:
    """Least recently used entries go when ``megabytes`` are full. Valid for one set of weights and the whole graph."""

    def __init__(self, megabytes: int) -> None:
        self._limit = megabytes * 2**20
        self._entries: OrderedDict[int, Features] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, time: int, compute: Callable[[int], Features]) -> Features:
        """The features of a time, computed at most once while they stay in the store: who asks meanwhile waits."""
        with self._lock:
            found = self._entries.get(time)
            if found is None:
                found = compute(time)
                self._keep(time, found)
            else:
                self._entries.move_to_end(time)
            return found

    def _keep(self, time: int, fresh: Features) -> None:
        if fresh.nbytes > self._limit:
            return
        self._entries[time] = fresh
        self._bytes += fresh.nbytes
        while self._bytes > self._limit:
            _, oldest = self._entries.popitem(last=False)
            self._bytes -= oldest.nbytes

    def clear(self) -> None:
        """Forget everything: the weights have changed."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0

    @property
    def nbytes(self) -> int:
        """Memory in use."""
        return self._bytes
