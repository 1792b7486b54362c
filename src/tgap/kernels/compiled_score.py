"""The score of an edge in the attention flow, and its derivative, written once for all kernels.

    score_e = act(x) + act(y),    x = u . k(h_j + rho_r + tau_d),    y = u . k(g_j + rho_r + tau_d)

with u = W_Q g_i, k = W_K and act = LeakyReLU. Arguments are numbers (one query at a time, compiled_transition.py) or
vectors (a block of queries, compiled_blocks.py); the arithmetic is the same.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from tgap.jit import kernel
from tgap.kernels.simd import Vector, maximum, slope_of

Number = TypeVar("Number", np.floating, Vector)


@kernel(_nrt=False, inline="always")
def score_arguments(u_h: Number, u_g: Number, u_rho: Number, u_tau: Number) -> tuple[Number, Number]:
    """Both arguments from the dot products of u with the keys of h_j, g_j, rho_r and tau_d."""
    # Equivalent to: x, y = u @ k(h_j + rho_r + tau_d), u @ k(g_j + rho_r + tau_d)
    both = u_rho + u_tau
    return u_h + both, u_g + both


@kernel(_nrt=False, inline="always")
def edge_score(x: Number, y: Number, slope: float | np.floating) -> Number:
    """The score, act(x) + act(y)."""
    # Equivalent to: score = leaky_relu(x, slope) + leaky_relu(y, slope)
    return maximum(x, x * slope) + maximum(y, y * slope)


@kernel(_nrt=False, inline="always")
def score_backward(ds: Number, x: Number, y: Number, slope: float | np.floating) -> tuple[Number, Number]:
    """Gradients of x and y from ds, the gradient of the score."""
    # Equivalent to: dx, dy = ds * (1 if x > 0 else slope), ds * (1 if y > 0 else slope)
    return ds * slope_of(x, slope), ds * slope_of(y, slope)
