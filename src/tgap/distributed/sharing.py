"""A loaded model, or what learns one, that many processes of a machine read at one place in memory.

The process that has made it packs it once: what is small becomes a stream of bytes, every array and every tensor
stays a buffer of its own (pickle's protocol 5). Processes of this machine map the buffers from one file, each page of
which is in memory once however many of them read it; a page that one of them writes to becomes its own. On a Ray
cluster the buffers lie in the object store of each machine. The stream comes from the command that asks, over a pipe,
torch's group or from Ray, never from a file.
"""

from __future__ import annotations

import ctypes
import io
import mmap
import pickle
import platform
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tgap.asking.model import Model
from tgap.data import Dataset
from tgap.evaluation.calibration import Calibration
from tgap.scorer import Scorer
from tgap.training.workers import Group

Bytes = NDArray[np.uint8]
Value = TypeVar("Value")
_ALIGNMENT = 64  # bytes; a buffer begins at a cache line, as torch and numpy place theirs


@dataclass(frozen=True)
class Packed(Generic[Value]):
    """Something as a stream and the memory that it refers to."""

    stream: bytes
    buffers: Sequence[Bytes]

    def load(self) -> Value:
        """It, on these very buffers."""
        found: Value = pickle.loads(self.stream, buffers=map(_writable, self.buffers))  # noqa: S301  made by ``pack``
        return found

    def to_file(self, path: Path) -> Mapped[Value]:
        """The same with its buffers in a file."""
        starts, position = [], 0
        with path.open("wb") as file:
            for buffer in self.buffers:
                file.write(bytes(-position % _ALIGNMENT))
                starts.append(file.tell())
                position = starts[-1] + file.write(buffer.data)
        return Mapped(self.stream, path, tuple(zip(starts, map(len, self.buffers), strict=True)))


@dataclass(frozen=True)
class Mapped(Generic[Value]):
    """Something whose buffers are mapped from a file; small enough to be sent to a process of this machine."""

    stream: bytes
    path: Path
    places: tuple[tuple[int, int], ...]  # of the buffers: first byte and how many

    def load(self) -> Value:
        """It; its arrays stay in the file until they are read."""
        if not any(length for _, length in self.places):
            return Packed[Value](self.stream, [np.empty(0, np.uint8) for _ in self.places]).load()
        with self.path.open("rb") as file:
            whole = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), np.uint8)
        return Packed[Value](self.stream, [whole[start : start + length] for start, length in self.places]).load()


def _restored(scorer: Scorer, dataset: Dataset, calibration: Calibration | None) -> Model:
    """A model that was packed."""
    return Model(scorer, dataset, calibration=calibration)


def pack(value: Value) -> Packed[Value] | None:
    """A model or learner to be shared; None where it cannot be (a class of the user's with a lock, say)."""
    buffers: list[pickle.PickleBuffer] = []
    stream = io.BytesIO()
    try:
        _Packer(stream, protocol=5, buffer_callback=buffers.append).dump(value)
    except (TypeError, AttributeError, pickle.PicklingError):
        return None
    return Packed(stream.getvalue(), [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers])


def once_per_machine(group: Group, make: Callable[[], Value]) -> Value:
    """What ``make`` gives, made by one process of each machine; the others of that machine read the same memory.

    Where that cannot be (no room for temporary files, or none that both see, or it cannot be packed), each makes it
    for itself. All processes call this.
    """
    machines = group.gather(_machine())
    maker = machines.index(machines[group.rank])
    with tempfile.TemporaryDirectory(prefix="tgap-", ignore_cleanup_errors=True) as place:
        made = make() if maker == group.rank else None
        shared = None if made is None or machines.count(machines[maker]) == 1 else _shared(made, Path(place) / "memory")
        shared = group.gather(shared)[maker]
        found = made if shared is None else _mapped(shared)
        group.gather(None)  # all have mapped it, so the file may go
    return make() if found is None else found


def _shared(value: Value, path: Path) -> Mapped[Value] | None:
    packed = pack(value)
    try:
        return None if packed is None else packed.to_file(path)
    except OSError:
        return None


def _mapped(shared: Mapped[Value]) -> Value | None:
    try:
        return shared.load()
    except OSError:
        return None


def _machine() -> str:
    """Tells processes of this machine from those of others: containers have names of their own."""
    boot = Path("/proc/sys/kernel/random/boot_id")
    return f"{platform.node()} {boot.read_text().strip() if boot.exists() else ''}"


class _Packer(pickle.Pickler):
    """Tensors become arrays, which pickle leaves where they are; the rest as usual."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Model):
            return _restored, (value.scorer, value.dataset, value.calibration)
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
