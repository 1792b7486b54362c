"""The best entities of a row, against sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.evaluation.top import top_answers


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1, max_size=3), st.integers(1, 8))
def test_top_equals_sorting(table: list[list[int]], k: int) -> None:
    top = top_answers(np.array(table, dtype=np.float32), k)
    for row, entity, score in zip(table, top.entity.tolist(), top.score.tolist(), strict=True):
        expected = sorted(range(len(row)), key=lambda at: (-row[at], at))[:k]
        assert entity == expected
        assert score == [row[at] for at in expected]
