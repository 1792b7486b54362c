"""Answers kept ready: what they are kept under names model and facts, so the same question has the same answer."""

from __future__ import annotations

import threading
from collections import OrderedDict


class AnswerCache:
    """Encoded answers by question, the least recently used leave first."""

    def __init__(self, megabytes: int) -> None:
        self._limit = megabytes * 2**20
        self._answers: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    def __len__(self) -> int:
        return len(self._answers)

    def __contains__(self, key: object) -> bool:
        return key in self._answers

    @property
    def nbytes(self) -> int:
        """Memory in use, keys included."""
        return self._bytes

    def get(self, key: str) -> bytes | None:
        """The answer to a question that was asked before."""
        with self._lock:
            found = self._answers.get(key)
            if found is None:
                self.misses += 1
                return None
            self.hits += 1
            self._answers.move_to_end(key)
            return found

    def put(self, key: str, answer: bytes) -> None:
        """Keep an answer, if it fits at all."""
        size = len(key) + len(answer)
        with self._lock:
            if key in self._answers or size > self._limit:
                return
            self._answers[key] = answer
            self._bytes += size
            while self._bytes > self._limit:
                old, content = self._answers.popitem(last=False)
                self._bytes -= len(old) + len(content)
