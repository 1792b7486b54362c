"""Own data in one call: files of events, checked and divided, become a dataset."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tgap.data.dataset import Dataset
from tgap.data.events import Events, read_events
from tgap.data.layout import Layout
from tgap.data.splits import SHARES, SplitRule, split_facts
from tgap.data.timeline import Unit
from tgap.errors import DataError


@dataclass(frozen=True)
class Imported:
    """A dataset made from files, and how the files were understood."""

    dataset: Dataset
    events: Events
    origin: str


def import_events(
    name: str,
    events: Path,
    valid: Path | None = None,
    test: Path | None = None,
    *,
    layout: Layout | None = None,
    unit: Unit | None = None,
    split: SplitRule = "random",
    seed: int = 0,
    shares: tuple[float, float, float] = SHARES,
    skip_bad: bool = False,
) -> Imported:
    """Read one file and divide it by a rule, or take files that are divided already (``valid`` and ``test``).

    Nothing is written. Raises ``DataError``; bad rows are an error unless ``skip_bad``.
    """
    if (valid is None) != (test is None):
        missing = "--valid" if valid is None else "--test"
        raise DataError(
            f"{missing} is missing; give both --valid and --test, or neither to divide {events.name} by rule"
        )
    paths = [events] if valid is None or test is None else [events, valid, test]
    found = read_events(paths, layout, unit, skip_bad)
    if len(found.parts) == 1:
        parts = split_facts(found.parts[0], split, seed, shares)
        amounts = "" if split == "unseen-times" else " " + "/".join(f"{100 * share:g}" for share in shares)
        how = f"{split} split{amounts}" + ("" if split == "chronological" else f", seed {seed}")
    else:
        train, valid_facts, test_facts = found.parts
        parts = (train, valid_facts, test_facts)
        how = "divided as given"
    for part, facts in zip(("train", "valid", "test"), parts, strict=True):
        if not len(facts):
            total = sum(len(each) for each in found.parts)
            counted = f"{total:,} fact is" if total == 1 else f"{total:,} facts are"
            raise DataError(f"the {part} split would be empty: {counted} too few, or other --shares are needed")
    dataset = Dataset(name, found.entities, found.relations, found.timeline, *parts)
    return Imported(dataset, found, f"imported from {', '.join(path.name for path in paths)}; {how}")


def check_name(name: str, reserved: list[str]) -> None:
    """Refuse names that the catalog has or that do not make a good folder name."""
    if name in reserved:
        raise DataError(f"{name!r} is a name of the catalog; choose another --out")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise DataError(
            f"{name!r} is not a good name; use letters, digits, '.', '-' and '_', or give a folder with '/'"
        )
