"""Twenty steps of training give the losses in losses.txt."""

from __future__ import annotations

import numpy as np

from tests.golden.loss_curve import FILE, HEADER, run


def test_the_loss_curve_is_the_golden_one() -> None:
    first, *lines = FILE.read_text(encoding="utf-8").splitlines()
    assert first == HEADER
    golden = np.array([float(line) for line in lines])
    assert len(golden) == 20
    np.testing.assert_allclose(run().losses, golden, atol=1e-4, err_msg="if the model was meant to change: " + HEADER)
