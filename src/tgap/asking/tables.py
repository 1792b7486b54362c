"""A table of events asked at once: read in memory and answered by the universal model, without training."""

from __future__ import annotations

import json
import time as clock
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tgap.asking.model import Model
from tgap.asking.prediction import Prediction, known_words
from tgap.config import RunConfig
from tgap.data import Dataset, load_dataset
from tgap.data.catalog import stored_folders
from tgap.data.display import shown
from tgap.data.entries import CATALOG
from tgap.data.event_tables import read_events
from tgap.data.facts import Facts
from tgap.data.reading import Sources, TableSource, find_sources
from tgap.data.time import When
from tgap.errors import DataError
from tgap.explain.schema import plain
from tgap.graph.task import COMPLETION
from tgap.methods import config_for
from tgap.text import Blank, Block, Heading, Line, Note, Table
from tgap.universal import prepare, trust_check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tgap.explain.explanation import Reason
    from tgap.universal import UniversalScorer

METHOD = "universal"


@dataclass(frozen=True)
class OpenTable:
    """A model on a table, what was remarked while it was read, and the seconds of each step."""

    model: Model
    scorer: UniversalScorer
    remarks: tuple[str, ...]
    seconds: dict[str, float]


@dataclass(frozen=True)
class TableAnswer:
    """Answers to one question about a table, the reason for the best one, and how far to trust them."""

    VERSION: ClassVar[str] = "tgap.table-answer/1"

    prediction: Prediction
    sentence: str | None  # why the best answer has its probability; None where no answer is possible
    trust: str | None  # how often the model is right on facts of the table itself; None where it was not asked
    remarks: tuple[str, ...]  # how the table was understood
    seconds: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        lines = [str(self.prediction), *([] if self.sentence is None else [shown(self.sentence)])]
        return "\n".join([*lines, *([] if self.trust is None else [self.trust])])

    def text(self) -> Iterator[Block]:
        """The answers, the reason, how far to trust them, and what was remarked."""
        found = self.prediction
        yield Heading(found.question.text)
        rows = tuple(
            (f"{answer.rank:g}", answer.name, f"{answer.score:.4f}", known_words(answer)) for answer in found.answers
        )
        yield Table(("rank", "answer", found.score_name, ""), rows, "rlrl")
        if self.sentence is not None:
            yield from (Line(self.sentence), Blank())
        yield from map(Note, found.notes)
        yield from map(Note, self.remarks)
        if self.trust is not None:
            yield Line(f"How far to trust it: {self.trust}.")


def open_table(source: object, task: str = COMPLETION.name) -> OpenTable:
    """A model for a table: a path, a frame, or the name of a dataset. Every fact of the table is known to it."""
    begin = clock.perf_counter()
    dataset, remarks = read_table(source)
    read = clock.perf_counter()
    ready = prepare(dataset, task)
    config: RunConfig = config_for(METHOD, dataset.name, task=task)
    seconds = {"table": read - begin, **ready.seconds}
    return OpenTable(Model(ready.scorer, dataset, config=config), ready.scorer, remarks, seconds)


def ask(
    source: object,
    subject: str | None,
    relation: str,
    object: str | None = None,  # noqa: A002  the fourth part of a fact has no other name
    time: When | None = None,
    *,
    task: str = COMPLETION.name,
    answer: str | None = None,
    top: int = 5,
    check: bool = True,
) -> TableAnswer:
    """Answer a question about a table of events, without training.

    >>> tgap.ask("events.csv", "Ann", "calls", "?", "2024-05-01")  # doctest: +SKIP

    ``source`` is a path, a frame or the name of a dataset. ``"?"`` or ``None`` stands where the answer goes. With
    ``task="forecast"`` the answer comes from what lies strictly before the question. ``check`` asks the model some
    hundred facts of the table itself, each hidden, and tells how often it is right.
    """
    opened = open_table(source, task)
    model, seconds = opened.model, opened.seconds
    question = model.question(subject, relation, object, time, answer=answer)
    begin = clock.perf_counter()
    found = model.predict(question, top=top)
    answered = clock.perf_counter()
    reason: Reason | None = model.why(question) if found.answers else None
    told = clock.perf_counter()
    trust = trust_check(opened.scorer).sentence if check else None
    seconds |= {"answer": answered - begin, "reason": told - answered, "check": clock.perf_counter() - told}
    rounded = {step: round(value, 3) for step, value in seconds.items()}
    return TableAnswer(found, None if reason is None else reason.sentence, trust, opened.remarks, rounded)


def read_table(source: object) -> tuple[Dataset, tuple[str, ...]]:
    """The dataset of a table with every fact in train, and what should be told of how it was read."""
    named = isinstance(source, str | Path) and not Path(source).is_file() and str(source) != "-"
    if named and (str(source) in CATALOG or str(source) in stored_folders() or Path(str(source)).is_dir()):
        return load_dataset(str(source)), ()
    if isinstance(source, str | Path):
        name, sources = Path(source).stem.partition(".")[0] or "table", find_sources([Path(source)])
    else:
        name, sources = "table", Sources((TableSource("the frame", frame=_frame(source)),), (0,))
    events = read_events(sources, None, None, False, split_column=False)
    none = Facts.of([])
    train = Facts.concatenate(list(events.parts))
    remarks = tuple(str(remark.text) for remark in events.remarks if remark.serious)
    return Dataset(name, events.entities, events.relations, events.timeline, train, none, none), remarks


def _frame(source: object) -> Any:
    import polars as pl  # noqa: PLC0415  only for those who have a frame

    if isinstance(source, pl.DataFrame):
        return source
    if not hasattr(source, "__arrow_c_stream__"):
        kind = f"{type(source).__module__.partition('.')[0]}.{type(source).__name__}"
        raise DataError(f"{kind} is no table; expected a path, the name of a dataset or a data frame")
    return pl.DataFrame(source)
