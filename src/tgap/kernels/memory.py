"""Keep freed memory for the next step instead of returning it to the system.

A step of training allocates and frees the same large arrays again and again: 42 MB for the scores of a thousand queries
about ten thousand entities, several times per step. The C library as it comes takes such arrays from the system and
returns them at once, so every use of a page begins with a fault and a page of zeros: more than half of a step of
TransE on ICEWS05-15. Here it is told to keep up to a gigabyte.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3  # names of mallopt's parameters in <malloc.h>
_KEPT = 2**30
_MORE = 2**26  # bytes allocated beyond a request, so that system calls are rare
_SET_BY_USER = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def keep_freed_memory(environment: Mapping[str, str] = os.environ) -> bool:
    """Configure the allocator; returns whether it was done: only with glibc, and not if the user has configured it."""
    if any(name in environment for name in _SET_BY_USER):
        return False
    adjust = getattr(ctypes.CDLL(None) if os.name == "posix" else None, "mallopt", None)
    if adjust is None:
        return False
    wanted = ((_TRIM_THRESHOLD, _KEPT), (_TOP_PAD, _MORE), (_MMAP_THRESHOLD, _KEPT))
    return sum(adjust(name, size) for name, size in wanted) == len(wanted)
