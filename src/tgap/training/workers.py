"""The processes that train one model together, as the loop sees them. Mostly there is one: ``Workers`` itself.

Every process takes the same steps on the same weights. A step takes the next N batches of the plan, one for each
process (in the last step of an epoch some have none), and the gradients become the mean over all queries of the step.
What a clock or a user decides is agreed on before every step; the process of rank 0 alone validates, saves and tells.
So the state of training is the same everywhere, and the number of processes may be another one after a resume.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist

from tgap.errors import WorkerError
from tgap.training.interruption import InterruptionError

Value = TypeVar("Value")


@dataclass(frozen=True)
class Taken:
    """What a step learned from: of one process, or of all together."""

    queries: int = 0
    loss: float = 0.0  # mean over these queries
    metrics: Mapping[str, float] = field(default_factory=dict)  # the method's own, summed over queries


class Workers:
    """One process, alone: all agree with it, and there is nothing to add up."""

    rank: int = 0
    size: int = 1

    def begin_step(self, seed: int, step: int) -> None:
        """Before the forward pass of a step."""

    def average(self, module: torch.nn.Module, mine: Taken) -> Taken:  # noqa: ARG002
        """Make the gradients those of all queries of the step; gives what all processes learned from."""
        return mine

    def agree(self, any_of: bool, *first: bool) -> tuple[bool, ...]:
        """Answers for all: to ``any_of`` yes if anybody says so, to the others what rank 0 says."""
        return (any_of, *first)

    def share(self, value: Value) -> Value:
        """What rank 0 has."""
        return value

    def from_first(self, work: Callable[[], Value]) -> Value:
        """What rank 0 gets by some work that takes long; it calls ``beat`` now and then."""
        return work()

    def beat(self) -> None:
        """Rank 0, at long work, tells the others that it is alive."""

    def first_of(self, found: str | None) -> str | None:
        """What the lowest rank that has found something found."""
        return found


ALONE = Workers()


class Group(Workers):
    """The processes of torch's default process group (gloo).

    Sums over the group come out the same, bit for bit, in every process and every time: gloo adds in an order that
    depends on the number of processes alone.
    """

    def __init__(self) -> None:
        self.rank, self.size = dist.get_rank(), dist.get_world_size()
        self._metrics: list[str] | None = None

    def begin_step(self, seed: int, step: int) -> None:
        """Give torch's generator a state of its own for each step and rank: no state of other ranks is ever saved."""
        (state,) = np.random.SeedSequence((seed, step, self.rank)).generate_state(1, np.uint64)
        torch.manual_seed(int(state) >> 1)

    def average(self, module: torch.nn.Module, mine: Taken) -> Taken:
        """A mean weighted by queries, in one buffer for all parameters; who has no batch adds nothing."""
        if self._metrics is None:
            self._metrics = self.share(sorted(mine.metrics))  # rank 0 has a batch in every step
        parameters = [parameter for parameter in module.parameters() if parameter.requires_grad]
        sums = torch.tensor(
            [
                mine.queries,
                mine.loss * mine.queries,
                *(mine.metrics.get(name, 0.0) for name in self._metrics),
                *(parameter.grad is not None for parameter in parameters),
                *(parameter.grad is not None and parameter.grad.is_sparse for parameter in parameters),
            ],
            dtype=torch.float64,
        )
        self._reduce(sums)
        queries, loss, *rest = sums.tolist()
        cuts = len(self._metrics), len(self._metrics) + len(parameters)
        metrics, moved, sparse = rest[: cuts[0]], rest[cuts[0] : cuts[1]], rest[cuts[1] :]
        kinds = [*zip(parameters, moved, sparse, strict=True)]
        self._add_up([one for one, moves, few in kinds if moves and not few], mine.queries / queries)
        self._add_up_rows([one for one, _, few in kinds if few], mine.queries / queries)
        return Taken(round(queries), loss / queries, dict(zip(self._metrics, metrics, strict=True)))

    @torch.no_grad()
    def _add_up(self, parameters: Sequence[torch.nn.Parameter], weight: float) -> None:
        """Each gradient becomes the sum over all processes of what theirs is, times their weight."""
        if not parameters:
            return
        whole = torch.cat([_flat_gradient(parameter) for parameter in parameters])
        self._reduce(whole.mul_(weight) if weight else whole.zero_())
        parts = torch.split(whole, [parameter.numel() for parameter in parameters])
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.grad = part.view_as(parameter)

    @torch.no_grad()
    def _add_up_rows(self, parameters: Sequence[torch.nn.Parameter], weight: float) -> None:
        """The same for sparse gradients: only the rows that somebody has travel."""
        for parameter in parameters:
            gradient = parameter.grad
            if gradient is None:
                gradient = torch.zeros_like(parameter, layout=torch.sparse_coo)
            gradient = gradient.coalesce() * weight
            self._reduce(gradient)
            parameter.grad = gradient

    def agree(self, any_of: bool, *first: bool) -> tuple[bool, ...]:
        """One small sum."""
        mine = first if self.rank == 0 else (False,) * len(first)
        flags = torch.tensor([any_of, *mine], dtype=torch.int32)
        self._reduce(flags)
        return tuple(bool(count) for count in flags.tolist())

    def share(self, value: Value) -> Value:
        """Sent from rank 0 to all."""
        box = [value]
        with _company():
            dist.broadcast_object_list(box, src=0)
        return box[0]

    def from_first(self, work: Callable[[], Value]) -> Value:
        """The others wait from beat to beat, so that a process that is lost is noticed at any time."""
        found: list[Any]
        if self.rank == 0:
            try:
                found = [work()]
            except InterruptionError:
                found = []
            self._signal(end=True)
        else:
            found = []
            while not self._signal():
                pass
        found = self.share(found)
        if not found:
            raise InterruptionError
        value: Value = found[0]
        return value

    def beat(self) -> None:
        """The work goes on."""
        self._signal()

    def first_of(self, found: str | None) -> str | None:
        """Gathered from all; for errors only."""
        return next((one for one in self.gather(found) if one is not None), None)

    def gather(self, value: Value) -> list[Value]:
        """What each process has, by rank; every process calls it."""
        found: list[Any] = [None] * self.size
        with _company():
            dist.all_gather_object(found, value)
        return found

    def _signal(self, end: bool = False) -> bool:
        flag = torch.tensor([int(end)], dtype=torch.int32)
        with _company():
            dist.broadcast(flag, src=0)
        return bool(flag.item())

    def _reduce(self, tensor: torch.Tensor) -> None:
        with _company():
            dist.all_reduce(tensor)


@contextmanager
def _company() -> Iterator[None]:
    """Inside, an error of torch's group means that another process is gone."""
    try:
        yield
    except RuntimeError as error:
        reason = " ".join(str(error).split())[:120]
        raise WorkerError(
            f"a worker of this training was lost ({reason}); resume the run from its last checkpoint"
        ) from error


def _flat_gradient(parameter: torch.nn.Parameter) -> torch.Tensor:
    gradient = parameter.grad
    return parameter.new_zeros(parameter.numel()) if gradient is None else gradient.reshape(-1)
