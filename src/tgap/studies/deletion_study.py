"""Compare claimed effects with those of facts that are deleted from the training data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from tgap.asking.operation import Operation, Progress
from tgap.studies.options import SplitOptions
from tgap.studies.result import StudyResult
from tgap.text import Block, Line, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.studies.deletion_checks import DeletionCheck


class DeletionOptions(SplitOptions):
    """Which questions are explained, and how many claims are checked."""

    checks: int = Field(default=300, ge=1, description="Claims to check")


@dataclass(frozen=True)
class Deletions(StudyResult):
    """Claims and what came of them."""

    VERSION: ClassVar[str] = "tgap.deletion/1"

    dataset: str
    split: str
    side: str
    seed: int
    checks: tuple[DeletionCheck, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return {**super().to_dict(), "checks": [asdict(check) for check in self.checks]}


def deletion(model: Model, options: DeletionOptions, progress: Progress | None = None) -> Deletions:
    """Delete facts from the training data, build the graph anew, and ask again."""
    from tgap.studies.deletion_checks import check_deletions
    from tgap.studies.split_questions import split_questions

    asked = split_questions(model.dataset, options.split, options.side).sample(
        options.limit or options.checks, options.seed
    )
    found = check_deletions(model.walker, model.dataset, asked, options.checks, progress)
    return Deletions(model.dataset.name, options.split, options.side, options.seed, tuple(found))


def text(found: Deletions, options: DeletionOptions) -> Iterator[Block]:  # noqa: ARG001
    """How many claims of each kind hold."""
    from tgap.explain.wording import percent
    from tgap.studies.deletion_checks import POINT

    rows = []
    for kind in ("fact", "group", "flip"):
        mine = [check for check in found.checks if check.kind == kind]
        if mine:
            far = max(abs(check.claimed - check.found) for check in mine)
            hold = sum(check.holds for check in mine) / len(mine)
            rows.append((kind, f"{len(mine):,}", percent(hold), f"{100 * far:.5f} points"))
    yield Table(("claim", "checked", "hold", "largest difference"), tuple(rows), "lrrr")
    share = sum(check.holds for check in found.checks) / max(1, len(found.checks))
    yield Line(f"{percent(share)} of {len(found.checks):,} claims hold within {100 * POINT:g} points.")


OPERATION = Operation(
    name="deletion",
    summary="Compare claimed effects with those of facts that are deleted from the training data.",
    options=DeletionOptions,
    run=deletion,
    reply="tgap.studies.deletion_study:Deletions",
    text=text,
    description=(
        "For each question a fact, a group of facts and the set of facts that would change the answer are deleted. A "
        "claim holds if the probability is the same within 0.1 point; a flip must also put another answer first."
    ),
    examples=("study deletion icews14 --checks 300",),
    long=True,
)
