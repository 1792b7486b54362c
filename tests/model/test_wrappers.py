"""TGAP is a torch module like any other: torch's own wrappers call it and find its gradients."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from tests.model.tiny_models import batch_of, gradients, model_of
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.learner import Loss
from tgap.model.batch import HiddenBatch
from tgap.model.tgap import TGAP


def tiny_model() -> TGAP:
    config = tiny_config()
    return model_of(config, tiny_graph(3), 12, random_parameters(config, 8, 3, 12, 3))


def a_batch() -> HiddenBatch:
    queries, answers = batch_of((0, 1, 4), (2, 3, 5), (0, 1, 4)), np.array([3, 1, 5])
    return HiddenBatch(epoch=0, index=0, queries=queries, answers=answers, facts=np.array([2, 7]), seed=5)


def test_calling_the_module_gives_the_loss_of_the_batch() -> None:
    model, batch = tiny_model(), a_batch()
    loss = model(batch)
    assert isinstance(loss, Loss)
    wanted = model.loss(batch.queries, batch.answers, batch.view, batch.seed)
    assert loss.value.item() == wanted.value.item()
    assert loss.metrics == wanted.metrics == {"unreachable": 0}


def test_several_machines_share_the_gradients(tmp_path: Path) -> None:
    alone, wrapped = tiny_model(), tiny_model()
    alone(a_batch()).value.backward()
    dist.init_process_group("gloo", init_method=f"file://{tmp_path / 'meeting'}", rank=0, world_size=1)
    try:
        parallel = DistributedDataParallel(wrapped, find_unused_parameters=True)
        parallel(a_batch()).value.backward()
    finally:
        dist.destroy_process_group()
    found = gradients(wrapped)
    for name, gradient in gradients(alone).items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-12, atol=1e-15, err_msg=name)
    assert torch.is_grad_enabled()
