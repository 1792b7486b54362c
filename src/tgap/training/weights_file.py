"""The best weights so far: as a file of the run, or in memory where there is no folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgap.runs.files import Tensors, write_tensors
from tgap.runs.folder import RunFolder
from tgap.training.events import Improved, Listener

if TYPE_CHECKING:
    import torch


class WeightsFile(Listener):
    """Writes weights.safetensors whenever validation is the best so far."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    def on_improvement(self, event: Improved) -> None:
        """Replace the file."""
        metadata = {"step": str(event.at.step), "epochs": str(event.at.epochs)}
        write_tensors(self._folder.weights_file, event.weights, metadata)


class BestWeights(Listener):
    """Keeps a copy of the best weights in memory."""

    def __init__(self) -> None:
        self._tensors: Tensors | None = None

    def on_improvement(self, event: Improved) -> None:
        """Copy them."""
        self._tensors = {name: tensor.detach().clone() for name, tensor in event.weights.items()}

    def apply(self, module: torch.nn.Module) -> None:
        """Put the best weights into the module; before the first validation its own stay."""
        if self._tensors is not None:
            module.load_state_dict(self._tensors)
