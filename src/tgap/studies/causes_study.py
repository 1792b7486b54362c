"""Check whether the reasons name the planted causes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import Field

from tgap.asking.operation import Operation, Progress
from tgap.asking.options import Options
from tgap.text import Block, Heading, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.studies.cause_figures import Causes


class CausesOptions(Options):
    """Which facts are looked at, and how far down their reasons."""

    within: int = Field(default=5, ge=1, le=20, description="Facts of each list to look at")
    limit: int | None = Field(default=None, ge=1, description="Only a random sample of N facts")
    past: bool = Field(default=False, description="Hide what happened after the time asked about")
    seed: int = Field(default=0, ge=0, description="Seed of the sample and of the random order")


def causes(model: Model, options: CausesOptions, progress: Progress | None = None) -> Causes:
    """Explain every test fact with a recorded cause that is answered right."""
    from tgap.errors import QueryError
    from tgap.studies.cause_figures import Causes, cause_figures

    if not model.dataset.causes:
        raise QueryError(f"{model.dataset.name} has no recorded causes; use a run on the synthetic world")
    found = cause_figures(model.walker, model.dataset, **options.model_dump(), progress=progress)
    return Causes(**vars(found), dataset=model.dataset.name, seed=options.seed, past=options.past)


def text(found: Causes, options: CausesOptions) -> Iterator[Block]:  # noqa: ARG001
    """Shares by way to choose facts, then by rule."""
    from tgap.studies.orders import ORDER_WORDS

    yield Heading(f"{found.right:,} of {found.facts:,} test facts with a recorded cause are answered right")
    columns = ("the first is a cause", f"a cause in {found.within}", f"all causes in {found.within}")
    rows = [
        (words, *(f"{100 * share:.1f} %" for share in (found.first[name], found.some[name], found.all[name])))
        for name, words in ORDER_WORDS.items()
    ]
    yield Table.numbers("", ("facts chosen by", *columns), rows, numbers_from=1)
    by_rule = [(rule, f"{number:,}", f"{100 * share:.1f} %") for rule, (number, share) in found.by_rule.items()]
    yield Table.numbers("", ("rule", "right answers", "strongest effect is a cause"), by_rule, numbers_from=1)


OPERATION = Operation(
    name="causes",
    summary="Check whether the reasons name the planted causes.",
    options=CausesOptions,
    run=causes,
    reply="tgap.studies.cause_figures:Causes",
    text=text,
    description=(
        "How often the recorded cause of a fact is the first fact that an explanation names, or among its first K. "
        "Needs a run on a dataset that knows its causes: the synthetic world. Counted over the test facts that a rule "
        "made and that the model answers right, for the same five ways to choose facts as tgap study faithfulness."
    ),
    examples=("study causes world",),
    long=True,
)
