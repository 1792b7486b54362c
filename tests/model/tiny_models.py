"""T-GAP on tiny graphs, with parameters that the oracle can share, and what a recorded walk says edge by edge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from tgap.graph import TemporalGraph, View
from tgap.graph.view import WHOLE
from tgap.model.forward import StepRecord
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import Query, QueryBatch

Gradients = dict[str, NDArray[np.floating]]


def model_of(
    config: TGAPSettings,
    graph: TemporalGraph,
    span: int,
    parameters: Mapping[str, ArrayLike],
    kernels: str = "compiled",
    dtype: torch.dtype = torch.float64,
) -> TGAP:
    """A model with the given parameters; names and shapes must be exactly those of docs/model.md."""
    model = TGAP(config, graph, span, kernels=kernels).to(dtype)
    model.load_state_dict({name: torch.tensor(np.asarray(value), dtype=dtype) for name, value in parameters.items()})
    return model


def batch_of(*queries: tuple[int, int, int]) -> QueryBatch:
    """Batch of (subject, relation, time)."""
    return QueryBatch.of([Query(*query) for query in queries])


def scores_of(model: TGAP, queries: QueryBatch, seed: int = 0, view: View = WHOLE) -> NDArray[np.floating]:
    """[B, N] scores with the whole graph visible, or what ``view`` shows of it."""
    result: NDArray[np.floating] = model.score(queries, view, seed).numpy()
    return result


def loss_and_gradients(
    model: TGAP, queries: QueryBatch, answers: list[int], view: View, seed: int
) -> tuple[float, Gradients]:
    """Mean loss and the gradient of every parameter; a parameter that the loss does not touch has gradient 0."""
    model.zero_grad(set_to_none=True)
    loss = model.loss(queries, np.array(answers, np.int64), view, seed).value
    loss.backward()  # type: ignore[no-untyped-call]
    return loss.item(), gradients(model)


def gradients(model: TGAP) -> Gradients:
    """Gradient of every parameter after a backward pass."""
    return {
        name: (torch.zeros_like(parameter) if parameter.grad is None else parameter.grad).numpy().copy()
        for name, parameter in model.named_parameters()
    }


@dataclass(frozen=True)
class SeenStep:
    """One step of a recorded walk in the oracle's terms."""

    attention: NDArray[np.floating]  # [E, H] of every edge of the graph
    mean: NDArray[np.floating]  # [E]
    mass: NDArray[np.floating]  # [N, H]
    core: list[int]
    candidates: list[int]  # sorted
    added: list[int]  # sorted
    entities: list[int]  # sorted
    edges: list[int]  # sorted


def seen(graph: TemporalGraph, record: StepRecord) -> SeenStep:
    """What a record says, spread over all edges and entities."""
    flows = record.before.flows
    attention = np.zeros((graph.num_edges, flows))
    mean = np.zeros(graph.num_edges)
    for m, entity in enumerate(record.before.entity):
        first, last = int(graph.row[entity]), int(graph.row[entity + 1])
        start = int(record.recording.start[m])
        attention[first:last] = record.recording.full[start : start + last - first, :flows]
        mean[first:last] = record.recording.mean[start : start + last - first]
    mass = np.zeros((graph.num_entities, flows))
    mass[record.after.entity] = record.after.value.numpy()[:, :flows]
    core, sample = record.core, record.sample
    return SeenStep(
        attention=attention,
        mean=mean,
        mass=mass,
        core=[] if core is None else record.before.entity[core.entry].tolist(),
        candidates=[] if sample is None else sorted(sample.candidate.tolist()),
        added=[] if sample is None else sorted(sample.added.tolist()),
        entities=sorted(record.subgraphs.entity.tolist()),
        edges=sorted(record.subgraphs.edge.tolist()),
    )
