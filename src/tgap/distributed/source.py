"""What answers, by name: small enough to be sent to another process or machine, which loads it there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tgap.asking.load import load_model
from tgap.asking.model import Model
from tgap.capabilities import setting_of
from tgap.data import dataset_reference
from tgap.methods import needs_dataset
from tgap.runs import find_run


@dataclass(frozen=True)
class AnswerSource:
    """A run, or a method with a dataset, and what a question may see."""

    run: str
    dataset: str | None = None
    as_of: str | None = None
    past_only: bool = False

    def absolute(self) -> AnswerSource:
        """The same, found from any folder."""
        found = self.run if needs_dataset(self.run) else str(find_run(self.run).path.resolve())
        return replace(self, run=found, dataset=None if self.dataset is None else dataset_reference(self.dataset))

    def load(self) -> Model:
        """The model."""
        return load_model(self.run, self.dataset).with_setting(as_of=self.as_of, past_only=self.past_only)

    def name(self, model: Model) -> str:
        """What tells these answers from those of another model or another view: a digest and the setting."""
        identity = self.run if needs_dataset(self.run) else find_run(self.run).identity()
        if self.dataset is not None:
            identity = f"{identity} {model.dataset.checksum}"
        return f"{identity} {setting_of(model.scorer).name(model.dataset)}"
