"""A bounded store of PGNN features by query time and view, for evaluation and serving."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from tgap.graph import View
from tgap.model.pgnn import Features

Key = tuple[int, View]  # time of the query and what it sees


class FeatureCache:
    """Least recently used entries go when ``megabytes`` are full. Valid for one set of weights on one graph."""

    def __init__(self, megabytes: int) -> None:
        self._limit = megabytes * 2**20
        self._entries: OrderedDict[Key, Features] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[FeatureCache], tuple[int]]:
        """A copy in another process begins empty."""
        return FeatureCache, (self._limit // 2**20,)

    def get(self, key: Key, compute: Callable[[], Features]) -> Features:
        """The features of a key, computed at most once while they stay in the store: who asks meanwhile waits."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                found = compute()
                self._keep(key, found)
            else:
                self._entries.move_to_end(key)
            return found

    def _keep(self, key: Key, fresh: Features) -> None:
        if fresh.nbytes > self._limit:
            return
        self._entries[key] = fresh
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
