"""How whatever answers is made: ``Method`` is a way to answer as a value, ``Learner`` what the training loop drives.

Types only. A method is described in one place, by name in the table ``tgap.methods.METHODS``, and nothing else branches
on its name. An untrained one gives a scorer at once; one that learns gives a ``Learner``, and the loop, checkpoints,
validation and listeners are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tgap.config import RunConfig, Settings
from tgap.data import Dataset
from tgap.scorer import Scorer

if TYPE_CHECKING:
    import torch


class Loss(NamedTuple):
    """What a module's forward pass gives: the loss of a batch, and what else it can tell about it."""

    value: torch.Tensor  # scalar, mean over the batch's queries, with gradient
    metrics: Mapping[str, float] = {}  # by name, summed over the batch's queries; shown as means per query


class Batch(Protocol):
    """What one step learns from. The loop only hands it to the module; what it holds is between plan and module."""

    def __len__(self) -> int:
        """Number of queries."""
        ...

    def describe(self) -> str:
        """One line that names the batch in an error message."""
        ...


class Plan(Protocol):
    """The batches of one epoch: a pure function of settings, seed and the epoch's number, so that a run can resume."""

    @property
    def epoch(self) -> int:
        """Number of the epoch, from 0."""
        ...

    def __len__(self) -> int:
        """Number of batches."""
        ...

    def __getitem__(self, index: int) -> Batch:
        """Batch of that number."""
        ...


class Learner(Protocol):
    """A model that learns, with everything the loop needs and nothing about files or epochs done."""

    @property
    def module(self) -> torch.nn.Module:
        """The parameters; calling it with a batch of ``plan`` gives a ``Loss``."""
        ...

    @property
    def queries(self) -> int:
        """Training queries per epoch."""
        ...

    def plan(self, epoch: int) -> Plan:
        """The batches of an epoch."""
        ...

    def optimiser(self) -> torch.optim.Optimizer:
        """A new optimiser over the module's parameters; the loop sets its learning rate before every step."""
        ...

    def scorer(self) -> Scorer:
        """The scorer of the present weights."""
        ...


Overrides = Mapping[str, Mapping[str, Any]]  # section (model, training, evaluation) -> setting -> value


DEFAULT_TASK = "completion"


def _defaults(_dataset: str) -> Overrides:
    return {}


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to answer. Exactly one of ``build`` (untrained) and ``learn`` (trained) is given."""

    name: str  # in settings and on the command line
    title: str  # as tables call it
    summary: str  # one line for people who choose
    settings: type[Settings]  # section ``model`` of a run's config
    build: Callable[[Dataset, RunConfig], Scorer] | None = None
    learn: Callable[[Dataset, RunConfig], Learner] | None = None
    # Named starting points: each gives, for a dataset's name, the settings that differ from the defaults.
    presets: Mapping[str, Callable[[str], Overrides]] = field(default_factory=lambda: {"recommended": _defaults})
    # Named spaces that ``tgap tune`` searches, in the form of a space file (``tgap.tuning.space``).
    spaces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    # What it can be asked for (``tgap.graph.task``), and the settings that this changes, whatever the preset.
    tasks: Mapping[str, Overrides] = field(default_factory=lambda: {DEFAULT_TASK: {}})
    # Names in ``settings`` that fit the same weights, so that an export may change them.
    adjustable: tuple[str, ...] = ()
    # Name in ``settings`` of the run that it is built on; others do not train such a method by themselves.
    built_on: str = ""
    # Refuses settings of which no run can be made, before anything is written.
    check: Callable[[RunConfig], None] | None = None

    def __post_init__(self) -> None:
        assert (self.build is None) != (self.learn is None), f"{self.name} needs either build or learn"
        assert "recommended" in self.presets, f"{self.name} needs a preset called recommended"
