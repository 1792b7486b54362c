"""What the studies share: a progress bar, the questions of a split, a JSON file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tgap.cli.output import write_output
from tgap.cli.progress import progress_bars

if TYPE_CHECKING:
    from tgap.data import Dataset
    from tgap.evaluation.queries import SplitQueries
    from tgap.evaluation.scoring import Progress


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """A bar on the error stream with rate and time left; nothing where that is not a terminal."""
    with progress_bars() as track:
        yield track(what)


def split_questions(dataset: Dataset, split: str, side: str) -> SplitQueries:
    """Questions of a split: for the tails of its facts, for their heads, or for both."""
    from tgap.evaluation.queries import queries_of

    asked = queries_of(dataset.splits[split], dataset.num_relations)
    return asked if side == "both" else asked.only(asked.head == (side == "head"))


def write_json(target: str | None, document: dict[str, Any]) -> None:
    """Write a study's figures; - prints them."""
    write_output(target, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
