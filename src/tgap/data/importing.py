"""Own data in one call: tables of events, checked and divided, become a dataset."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tgap.data.dataset import SPLITS, Dataset
from tgap.data.event_tables import EventTables, read_events
from tgap.data.facts import Facts
from tgap.data.near_copies import interval_ends
from tgap.data.reading import Layout, Sources
from tgap.data.splits import SHARES, SplitRule, split_facts
from tgap.data.time import Unit
from tgap.errors import DataError, Option

_USELESS: dict[SplitRule, dict[str, str]] = {
    "random": {},
    "chronological": {
        "seed": "the chronological split has nothing random in it",
        "ends_apart": "the chronological split goes by time alone",
    },
    "unseen-times": {
        "shares": "the unseen-times split keeps every tenth instant out of train",
        "ends_apart": "the unseen-times split goes by time alone",
    },
}


_SAYS = ("split", "seed", "shares", "ends_apart")


@dataclass(frozen=True, kw_only=True)
class Division:
    """How facts are to be divided; what is None was not said. Random with seed 0 and 80 / 10 / 10, unless it was."""

    split: SplitRule | None = None
    seed: int | None = None
    shares: tuple[float, float, float] | None = None
    ends_apart: bool | None = None  # whether the two ends of an interval may fall into different splits

    @property
    def said(self) -> bool:
        """Whether anything was said."""
        return any(getattr(self, name) is not None for name in _SAYS)

    def check(self, divided: bool) -> None:
        """Refuse what would be ignored; ``divided``: the tables are divided already."""
        useless: Mapping[str, str] = _USELESS[self.split or "random"]
        if divided:
            useless = dict.fromkeys(_SAYS, "the files are divided already")
        for name, reason in useless.items():
            if getattr(self, name) is not None:
                raise DataError(Option(name), f" has no use here: {reason}; leave it out")

    def divide(self, events: EventTables) -> tuple[Facts, Facts, Facts]:
        """Train, valid and test of events that are not divided."""
        partner = None if self.ends_apart else interval_ends(events.relations).partner
        return split_facts(events.parts[0], self.split or "random", self.seed or 0, self.shares, partner)

    def __str__(self) -> str:
        rule = self.split or "random"
        shares = "/".join(f"{100 * share:g}" for share in self.shares or SHARES)
        amounts = "" if rule == "unseen-times" else f" {shares}"
        return f"{rule} split{amounts}" + ("" if rule == "chronological" else f", seed {self.seed or 0}")


@dataclass(frozen=True)
class Imported:
    """A dataset made from tables, and how the tables were understood."""

    dataset: Dataset
    events: EventTables
    origin: str


def import_events(
    name: str,
    sources: Sources,
    *,
    layout: Layout | None = None,
    unit: Unit | None = None,
    division: Division | None = None,
    skip_bad: bool = False,
) -> Imported:
    """Read tables and divide them by a rule, unless they are divided already: as files, or by a column called split.

    Nothing is written. Raises ``DataError``; bad rows are an error unless ``skip_bad``, and so is an argument that has
    no use.
    """
    division = division or Division()
    division.check(sources.divided)
    events = read_events(sources, layout, unit, skip_bad, split_column=not division.said)
    if len(events.parts) == len(SPLITS):
        train, valid, test = events.parts
        how = "divided as given" if sources.divided else "divided as its column 'split' says"
    else:
        train, valid, test = division.divide(events)
        how = str(division)
    for split, facts in zip(SPLITS, (train, valid, test), strict=True):
        if not len(facts):
            total = sum(map(len, events.parts))
            counted = f"{total:,} fact is" if total == 1 else f"{total:,} facts are"
            raise DataError(
                f"the {split} split would be empty: {counted} too few, or other ", Option("shares"), " are needed"
            )
    dataset = Dataset(name, events.entities, events.relations, events.timeline, train, valid, test)
    return Imported(dataset, events, f"imported from {_listed(sources.names)}; {how}")


def _listed(names: list[str], most: int = 5) -> str:
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def check_name(name: str, reserved: list[str]) -> None:
    """Refuse names that the catalog has or that do not make a good folder name."""
    if name in reserved:
        raise DataError(f"{name!r} is a name of the catalog; choose another ", Option("out"))
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise DataError(
            f"{name!r} is not a good name; use letters, digits, '.', '-' and '_', or give a folder with '/'"
        )
