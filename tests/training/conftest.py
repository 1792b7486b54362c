from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tgap.training import curve

DRAW = curve.draw_curve


@pytest.fixture
def drawn_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    """The curve is drawn, which tests leave out otherwise."""
    monkeypatch.setattr(curve, "draw_curve", DRAW)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Tiny tensors gain nothing from threads, and waiting ones disturb other tests."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
