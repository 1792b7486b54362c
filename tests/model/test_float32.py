"""In single precision on ICEWS14 the compiled kernels give what the reference gives, the subgraphs being handed in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from tests.model.tiny_models import Gradients, gradients
from tgap.data import Dataset, Facts, load_dataset
from tgap.errors import DataError
from tgap.graph import TemporalGraph, View
from tgap.graph.sampling import Sample
from tgap.methods import config_for
from tgap.model.forward import ForwardPass
from tgap.model.settings import TGAPSettings
from tgap.model.tgap import TGAP
from tgap.scorer import QueryBatch

NARROW = TGAPSettings(dimension=20, heads=5)
PAPER = config_for("tgap", "icews14", "paper").model.replace(dimension=20)
FULL = TGAPSettings(dimension=100, heads=5, flow_heads=True, scaled=True)


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    try:
        return load_dataset("icews14")
    except DataError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def graph(dataset: Dataset) -> TemporalGraph:
    train = dataset.train
    return TemporalGraph.build(
        dataset.num_entities, dataset.num_relations, train.subject, train.relation, train.object, train.time
    )


def walk(model: TGAP, facts: Facts, view: View, samples: Sequence[Sample]) -> tuple[np.ndarray, Gradients]:
    """Masses at the answers and the gradients of their mean loss."""
    queries = QueryBatch(facts.subject, facts.relation, facts.time)
    row, answer = np.arange(len(queries) + 1), facts.object.astype(np.int32)
    reached = ForwardPass(model, queries, model.views.resolve(view), seed=0, samples=samples).to_targets(row, answer)
    (-(reached + 1e-12).log().mean()).backward()  # type: ignore[no-untyped-call]
    return reached.detach().numpy(), gradients(model)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        pytest.param(NARROW, "one day", id="narrow, one day"),
        pytest.param(NARROW, "mixed days", id="narrow, mixed days"),
        pytest.param(PAPER, "one day", id="paper, one day"),
        pytest.param(PAPER, "mixed days", id="paper, mixed days"),
        pytest.param(FULL, "one day", id="full width, one day"),
    ],
)
def test_masses_and_gradients_agree_on_icews14(
    config: TGAPSettings, kind: str, dataset: Dataset, graph: TemporalGraph
) -> None:
    train = dataset.train
    random = np.random.default_rng(4)
    if kind == "one day":
        chosen = random.choice(np.flatnonzero(train.time == 200), 2 if config is FULL else 4, replace=False)
    else:
        chosen = random.choice(len(train), 3, replace=False)
    facts = train[chosen]
    compiled = TGAP(config, graph, dataset.timeline.span, seed=1)
    reference = TGAP(config, graph, dataset.timeline.span, seed=1, kernels="reference")
    view = View.all().without(graph.find_facts(facts.subject, facts.relation, facts.object, facts.time))
    queries = QueryBatch(facts.subject, facts.relation, facts.time)
    with torch.no_grad():
        records = ForwardPass(compiled, queries, compiled.views.resolve(view), seed=0, keep=True).records()
    samples = [record.sample for record in records if record.sample is not None]
    assert len(samples) == config.steps - 1
    mass, got = walk(compiled, facts, view, samples)
    wanted_mass, wanted = walk(reference, facts, view, samples)
    np.testing.assert_allclose(mass, wanted_mass, rtol=1e-4, atol=1e-9)
    assert (mass > 0).any()
    for name, gradient in wanted.items():
        error, size = np.linalg.norm(got[name] - gradient), np.linalg.norm(gradient)
        assert size > 0, name
        assert error <= 2e-4 * size, f"gradient of {name} differs by {error / size:.1e} of its length"
