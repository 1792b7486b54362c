"""A second device that needs no hardware: tensors on it compute on the CPU, but refuse to meet tensors of the CPU.

Torch's device "meta" lends its name. Inside ``second_device()`` a tensor that is made on it or moved to it becomes an
``Away`` tensor, which holds its numbers in a CPU tensor. As with a real device, an operation whose tensors lie on both
is an error (numbers without dimension apart), and so is ``numpy()`` where it is not forced.
"""

# mypy: disable-error-code="no-untyped-call,override,misc"

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils._pytree import tree_leaves, tree_map_only

AWAY = torch.device("meta")
HERE = torch.device("cpu")


class MixedDevicesError(Exception):
    """An operation was given tensors of both devices."""


class Away(Tensor):
    """A tensor that says it is on the second device."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> Away:
        made: Away = Tensor._make_wrapper_subclass(
            cls, held.shape, strides=held.stride(), storage_offset=held.storage_offset(), dtype=held.dtype, device=AWAY
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})

    def numpy(self, *, force: bool = False) -> NDArray[Any]:
        """As torch defines it for a device that is not the CPU."""
        if not force:
            raise TypeError("can't convert a tensor of the second device to numpy; use cpu() first")
        return self.detach().cpu().numpy()


class _SecondDevice(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


def second_device() -> AbstractContextManager[object]:
    """While it is active, tensors can be made on the second device and moved to it."""
    return _SecondDevice()


def _run(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Compute on the CPU; the result is on the device that was asked for, else on that of the operands."""
    given = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
    away = any(isinstance(tensor, Away) for tensor in given)
    moves = func in (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)
    if away and not moves and any(not isinstance(tensor, Away) and tensor.dim() for tensor in given):
        raise MixedDevicesError(f"{func} was given tensors of both devices")
    wanted = kwargs.get("device")
    if wanted is not None:
        away = torch.device(wanted) == AWAY
        kwargs = {**kwargs, "device": HERE}
    inner_args, inner_kwargs = tree_map_only(Away, lambda tensor: tensor.held, (args, kwargs))
    out = func(*inner_args, **inner_kwargs)
    return return_and_correct_aliasing(func, args, kwargs, tree_map_only(Tensor, Away, out)) if away else out
