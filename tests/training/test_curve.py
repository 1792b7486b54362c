from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from tgap.training.curve import curve_figure, draw_curve


def validation(epochs: float, mrr: float) -> dict[str, Any]:
    metrics = {rule: {"mrr": mrr, "hits1": mrr / 2, "hits10": mrr + 0.1} for rule in ("raw", "time")}
    return {"kind": "validation", "step": 1, "epochs": epochs, "validation": metrics}


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_a_curve_can_be_drawn_at_any_time(rounds: int) -> None:
    steps = [{"kind": "steps", "step": n, "epochs": n / 10, "loss": 4.0 - n / 10, "rate": 1e-3} for n in range(10)]
    png = draw_curve([*steps, *(validation(n + 1.0, 0.1 * n) for n in range(rounds))], "run")
    with Image.open(io.BytesIO(png)) as image:
        assert image.size == (1100, 440)
        assert len(image.convert("RGB").getcolors(1_000_000) or []) > 10


def test_before_the_first_validation_the_curve_says_so() -> None:
    def panel(lines: list[dict[str, Any]]) -> tuple[list[str], bool]:
        valid = curve_figure(lines, "run").axes[1]
        return [text.get_text() for text in valid.texts], valid.axison

    assert panel([]) == (["no validation yet"], False)
    assert panel([validation(1.0, 0.5)]) == ([], True)
