"""A loaded model that many processes of a machine read at one place in memory.

The process that has loaded it packs it once: what is small becomes a stream of bytes, every array and every tensor
stays a buffer of its own (pickle's protocol 5). Processes of this machine map the buffers from one file, each page of
which is in memory once however many of them read it; a page that one of them writes to becomes its own. On a Ray
cluster the buffers lie in the object store of each machine. The stream comes from the command that asks, over a pipe or
from Ray, never from a file.
"""

from __future__ import annotations

import ctypes
import io
import mmap
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.predict import Predictor

Bytes = NDArray[np.uint8]
_ALIGNMENT = 64  # bytes; a buffer begins at a cache line, as torch and numpy place theirs


@dataclass(frozen=True)
class Packed:
    """A predictor as a stream and the memory that it refers to."""

    stream: bytes
    buffers: Sequence[Bytes]

    def load(self) -> Predictor:
        """The predictor on these very buffers."""
        parts = pickle.loads(self.stream, buffers=map(_writable, self.buffers))  # noqa: S301  made by ``pack``
        return Predictor(*parts)

    def to_file(self, path: Path) -> Mapped:
        """The same with its buffers in a file."""
        starts, position = [], 0
        with path.open("wb") as file:
            for buffer in self.buffers:
                file.write(bytes(-position % _ALIGNMENT))
                starts.append(file.tell())
                position = starts[-1] + file.write(buffer.data)
        return Mapped(self.stream, path, tuple(zip(starts, map(len, self.buffers), strict=True)))


@dataclass(frozen=True)
class Mapped:
    """A predictor whose buffers are mapped from a file; small enough to be sent to a process of this machine."""

    stream: bytes
    path: Path
    places: tuple[tuple[int, int], ...]  # of the buffers: first byte and how many

    def load(self) -> Predictor:
        """The predictor; its arrays stay in the file until they are read."""
        if not any(length for _, length in self.places):
            return Packed(self.stream, [np.empty(0, np.uint8) for _ in self.places]).load()
        with self.path.open("rb") as file:
            whole = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)
        return Packed(self.stream, [whole[start : start + length] for start, length in self.places]).load()


def pack(predictor: Predictor) -> Packed | None:
    """A predictor to be shared; None where its scorer cannot be (a class of the user's with a lock, say)."""
    buffers: list[pickle.PickleBuffer] = []
    parts = (predictor.scorer, predictor.dataset, predictor.calibration)
    stream = io.BytesIO()
    try:
        _Packer(stream, protocol=5, buffer_callback=buffers.append).dump(parts)
    except (TypeError, AttributeError, pickle.PicklingError):
        return None
    return Packed(stream.getvalue(), [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers])


class _Packer(pickle.Pickler):
    """Tensors become arrays, which pickle leaves where they are; the rest as usual."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MappingProxyType):
            return _mapping, (dict(value),)
        if type(value) in (Tensor, nn.Parameter) and value.layout is torch.strided and value.device.type == "cpu":
            return _tensor, (value.detach().numpy(), isinstance(value, nn.Parameter), value.requires_grad)
        return NotImplemented


def _mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


def _tensor(array: NDArray[Any], parameter: bool, learns: bool) -> Tensor:
    tensor = torch.from_numpy(array)
    return nn.Parameter(tensor, learns) if parameter else tensor.requires_grad_(learns)


def _writable(buffer: Bytes) -> Any:
    """The buffer as memory that may be written to: compiled functions are made for such arrays, though none writes.

    Ray hands out its store as read-only memory, which would be another type for every compiled function.
    """
    if buffer.flags.writeable:
        return buffer
    if not len(buffer):
        return np.empty(0, np.uint8)
    memory = (ctypes.c_uint8 * len(buffer)).from_address(buffer.ctypes.data)
    memory.owner = buffer  # type: ignore[attr-defined]  # keeps the store's memory alive
    return np.frombuffer(memoryview(memory), np.uint8)
