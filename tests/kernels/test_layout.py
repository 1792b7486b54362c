"""Lane layout: where the numbers of a feature lie, and that nothing is lost or added on the way."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import pieces
from tgap.kernels.layout import Lanes, head_widths

SIZES = [(100, 5), (100, 3), (100, 1), (7, 3), (20, 5), (16, 16), (33, 16), (1, 1), (5, 5), (64, 8)]

sizes = st.integers(1, 16).flatmap(lambda heads: st.tuples(st.integers(heads, 130), st.just(heads)))


@settings(max_examples=60, deadline=None)
@given(size=sizes)
def test_every_number_has_a_place_in_its_head_column(size: tuple[int, int]) -> None:
    dimension, heads = size
    lanes = Lanes(dimension, heads)
    place = lanes.position.tolist()
    assert lanes.width in (1, 2, 4, 8, 16)
    assert lanes.width / 2 < heads <= lanes.width
    assert lanes.row % 16 == 0
    assert len(set(place)) == dimension
    assert 0 <= min(place) <= max(place) < lanes.row
    assert lanes.row - max(place) <= 16  # no vector without a number
    for head, piece in enumerate(pieces(dimension, heads)):
        numbers = place[piece]
        assert [at % 16 % heads for at in numbers] == [head] * len(numbers)
        assert numbers == sorted(numbers)
        assert [at // 16 for at in numbers] == [number // (16 // heads) for number in range(len(numbers))]
    assert head_widths(dimension, heads) == [piece.stop - piece.start for piece in pieces(dimension, heads)]
    assert lanes.tuple == (0,) * heads


@pytest.mark.parametrize(("dimension", "heads"), SIZES)
def test_spread_and_gather_are_a_round_trip_with_zeros_between(dimension: int, heads: int) -> None:
    lanes = Lanes(dimension, heads)
    features = torch.rand((2, 3, dimension)) + 1
    rows = lanes.spread(features)
    assert rows.shape == (2, 3, lanes.row)
    assert int((rows != 0).sum()) == features.numel()
    assert torch.equal(lanes.gather(rows), features)


@pytest.mark.parametrize(("dimension", "heads"), SIZES)
def test_a_spread_map_gives_spread_outputs(dimension: int, heads: int) -> None:
    lanes = Lanes(dimension, heads)
    weight, features = torch.randn(3, dimension, 4, dtype=torch.float64), torch.randn(5, 4, dtype=torch.float64)
    spread = lanes.spread_weight(weight)
    assert spread.shape == (3, lanes.row, 4)
    torch.testing.assert_close(features @ spread.mT, lanes.spread(features @ weight.mT))


@pytest.mark.parametrize(("dimension", "heads"), SIZES)
def test_dot_products_of_heads_come_out_in_their_lanes(dimension: int, heads: int) -> None:
    lanes = Lanes(dimension, heads)
    left, right = torch.randn(2, dimension, dtype=torch.float64)
    whole = 16 // heads * heads  # of a vector; the rest is zero
    columns = (lanes.spread(left) * lanes.spread(right)).view(-1, 16).sum(0)
    wanted = [float(left[piece] @ right[piece]) for piece in pieces(dimension, heads)]
    torch.testing.assert_close(columns[:whole].view(-1, heads).sum(0), torch.tensor(wanted, dtype=torch.float64))
    assert (columns[whole:] == 0).all()


def test_gradients_pass_in_both_directions() -> None:
    lanes = Lanes(7, 3)
    features = torch.randn(2, 7, dtype=torch.float64, requires_grad=True)
    rows = torch.randn(2, lanes.row, dtype=torch.float64, requires_grad=True)
    weight = torch.randn(7, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lanes.spread, features)
    assert torch.autograd.gradcheck(lanes.gather, rows)
    assert torch.autograd.gradcheck(lanes.spread_weight, weight)


def test_a_layout_is_made_once() -> None:
    assert Lanes.of(100, 5) is Lanes.of(100, 5)
    assert Lanes.of(100, 5) == Lanes(100, 5)
