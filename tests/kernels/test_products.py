"""Products row by row: what they give, and that a row does not notice the others."""

from __future__ import annotations

import pytest
import torch

from tgap.kernels import num_threads, set_threads
from tgap.kernels.products import product

SIZES = [1, 2, 3, 5, 11, 15, 16, 17, 31, 32, 45, 100, 257, 511, 512, 513, 600]


def matrices(inner: int, outer: int, transposed: bool) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(inner)
    rows = torch.randn(701, inner, generator=random)
    weight = (
        torch.randn(outer, inner, generator=random).T if transposed else torch.randn(inner, outer, generator=random)
    )
    return rows, weight


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(("inner", "outer"), [(100, 112), (100, 100), (200, 100), (100, 336), (32, 32)])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_row_has_the_same_bits_in_any_company(inner: int, outer: int, transposed: bool, threads: int) -> None:
    rows, weight = matrices(inner, outer, transposed)
    before = num_threads()
    try:
        set_threads(threads)
        with torch.no_grad():
            whole = product(rows, weight)
            for size in SIZES:
                for first in (0, 7, 100):
                    part = product(rows[first : first + size], weight)
                    assert torch.equal(part, whole[first : first + size]), (size, first)
    finally:
        set_threads(before)


@pytest.mark.parametrize("size", [0, *SIZES])
def test_it_is_the_product(size: int) -> None:
    rows, weight = matrices(9, 5, False)
    wanted = rows[:size].double() @ weight.double()
    with torch.no_grad():
        torch.testing.assert_close(product(rows[:size], weight).double(), wanted, rtol=1e-5, atol=1e-5)


def test_with_gradients_it_is_torch_s_own() -> None:
    rows, weight = matrices(9, 5, False)
    weight.requires_grad_()
    assert torch.equal(product(rows[:3], weight), rows[:3] @ weight)
    product(rows[:3], weight).sum().backward()  # type: ignore[no-untyped-call]
    assert weight.grad is not None
