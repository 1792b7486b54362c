"""Show which kinds of events bring the answers, relation by relation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from tgap.asking.operation import Operation, Progress
from tgap.studies.options import Relations, SplitOptions
from tgap.studies.result import StudyResult
from tgap.text import Blank, Block, Heading, Line, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.explain.naming import Names
    from tgap.studies.pattern_counts import Pattern, RelationPatterns

_MOST_ASKED = 10  # relations that stand beside all of them, where none is named
_WAYS = {
    "same": "from the same subject to the same object",
    "inverse": "the other way round",
    "given": "of the entity that is asked about, with others",
    "answer": "of the answer, with others",
    "elsewhere": "between others",
}


class PatternsOptions(SplitOptions):
    """Whose questions are asked, and how many patterns are listed."""

    relations: Relations = Field(default=(), description="Relations to study; default: all, and the most asked")
    top: int = Field(default=8, ge=1, description="Patterns of each relation")


@dataclass(frozen=True)
class PatternRow:
    """A kind of event that brings answers; see ``pattern_counts``."""

    relation: str  # of the event
    way: str
    nearest: int
    farthest: int | None
    share: float
    leads: int
    right: float
    words: str


@dataclass(frozen=True)
class PatternTable:
    """The strongest patterns behind the answers to questions of one relation, or of all where it is None."""

    relation: str | None
    questions: int
    right: float
    self_loops: float
    patterns: tuple[PatternRow, ...]
    rest: float


@dataclass(frozen=True)
class Patterns(StudyResult):
    """What the model has learned, relation by relation."""

    VERSION: ClassVar[str] = "tgap.patterns/2"

    dataset: str
    split: str
    side: str
    relations: tuple[PatternTable, ...]


def patterns(model: Model, options: PatternsOptions, progress: Progress | None = None) -> Patterns:
    """Sort the flow to the first answer of every question by pattern."""
    import numpy as np

    from tgap.studies.pattern_counts import count_patterns
    from tgap.studies.split_questions import questions_about, split_questions

    dataset, walker = model.dataset, model.walker
    asked = split_questions(dataset, options.split, options.side)
    chosen = [model.relation_id(name) for name in options.relations]
    if chosen:
        asked = questions_about(model, asked, options.relations, options.split)
    if options.limit is not None:
        asked = asked.sample(options.limit, options.seed)
    counts = count_patterns(walker, dataset, asked, options.split, progress)
    found = []
    if not chosen:
        found.append(counts.strongest(range(dataset.num_relations), options.top, None))
        most = np.argsort(-counts.questions, kind="stable")[:_MOST_ASKED].tolist()
        chosen = [relation for relation in most if counts.questions[relation]]
    found += [counts.strongest([relation], options.top, relation) for relation in chosen]
    tables = tuple(_table(model.names, one) for one in found)
    return Patterns(dataset.name, options.split, options.side, tables)


def _table(names: Names, found: RelationPatterns) -> PatternTable:
    rows = tuple(
        PatternRow(**{**vars(pattern), "relation": names.label(pattern.relation)}, words=_words(names, pattern))
        for pattern in found.patterns
    )
    relation = None if found.relation is None else names.label(found.relation)
    return PatternTable(**{**vars(found), "relation": relation, "patterns": rows})


def _words(names: Names, pattern: Pattern) -> str:
    """A pattern in words."""
    line = names.dataset.timeline
    if pattern.nearest == 0:
        when = line.describe(0)
    elif pattern.farthest is None:
        when = f"{line.describe(pattern.nearest)} or more"
    elif pattern.nearest == pattern.farthest:
        when = line.describe(pattern.nearest)
    else:
        when = f"{abs(pattern.nearest)} to {line.describe(pattern.farthest)}"
    return f"{names.label(pattern.relation)}, {_WAYS[pattern.way]}, {when}"


def text(found: Patterns, options: PatternsOptions) -> Iterator[Block]:  # noqa: ARG001
    """The patterns of each relation."""
    from tgap.explain.wording import counted, percent

    for one in found.relations:
        asked = f"{counted(one.questions, 'question')}, first answer right in {percent(one.right)}"
        yield Heading(f"{one.relation or 'All relations'}: {asked}")
        rows = tuple(
            (percent(row.share), f"{row.leads:,}", percent(row.right) if row.leads else "", row.words)
            for row in one.patterns
        )
        yield Table(("share", "leads", "right", "events"), rows, "rrrl")
        yield Line(f"All other patterns bring {percent(one.rest)}; {percent(one.self_loops)} stayed on self-loops.")
        yield Blank()


OPERATION = Operation(
    name="patterns",
    summary="Show which kinds of events bring the answers, relation by relation.",
    options=PatternsOptions,
    run=patterns,
    reply="tgap.studies.patterns_study:Patterns",
    text=text,
    description=(
        "What the model has learned: the patterns of events that bring its answers, in words. A pattern is the "
        "relation of an event, how its ends lie to those of the predicted fact, and how far away in time it is. Its "
        "share is the mean part of the way to the model's first answer that such events carried; it leads where no "
        "other pattern carried more; and right is the part of those answers that was right."
    ),
    examples=("study patterns world", "study patterns icews14 --relation Threaten"),
    long=True,
)
