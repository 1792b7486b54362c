"""Losses against their definitions written with loops."""

from __future__ import annotations

import math

import pytest
import torch

from tgap.baselines.losses import margin_loss, mask_answers, sampled_softmax_loss, softmax_loss

SCORES = torch.tensor([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]], dtype=torch.float64)
ANSWER = torch.tensor([0, 2])


def test_softmax_compares_with_every_entity() -> None:
    expected = [
        math.log(sum(math.exp(x) for x in row)) - row[a] for row, a in zip(SCORES.tolist(), (0, 2), strict=True)
    ]
    assert float(softmax_loss(SCORES, ANSWER)) == pytest.approx(sum(expected) / 2)


def test_sampled_over_all_others_is_softmax() -> None:
    of_answer = SCORES.gather(1, ANSWER.unsqueeze(1)).squeeze(1)
    others = mask_answers(SCORES, torch.arange(3), ANSWER)
    assert float(sampled_softmax_loss(of_answer, others)) == pytest.approx(float(softmax_loss(SCORES, ANSWER)))


def test_margin_counts_what_is_not_far_enough_below() -> None:
    of_answer = torch.tensor([1.0, 0.0])
    negative = torch.tensor([[0.5, -3.0, 1.5], [2.0, -math.inf, -0.25]])
    expected = (0.5 + 0.0 + 1.5 + 3.0 + 0.75) / 5  # the query's own answer among the random entities does not count
    assert float(margin_loss(of_answer, negative, 1.0)) == pytest.approx(expected)


def test_only_the_own_answer_is_left_out() -> None:
    masked = mask_answers(torch.zeros(2, 4), torch.tensor([2, 0, 2, 1]), ANSWER)
    assert torch.isinf(masked).tolist() == [[False, True, False, False], [True, False, True, False]]
