from __future__ import annotations

import os
import signal

import pytest

from tgap.training.interruption import Interruption, InterruptionError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_a_request_and_the_usual_handlers_come_back(number: int) -> None:
    usual = signal.getsignal(number)
    interruption = Interruption()
    heard: list[int] = []
    with interruption.on_signals(heard.append):
        interruption.check()
        assert not heard
        os.kill(os.getpid(), number)
        assert interruption.requested
        assert interruption.signal_number == number
        assert heard == [number]
        assert signal.getsignal(number) == usual  # so that a second one acts at once
        with pytest.raises(InterruptionError):
            interruption.check()
    assert signal.getsignal(number) == usual
