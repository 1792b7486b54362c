"""Products row by row: what they give, and that a row does not notice the others."""

from __future__ import annotations

import pytest
import torch

from tgap.kernels import num_threads, products, set_threads
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
@pytest.mark.parametrize(("inner", "outer"), [(100, 112), (100, 100), (200, 100), (100, 336), (32, 32), (100, 3000)])
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


@pytest.mark.parametrize("onednn", [False, True])
@pytest.mark.parametrize(
    ("size", "inner", "outer"), [(701, 100, 112), (3, 40, 30), (64, 40, 30), (70, 300, 900), (0, 40, 30), (0, 300, 900)]
)
def test_its_gradients_are_the_product_s(
    size: int, inner: int, outer: int, onednn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either library, whatever the processor; padded rows, rows as they are, large weights, no rows."""
    monkeypatch.setattr(products, "prefers_onednn", lambda: onednn)
    random = torch.Generator().manual_seed(size)
    rows = torch.randn(size, inner, generator=random)
    weight = torch.randn(2, inner, outer, generator=random).transpose(0, 1)  # a part of it has gaps between its rows
    towards = torch.randn(size, outer, generator=random)
    found = []
    for kind in (torch.float32, torch.float64):
        own, other = rows.to(kind).requires_grad_(), weight.to(kind)[:, 1].requires_grad_()
        result = product(own, other) if kind is torch.float32 else own @ other
        found.append([result, *torch.autograd.grad(result, (own, other), towards.to(kind))])
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours.double(), plain, rtol=1e-5, atol=2e-4)


def test_only_what_needs_a_gradient_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "prefers_onednn", lambda: True)
    rows, weight = matrices(100, 100, False)
    product(rows, weight.requires_grad_()).sum().backward()  # type: ignore[no-untyped-call]
    assert weight.grad is not None
    torch.testing.assert_close(weight.grad, rows.sum(0)[:, None].expand(-1, 100), rtol=1e-4, atol=1e-4)
    assert rows.grad is None
    assert not product(rows, weight.detach()).requires_grad


def test_double_precision_stays_double() -> None:
    rows, weight = matrices(100, 100, False)
    assert product(rows.double(), weight.double()).dtype == torch.float64
