"""How torch's threads (OpenMP's) wait for work. Must be said before torch is loaded: nothing else is imported here."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

_SPINS = 2000  # looks before sleeping, some ten microseconds


def wait_briefly(environment: MutableMapping[str, str] = os.environ) -> None:
    """Torch's threads look out for work for a moment, then sleep; what the user has set stands.

    As they come they would spin for milliseconds and take the cores from the kernels' threads: 22 s instead of 7 s of
    processor time for the same steps on two busy cores. If they slept at once, each of the hundred products of a
    training step would wake them, which in a virtual machine costs tens of microseconds: steps of two threads took
    2.4 ms per query instead of 2.0 (ICEWS14, batches of 64).
    """
    if "OMP_WAIT_POLICY" not in environment:
        environment["OMP_WAIT_POLICY"] = "PASSIVE"
        environment.setdefault("GOMP_SPINCOUNT", str(_SPINS))
