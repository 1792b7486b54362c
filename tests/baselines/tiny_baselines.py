"""Every trained baseline at a size that loops can follow, with random weights in 64 bits."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

from tests.baselines.plain_scores import Plain
from tgap.baselines.axes import Axes
from tgap.baselines.cont import ConT, ConTSettings
from tgap.baselines.de_simple import DESimplE, DESimplESettings
from tgap.baselines.distmult import DistMult, DistMultSettings
from tgap.baselines.embedding_model import EmbeddingModel, EmbeddingSettings
from tgap.baselines.hyte import HyTE
from tgap.baselines.ta_distmult import TADistMult, TADistMultSettings
from tgap.baselines.ta_transe import TATransE, TATransESettings
from tgap.baselines.tcomplex import TComplEx, TComplExSettings
from tgap.baselines.tntcomplex import TNTComplEx
from tgap.baselines.transe import TransE, TranslationSettings
from tgap.baselines.ttranse import TTransE
from tgap.data import Timeline
from tgap.scorer import Query, QueryBatch

N, R = 6, 2
DAYS = Timeline("day", 16_071, 16_435)  # 2014
AXES = Axes(N, R, DAYS, np.array([3, 40, 45, 200]))
TIMES = (3, 45, 200, 20, 199, -30, 400)  # with facts, between two of them, before the first, after the last


class Kind(NamedTuple):
    """A baseline's class with its settings."""

    settings: type[EmbeddingSettings]
    model: type[Any]


KINDS = {
    "transe": Kind(TranslationSettings, TransE),
    "distmult": Kind(DistMultSettings, DistMult),
    "cont": Kind(ConTSettings, ConT),
    "ttranse": Kind(TranslationSettings, TTransE),
    "hyte": Kind(TranslationSettings, HyTE),
    "ta-transe": Kind(TATransESettings, TATransE),
    "ta-distmult": Kind(TADistMultSettings, TADistMult),
    "de-simple": Kind(DESimplESettings, DESimplE),
    "tcomplex": Kind(TComplExSettings, TComplEx),
    "tntcomplex": Kind(TComplExSettings, TNTComplEx),
}
# Name of a case -> baseline and settings: each method, and each branch of its score.
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: (name, {}) for name in KINDS},
    "transe-l1": ("transe", {"norm": "l1"}),
    "ttranse-l1": ("ttranse", {"norm": "l1"}),
    "hyte-l1": ("hyte", {"norm": "l1"}),
    "de-simple-static": ("de-simple", {"temporal_share": 0.0}),
    "de-simple-moving": ("de-simple", {"temporal_share": 1.0}),
}


def tiny_model(name: str, axes: Axes = AXES, *, seed: int = 0, **values: Any) -> EmbeddingModel:
    """Module of rank 4 (complex ones: 4 complex numbers) with large random weights, so that every term counts."""
    kind = KINDS[name]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = kind.model(kind.settings(**{"rank": 4, "initial_scale": 0.7, **values}), axes).double()
    assert isinstance(model, EmbeddingModel)
    return model.eval()


def plain_of(name: str, model: EmbeddingModel) -> Plain:
    """The model's numbers for the loops."""
    weights = {key: value.detach().numpy() for key, value in model.named_parameters()}
    temporal = weights["waves.day.amplitude"].shape[1] if name == "de-simple" else 0
    norm = getattr(model.settings, "norm", "l2")
    return Plain(weights, model.axes.timeline, model.axes.instants.tolist(), norm, temporal)


def every_query(times: tuple[int, ...] = TIMES) -> QueryBatch:
    """All subjects and relations, inverses included, at some times; neighbours differ in time."""
    return QueryBatch.of([Query(s, r, t) for s in range(N) for r in range(2 * R) for t in times])
