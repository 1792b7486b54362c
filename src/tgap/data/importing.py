"""Own data in one call: files of events, checked and divided, become a dataset."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tgap.data.dataset import Dataset
from tgap.data.events import Events, read_events
from tgap.data.layout import Layout
from tgap.data.near_copies import interval_ends
from tgap.data.splits import SHARES, SplitRule, split_facts
from tgap.data.timeline import Unit
from tgap.errors import DataError

_USELESS: dict[SplitRule, dict[str, str]] = {
    "random": {},
    "chronological": {
        "seed": "the chronological split has nothing random in it",
        "ends-apart": "the chronological split goes by time alone",
    },
    "unseen-times": {
        "shares": "the unseen-times split keeps every tenth instant out of train",
        "ends-apart": "the unseen-times split goes by time alone",
    },
}


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
    split: SplitRule | None = None,
    seed: int | None = None,
    shares: tuple[float, float, float] | None = None,
    ends_apart: bool = False,
    skip_bad: bool = False,
) -> Imported:
    """Read one file and divide it by a rule, or take files that are divided already (``valid`` and ``test``).

    The rule is random with seed 0 unless told otherwise; the two ends of an interval go to one split, where the rule
    allows it, unless ``ends_apart``. Nothing is written. Raises ``DataError``; bad rows are an error unless
    ``skip_bad``, and so is an argument that has no use.
    """
    if (valid is None) != (test is None):
        missing = "--valid" if valid is None else "--test"
        raise DataError(
            f"{missing} is missing; give both --valid and --test, or neither to divide {events.name} by rule"
        )
    paths = [events] if valid is None or test is None else [events, valid, test]
    given = {"split": split, "seed": seed, "shares": shares, "ends-apart": ends_apart or None}
    rule = split or "random"
    _no_use(given, {} if len(paths) == 1 else dict.fromkeys(given, "the files are divided already"))
    _no_use(given, _USELESS[rule])
    found = read_events(paths, layout, unit, skip_bad)
    if len(found.parts) == 1:
        partner = None if ends_apart else interval_ends(found.relations).partner
        parts = split_facts(found.parts[0], rule, seed or 0, shares, partner)
        amounts = "" if rule == "unseen-times" else " " + "/".join(f"{100 * share:g}" for share in shares or SHARES)
        how = f"{rule} split{amounts}" + ("" if rule == "chronological" else f", seed {seed or 0}")
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


def _no_use(given: Mapping[str, object], useless: Mapping[str, str]) -> None:
    """Refuse arguments that would be ignored."""
    for name, reason in useless.items():
        if given[name] is not None:
            raise DataError(f"--{name} has no use here: {reason}; leave it out")


def check_name(name: str, reserved: list[str]) -> None:
    """Refuse names that the catalog has or that do not make a good folder name."""
    if name in reserved:
        raise DataError(f"{name!r} is a name of the catalog; choose another --out")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise DataError(
            f"{name!r} is not a good name; use letters, digits, '.', '-' and '_', or give a folder with '/'"
        )
