"""What the methods become when the part that sets them apart is taken away."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.baselines.tiny_baselines import N, R, every_query, tiny_model
from tgap.baselines.axes import Axes
from tgap.baselines.embedding_model import EmbeddingModel
from tgap.baselines.hyte import project
from tgap.data import Timeline


def set_weight(model: EmbeddingModel, name: str, value: float | torch.Tensor) -> None:
    with torch.no_grad():
        parameter = model.get_parameter(name)
        parameter.copy_(torch.as_tensor(value, dtype=parameter.dtype).expand_as(parameter))


def complex_rows(model: EmbeddingModel, name: str) -> torch.Tensor:
    """A table [rows | columns] of real and imaginary parts as complex numbers."""
    real, imaginary = model.get_parameter(name).detach().chunk(2, dim=1)
    return torch.complex(real, imaginary)


def complex_scores(model: EmbeddingModel, relation: str) -> torch.Tensor:
    """ComplEx: Re < e_s, r, conj(e_o) > for every query, blind to time."""
    queries = every_query()
    entity = complex_rows(model, "entity")
    asked = entity[queries.subject] * complex_rows(model, relation)[queries.relation]
    return (asked @ entity.conj().T).real


def test_ttranse_without_times_is_transe() -> None:
    timed, plain = tiny_model("ttranse"), tiny_model("transe")
    set_weight(timed, "time.weight", 0.0)
    for name in ("entity", "relation"):
        set_weight(plain, name, timed.get_parameter(name).detach())
    torch.testing.assert_close(timed.score(every_query()), plain.score(every_query()), rtol=0, atol=1e-12)


def test_projecting_twice_is_projecting_once() -> None:
    random = torch.Generator().manual_seed(0)
    row, normal = (torch.randn(8, 5, generator=random, dtype=torch.float64) for _ in range(2))
    normal = torch.nn.functional.normalize(normal, dim=1)
    once = project(row, normal)
    torch.testing.assert_close(project(once, normal), once, rtol=0, atol=1e-12)
    torch.testing.assert_close((once * normal).sum(dim=1), torch.zeros(8, dtype=torch.float64), rtol=0, atol=1e-12)


@pytest.mark.parametrize("norm", ["l1", "l2"])
def test_hyte_is_transe_where_nothing_lies_along_the_normals(norm: str) -> None:
    timed, plain = tiny_model("hyte", norm=norm), tiny_model("transe", norm=norm)
    set_weight(timed, "time.weight", torch.tensor([0.0, 0.0, 0.0, 3.0]))
    with torch.no_grad():
        for name in ("entity", "relation"):
            timed.get_parameter(name)[:, 3] = 0.0
            set_weight(plain, name, timed.get_parameter(name))
    torch.testing.assert_close(timed.score(every_query()), plain.score(every_query()), rtol=0, atol=1e-12)


def test_tcomplex_with_times_that_are_one_is_complex() -> None:
    model = tiny_model("tcomplex")
    set_weight(model, "time.weight", torch.tensor([1.0] * 4 + [0.0] * 4))
    torch.testing.assert_close(model.score(every_query()), complex_scores(model, "relation"), rtol=0, atol=1e-12)


def test_tntcomplex_without_its_temporal_part_is_complex() -> None:
    model = tiny_model("tntcomplex")
    set_weight(model, "temporal", 0.0)
    torch.testing.assert_close(model.score(every_query()), complex_scores(model, "lasting"), rtol=0, atol=1e-12)


def test_tntcomplex_without_its_lasting_part_is_tcomplex() -> None:
    both, timed = tiny_model("tntcomplex"), tiny_model("tcomplex")
    set_weight(both, "lasting", 0.0)
    for ours, theirs in (("entity", "entity"), ("relation", "temporal"), ("time.weight", "time.weight")):
        set_weight(timed, ours, both.get_parameter(theirs).detach())
    torch.testing.assert_close(both.score(every_query()), timed.score(every_query()), rtol=0, atol=1e-12)


def test_de_simple_without_temporal_features_is_simple() -> None:
    """SimplE (Kazemi and Poole 2018): (<h_s, r, t_o> + <h_o, r', t_s>) / 2, blind to time."""
    model = tiny_model("de-simple", rank=6, temporal_share=0.0)
    head, tail = model.get_parameter("static").detach().chunk(2, dim=1)
    backward, forward = model.get_parameter("relation").detach().chunk(2, dim=1)
    queries = every_query()
    s, r = queries.subject, queries.relation
    expected = ((head[s] * forward[r]) @ tail.T + (tail[s] * backward[r]) @ head.T) / 2
    torch.testing.assert_close(model.score(queries), expected, rtol=0, atol=1e-12)


def test_de_simple_stands_still_where_frequencies_are_zero() -> None:
    model = tiny_model("de-simple")
    for part in ("year", "month", "day"):
        set_weight(model, f"waves.{part}.frequency", 0.0)
    assert_blind(model)


@pytest.mark.parametrize("name", ["ta-transe", "ta-distmult"])
def test_dates_whose_tokens_are_zero_are_all_the_same(name: str) -> None:
    model = tiny_model(name)
    set_weight(model, "sequence.token", 0.0)
    assert_blind(model)


@pytest.mark.parametrize("name", ["transe", "distmult"])
def test_what_is_blind_to_time_is_blind(name: str) -> None:
    assert_blind(tiny_model(name))


@pytest.mark.parametrize("name", ["cont", "ttranse", "hyte", "ta-transe", "ta-distmult", "de-simple", "tcomplex"])
def test_what_sees_time_sees_it(name: str) -> None:
    with pytest.raises(AssertionError):
        assert_blind(tiny_model(name))


def assert_blind(model: EmbeddingModel) -> None:
    rows = model.score(every_query((3,)))
    for time in (40, 45, 200, 21, -90, 500):
        torch.testing.assert_close(model.score(every_query((time,))), rows, rtol=0, atol=1e-12)


def test_cont_with_one_core_for_all_times_is_tucker() -> None:
    model = tiny_model("cont")
    core = torch.randn(4**3, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    set_weight(model, "core.weight", core)
    queries = every_query()
    entity, relation = model.get_parameter("entity"), model.get_parameter("relation")
    expected = torch.einsum(
        "ijk,bi,bj,ok->bo", core.view(4, 4, 4), entity[queries.subject], relation[queries.relation], entity
    )
    torch.testing.assert_close(model.score(queries), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "timeline",
    [
        Timeline("year", 25, 2020, "%04d"),
        Timeline("year", -44, 2020, "%d"),
        Timeline("month", 12 * 1999, 12 * 2001, "%Y-%m"),
        Timeline("week", 2000, 2100),
        Timeline("day", 16_071, 16_435),
        Timeline("hour", 0, 9_000, "%Y-%m-%d %H"),
        Timeline("minute", 0, 90_000, "%Y-%m-%d %H:%M"),
        Timeline("integer", 0, 188, "%d"),
        Timeline("integer", -5, 5, "%d"),
        Timeline("integer", 0, 0, "%d"),
    ],
)
@pytest.mark.parametrize("name", ["ta-transe", "de-simple", "tcomplex"])
def test_every_unit_is_answered_inside_and_outside_of_the_data(name: str, timeline: Timeline) -> None:
    model = tiny_model(name, Axes(N, R, timeline, np.unique([0, timeline.span // 2])))
    times = (0, timeline.span // 2, timeline.span, -1000, timeline.span + 20_000)
    scores = model.score(every_query(times))
    assert bool(torch.isfinite(scores).all())
