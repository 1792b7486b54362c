"""The vector operations, one by one, against numpy."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tgap.jit import kernel
from tgap.kernels import simd
from tgap.kernels.simd import (
    any_greater,
    exp,
    fill,
    fold,
    load,
    load16,
    maximum,
    slope_of,
    spread,
    store,
    total,
    width_of,
    zero16,
)

LANES = {heads: (0,) * heads for heads in (1, 2, 3, 4, 5, 7, 8, 12, 16)}
FLOATS = [np.float32, np.float64]
Array = NDArray[Any]


@kernel()
def exp_of(values: Array, out: Array) -> None:
    for at in range(0, len(values), 16):
        store(out, at, exp(load16(values, at)))


@kernel()
def folded(values: Array, lanes: tuple[int, ...], short: Array, wide: Array, sums: Array) -> None:
    """The vector folded to the lanes, that spread again, and the total of both."""
    whole = load16(values, 0)
    narrow = fold(whole, lanes)
    store(short, 0, narrow)
    store(wide, 0, spread(narrow))
    sums[0] = total(whole)
    sums[1] = total(narrow)


@kernel()
def arithmetic(left: Array, right: Array, number: float, lanes: tuple[int, ...], out: Array) -> bool:
    """Rows of ``out``: +, -, *, /, maximum, times a number, slope, the number everywhere."""
    a, b, width = load(left, 0, lanes), load(right, 0, lanes), width_of(lanes)
    store(out, 0 * width, a + b)
    store(out, 1 * width, a - b)
    store(out, 2 * width, a * b)
    store(out, 3 * width, a / b)
    store(out, 4 * width, maximum(a, b))
    store(out, 5 * width, a * number)
    store(out, 6 * width, slope_of(a, number))
    store(out, 7 * width, fill(left, number, lanes))
    store(out, 8 * width, a / 2)
    return any_greater(a, b)


@kernel()
def of_numbers(left: Array, right: Array, slope: float, out: Array) -> None:
    """``maximum`` and ``slope_of`` of plain numbers instead of vectors."""
    for k in range(len(left)):
        out[0, k] = maximum(left[k], right[k])
        out[1, k] = slope_of(left[k], slope)


@kernel()
def clear(values: Array, at: int) -> None:
    store(values, at, zero16(values))


def exp_array(values: Array) -> Array:
    padded = np.zeros(-(-len(values) // 16) * 16, values.dtype)
    padded[: len(values)] = values
    out = np.empty_like(padded)
    exp_of(padded, out)
    return out[: len(values)]


@pytest.mark.parametrize("dtype", FLOATS)
def test_exp_is_exact_to_rounding(dtype: type[np.floating[Any]]) -> None:
    values = np.concatenate([np.linspace(-87, 88, 20_001), np.linspace(-1e-3, 1e-3, 101), [-0.0]]).astype(dtype)
    wanted = np.exp(values.astype(np.float64))
    np.testing.assert_allclose(exp_array(values), wanted, rtol=1e-6 if dtype is np.float32 else 1e-14)


def test_exp_at_the_ends() -> None:
    ends = np.array([-np.inf, -3e38, -200, -87.4, -87, 0, 88, 100, 3e38], np.float32)
    got = exp_array(ends).astype(np.float64)
    assert (got[:4] == 0).all()  # never a denormal number
    assert got[5] == 1
    np.testing.assert_allclose(got[[4, 6]], np.exp([-87.0, 88.0]), rtol=1e-6)
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got[7:], got[6])  # scores are at most 0 when softmax asks; beyond 88 stays at 88
    assert (np.diff(exp_array(np.linspace(-90, 88, 4001, dtype=np.float32))) >= 0).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("heads", LANES)
def test_fold_spread_and_total(heads: int, dtype: type[np.floating[Any]]) -> None:
    values = np.random.default_rng(heads).integers(-100, 100, 16).astype(dtype)  # whole numbers: sums are exact
    width, whole = width_of(LANES[heads]), 16 // heads * heads
    short, wide, sums = np.empty(width, dtype), np.empty(16, dtype), np.empty(2, dtype)
    folded(values, LANES[heads], short, wide, sums)
    wanted = values[:whole].reshape(-1, heads).sum(0)
    np.testing.assert_array_equal(short, np.concatenate([wanted, np.zeros(width - heads, dtype)]))
    np.testing.assert_array_equal(wide[:whole], np.tile(wanted, 16 // heads))
    np.testing.assert_array_equal(sums, [values.sum(), wanted.sum()])


@pytest.mark.parametrize(("heads", "width"), [(1, 1), (2, 2), (3, 4), (5, 8), (8, 8), (9, 16), (16, 16)])
def test_a_number_for_each_head_takes_a_power_of_two(heads: int, width: int) -> None:
    assert width_of((0,) * heads) == width


@pytest.mark.parametrize("width", [1, 4, 8])
def test_operators_act_on_each_position(width: int) -> None:
    random = np.random.default_rng(width)
    left, right = random.normal(size=(2, width)).astype(np.float32)
    out = np.empty((9, width), np.float32)
    greater = arithmetic(left, right, 0.25, LANES[width], out.reshape(-1))
    wanted = [
        left + right, left - right, left * right, left / right, np.maximum(left, right), left * 0.25,
        np.where(left > 0, 1, 0.25), np.full(width, 0.25), left / 2,
    ]  # fmt: skip
    np.testing.assert_allclose(out, np.array(wanted), rtol=1e-6)
    assert greater == (left > right).any()


@pytest.mark.parametrize("place", [0, 3, 7])
def test_any_greater_sees_every_position_and_no_equal_one(place: int) -> None:
    left, out = np.full(8, 2, np.float32), np.empty(72, np.float32)
    assert not arithmetic(left, left.copy(), 0.5, LANES[8], out)
    right = left.copy()
    right[place] -= 1
    assert arithmetic(left, right, 0.5, LANES[8], out)
    right[place] += 2
    assert not arithmetic(left, right, 0.5, LANES[8], out)


def test_slope_is_the_lower_one_at_zero() -> None:
    values, out = np.array([0, -0.0, 1e-38, -1e-38], np.float32), np.empty(36, np.float32)
    arithmetic(values, np.ones(4, np.float32), 0.125, LANES[4], out)
    np.testing.assert_array_equal(out[24:28], np.array([0.125, 0.125, 1, 0.125], np.float32))


@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers_are_treated_like_vectors(dtype: type[np.floating[Any]]) -> None:
    left = np.array([-2, -0.0, 0, 1e-30, 3, np.inf], dtype)
    right, out = np.array([-3, 1, 0, -1, 4, 5], dtype), np.empty((2, 6), dtype)
    of_numbers(left, right, 0.125, out)
    np.testing.assert_array_equal(out[0], np.maximum(left, right))
    np.testing.assert_array_equal(out[1], np.where(left > 0, dtype(1), dtype(0.125)))


def parameters(path: Path) -> dict[str, list[str]]:
    """Public functions of a file and the names of their parameters, without numba's typing context."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            names = [argument.arg for argument in node.args.args if argument.arg != "typingctx"]
            found[node.name] = names
    return found


def test_the_type_checker_is_told_what_kernels_can_call() -> None:
    """simd.pyi stands in place of simd.py for mypy, so the two must name the same functions and parameters."""
    source = Path(simd.__file__)
    told = parameters(source.with_suffix(".pyi"))
    made_otherwise = {"maximum": ["left", "right"]}  # by a factory of intrinsics
    assert told == {**parameters(source), **made_otherwise}


def test_store_writes_its_sixteen_and_no_more() -> None:
    values = np.ones(48, np.float32)
    clear(values, 13)  # not aligned to anything
    np.testing.assert_array_equal(np.flatnonzero(values == 0), np.arange(13, 29))
