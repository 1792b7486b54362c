"""Dataset: named facts on a timeline, divided into train, valid and test. Torch-free; ids as in ``tgap.scorer``."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tgap.data.facts import Fact, Facts, contained, distinct, fact_keys, in_order
from tgap.data.time import Timeline, Unit
from tgap.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    import polars as pl

    from tgap.data.importing import Division
    from tgap.data.reading import Layout

SPLITS = ("train", "valid", "test")


class LeakWarning(UserWarning):
    """Facts of valid or test stand in an earlier split too, so a score partly measures memory."""


class DataWarning(UserWarning):
    """Data may not be what they seem; the message names the remedy."""


class Cause(NamedTuple):
    """Why a fact of the synthetic world came about: the planted rule and the facts it followed from."""

    rule: str
    facts: tuple[Fact, ...]


class Leaks(NamedTuple):
    """Facts that stand in more than one place. Repeats count the lines beyond the first of each fact."""

    repeated_train: int
    repeated_valid: int
    repeated_test: int
    valid_in_train: int  # lines of valid whose fact is in train
    test_in_train: int  # lines of test whose fact is in train
    valid_and_test: int  # distinct facts in both valid and test

    @property
    def across_splits(self) -> bool:
        """Whether a split shares facts with another."""
        return bool(self.valid_in_train or self.test_in_train or self.valid_and_test)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Facts of three splits with their names and times. Facts of a split stand in the order of time, then ids.

    ``causes`` maps positions in ``test`` to why that fact came about; only the synthetic world knows. ``context`` are
    facts that were appended later (``appended``): known, but neither trained on nor asked for.
    """

    name: str
    entities: Vocabulary
    relations: Vocabulary
    timeline: Timeline
    train: Facts
    valid: Facts
    test: Facts
    causes: Mapping[int, Cause] = field(default_factory=lambda: MappingProxyType({}))
    context: Facts = field(default_factory=lambda: Facts.of([]))
    before: Dataset | None = None  # the dataset as it was when nothing had been appended

    def __repr__(self) -> str:
        line = self.timeline
        facts = ", ".join(f"{name} {len(facts):,}" for name, facts in self.parts.items())
        return (
            f"<Dataset {self.name}: {self.num_entities:,} entities, {self.num_relations:,} relations, {facts}, "
            f"{line.format(0)} to {line.format(line.span)} by {line.unit_word}>"
        )

    @property
    def splits(self) -> Mapping[str, Facts]:
        """Facts by the split's name."""
        return {"train": self.train, "valid": self.valid, "test": self.test}

    @property
    def parts(self) -> Mapping[str, Facts]:
        """All facts that are known: the splits, and the context if there is one."""
        return {**self.splits, "context": self.context} if len(self.context) else self.splits

    @property
    def base(self) -> Dataset:
        """The dataset without what was appended: what methods are trained on."""
        return self.before or self

    @property
    def num_entities(self) -> int:
        """N."""
        return len(self.entities)

    @property
    def num_relations(self) -> int:
        """R, without inverses."""
        return len(self.relations)

    @cached_property
    def checksum(self) -> str:
        """SHA-256 (hex) of the content: names, times and the facts of each split, whatever the order of lines.

        What was appended does not count: it belongs to no split, and a run stays the run of its dataset.
        """
        if self.before is not None:
            return self.before.checksum
        digest = hashlib.sha256()
        for vocabulary in (self.entities, self.relations):
            digest.update("\0".join(vocabulary.names).encode() + b"\1")
        line = self.timeline
        digest.update(f"{line.unit} {line.first} {line.last} {line.style} {line.week_start}".encode())
        for facts in self.splits.values():
            digest.update(f" {len(facts)} ".encode())
            for column in in_order(facts).columns:
                digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        return digest.hexdigest()

    @classmethod
    def from_frame(
        cls,
        frame: pl.DataFrame,
        name: str = "frame",
        *,
        layout: Layout | None = None,
        unit: Unit | None = None,
        division: Division | None = None,
    ) -> Dataset:
        """A dataset from a polars frame, read as import reads a file: columns are found by their names, or named.

        A column ``split`` of train, valid and test divides the rows; else ``division`` says how, random if not given.
        """
        from tgap.data.frames import dataset_of_frame  # noqa: PLC0415  it makes datasets

        return dataset_of_frame(frame, name, layout, unit, division)

    def to_frame(self, *splits: str) -> pl.DataFrame:
        """Facts by name as a polars frame: subject, relation, object, time, split; of all splits, or of those named."""
        from tgap.data.frames import frame_of  # noqa: PLC0415  it needs polars

        return frame_of(self, splits or SPLITS)

    def leaks(self) -> Leaks:
        """How many facts are repeated within a split or shared between splits."""
        train, valid, test = fact_keys([self.train, self.valid, self.test])
        once = [distinct(keys) for keys in (train, valid, test)]
        return Leaks(
            repeated_train=len(train) - len(once[0]),
            repeated_valid=len(valid) - len(once[1]),
            repeated_test=len(test) - len(once[2]),
            valid_in_train=int(contained(valid, once[0]).sum()),
            test_in_train=int(contained(test, once[0]).sum()),
            valid_and_test=int(contained(once[2], once[1]).sum()),
        )


def warn_of_leaks(dataset: Dataset) -> None:
    """Warn when a split shares facts with another; repeats inside a split are harmless and stay silent."""
    leaks = dataset.leaks()
    if leaks.across_splits:
        message = (
            f"{dataset.name}: {leaks.test_in_train:,} test and {leaks.valid_in_train:,} valid facts stand in train "
            f"too, {leaks.valid_and_test:,} are in both valid and test; scores on it partly measure memory"
        )
        warnings.warn(message, LeakWarning, stacklevel=3)
