"""The reference runs wherever the parameters are; the compiled kernels say that they need the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from tests.model.second_device import AWAY, Away, MixedDevicesError, second_device
from tests.model.tiny_models import batch_of, model_of
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.config import EvaluationConfig
from tgap.errors import ConfigError
from tgap.graph import View
from tgap.model.scorer import TGAPScorer
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP

SPAN = 12
QUERIES = batch_of((2, 1, 5), (0, 4, 3), (5, 2, 5))
ANSWERS = np.array([1, 3, 2])
CONFIGS = {
    "recommended": tiny_config(),
    "paper": tiny_config("paper"),
    "signed": tiny_config(flow_displacement="signed", pgnn_layers=2),
    "absolute": tiny_config(displacement="absolute"),
    "no subgraph": tiny_config(subgraph=False),
    "capped": tiny_config(walk_cap=4, gather_cap=3),
    "lazy": tiny_config(walk_cap=4, lazy=True),
}


@pytest.fixture(autouse=True)
def _second_device() -> Iterator[None]:
    with second_device():
        yield


def build(config: TGAPSettings, kernels: str = "reference") -> TGAP:
    return model_of(config, tiny_graph(3, facts=60), SPAN, random_parameters(config, 8, 3, SPAN, 1), kernels)


def test_the_second_device_is_as_strict_as_a_real_one() -> None:
    here, away = torch.ones(3), torch.ones(3).to(AWAY)
    assert isinstance(away, Away)
    assert (away + away).device == away.new_zeros(2).device == torch.zeros(2, device=away.device).device == AWAY
    assert (away * torch.tensor(2.0)).cpu().tolist() == [2, 2, 2]
    with pytest.raises(MixedDevicesError):
        here + away
    with pytest.raises(MixedDevicesError):
        away.index_select(0, torch.tensor([0, 1]))
    with pytest.raises(MixedDevicesError):
        away[torch.tensor([0, 1])] = 2.0
    with pytest.raises(MixedDevicesError):
        torch.cat([here, away])
    with pytest.raises(TypeError, match="can't convert"):
        away.numpy()
    assert away.numpy(force=True).tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", CONFIGS)
def test_the_reference_runs_on_the_device_of_its_parameters(name: str) -> None:
    at_home, away = build(CONFIGS[name]), build(CONFIGS[name]).to(AWAY)
    view = View.all()
    assert all(isinstance(parameter, Away) for parameter in away.parameters())

    scores = away.score(QUERIES, view, 0)
    assert isinstance(scores, Away)
    torch.testing.assert_close(scores.cpu(), at_home.score(QUERIES, view, 0))
    records = away.record(QUERIES.take(slice(0, 1)), view, 0)
    torch.testing.assert_close(records[-1].after.mean().sum().cpu(), torch.tensor(1.0, dtype=torch.float64))

    for model in (at_home, away):
        model.loss(QUERIES, ANSWERS, view, 0).value.backward()  # type: ignore[no-untyped-call]
    for (parameter, wanted), got in zip(at_home.named_parameters(), away.parameters(), strict=True):
        if wanted.grad is None:
            assert got.grad is None
            continue
        assert isinstance(got.grad, Away), parameter
        torch.testing.assert_close(got.grad.cpu(), wanted.grad)


def test_the_scorer_brings_its_answers_home() -> None:
    at_home, away = build(CONFIGS["recommended"]), build(CONFIGS["recommended"]).to(AWAY)
    wanted, got = (TGAPScorer(model, EvaluationConfig()).score(QUERIES) for model in (at_home, away))
    np.testing.assert_allclose(got, wanted)


def test_the_compiled_kernels_want_the_cpu() -> None:
    model = build(CONFIGS["recommended"], "compiled").to(AWAY)
    view = View.all()
    clear = "the compiled kernels run on the CPU, but the model is on meta; move it"
    with pytest.raises(ConfigError, match=clear):
        model.score(QUERIES, view, 0)
    with pytest.raises(ConfigError, match=clear):
        model.loss(QUERIES, ANSWERS, view, 0)
    with pytest.raises(ConfigError, match=clear):
        TGAPScorer(model, EvaluationConfig()).score(QUERIES)
