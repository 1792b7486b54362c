from __future__ import annotations

import pytest
import torch

from tgap.training.average import WeightAverage


def test_average_follows_quickly_then_slowly() -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    with torch.no_grad():
        model.weight.fill_(0.0)
    average = WeightAverage(model, decay=0.5)
    expected = 0.0
    for step in range(6):
        with torch.no_grad():
            model.weight.fill_(float(step + 1))
        average.update()
        decay = min(0.5, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * (step + 1)
    assert average.tensors["weight"].item() == pytest.approx(expected)


def test_average_is_applied_only_inside_the_block_even_after_an_error() -> None:
    model = torch.nn.Linear(2, 2)
    average = WeightAverage(model, decay=0.9)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for tensor in average.tensors.values():
        tensor.fill_(7.0)
    with pytest.raises(ValueError, match="inside"), average.applied():  # noqa: PT012
        assert all((tensor == 7.0).all() for tensor in model.state_dict().values())
        raise ValueError("inside")
    assert all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())


def test_average_continues_from_saved_tensors() -> None:
    first = torch.nn.Linear(2, 1)
    average = WeightAverage(first, decay=0.8)
    average.update()
    copy = WeightAverage(first, decay=0.8)
    copy.restore(average.tensors, average.count)
    with torch.no_grad():
        first.weight.add_(1.0)
    average.update()
    copy.update()
    assert all(torch.equal(average.tensors[name], copy.tensors[name]) for name in average.tensors)
