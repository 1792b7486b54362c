"""Write the patterns that bring a model's answers as rules, with the confidence that the data give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from tgap.asking.operation import FileOutput, Operation, Progress
from tgap.studies.options import Relations, SplitOptions
from tgap.studies.result import StudyResult
from tgap.text import Block, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model


class RulesOptions(SplitOptions):
    """Whose patterns are read as rules."""

    relations: Relations = Field(default=(), description="Relations whose questions to study; default: all")
    top: int = Field(default=8, ge=1, description="Patterns of each relation")


@dataclass(frozen=True)
class RuleRow:
    """A rule of one event, as the training facts and the model see it."""

    rule: Annotated[str, Field(description="in AnyBURL's notation")]
    predicted: int
    correct: int
    confidence: Annotated[float, Field(description="correct / predicted over the training facts")]
    lift: float
    nearest: int
    farthest: int | None
    share: Annotated[float, Field(description="mean part of the way to the model's answers")]


@dataclass(frozen=True)
class Rules(StudyResult):
    """Rules, and the lines of the file."""

    VERSION: ClassVar[str] = "tgap.rules/1"

    dataset: str
    rules: tuple[RuleRow, ...]
    lines: Annotated[str, Field(description="tab separated, AnyBURL's columns first")]


def rules(model: Model, options: RulesOptions, progress: Progress | None = None) -> Rules:
    """Count the patterns of the model's answers, then what the training facts say of each."""
    from tgap.studies.pattern_counts import count_patterns
    from tgap.studies.pattern_rules import rule_lines, rules_of
    from tgap.studies.split_questions import questions_about, split_questions

    dataset = model.dataset
    asked = split_questions(dataset, options.split, options.side)
    if options.relations:
        asked = questions_about(model, asked, options.relations, options.split)
    if options.limit is not None:
        asked = asked.sample(options.limit, options.seed)
    counts = count_patterns(model.walker, dataset, asked, options.split, progress)
    studied = [place for place in range(dataset.num_relations) if counts.questions[place]]
    found = [
        rule
        for relation in studied
        for rule in rules_of(dataset, relation, counts.strongest([relation], options.top, relation).patterns)
    ]
    rows = tuple(
        RuleRow(
            rule=one.text(dataset.relations.names),
            predicted=one.predicted,
            correct=one.correct,
            confidence=one.confidence,
            lift=one.lift,
            nearest=one.pattern.nearest,
            farthest=one.pattern.farthest,
            share=one.pattern.share,
        )
        for one in found
    )
    return Rules(dataset.name, rows, rule_lines(dataset, found))


def text(found: Rules, options: RulesOptions) -> Iterator[Block]:  # noqa: ARG001
    """The rules, those of highest confidence first."""
    from tgap.explain.wording import percent

    best = sorted(found.rules, key=lambda row: -row.confidence)
    rows = tuple(
        (percent(row.confidence), f"{row.predicted:,}", f"{row.lift:.3g}", percent(row.share), row.rule)
        for row in best[:40]
    )
    yield Table(("confidence", "events", "lift", "share", "rule"), rows, "rrrrl")


OPERATION = Operation(
    name="rules",
    summary="Write the patterns that bring a model's answers as rules, with the confidence that the data give them.",
    options=RulesOptions,
    run=rules,
    reply="tgap.studies.rules_study:Rules",
    text=text,
    examples=("study rules world --tsv rules.tsv",),
    files=(
        FileOutput(
            name="tsv",
            description="Write the rules, AnyBURL's columns first",
            write=lambda found, _, __: found.lines.encode(),
        ),
    ),
    long=True,
)
