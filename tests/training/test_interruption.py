from __future__ import annotations

import os
import signal

import pytest

from tgap.training.interruption import Interruption, InterruptionError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_a_request_and_the_usual_handlers_come_back(number: int) -> None:
    usual = signal.getsignal(number)
    interruption = Interruption()
    with interruption.on_signals():
        interruption.check()
        os.kill(os.getpid(), number)
        assert interruption.requested
        assert interruption.signal_number == number
        assert signal.getsignal(number) == usual  # so that a second one acts at once
        with pytest.raises(InterruptionError):
            interruption.check()
    assert signal.getsignal(number) == usual
