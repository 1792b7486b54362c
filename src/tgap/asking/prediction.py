"""A prediction: the best answers to one question, as a plain object, a table, JSON and a notebook's cell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from tgap.data.display import shown
from tgap.explain.evidence_schema import CalibrationRow, EvidenceRow
from tgap.explain.schema import Answer, Question, plain

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Prediction:
    """Answers, best first."""

    VERSION: ClassVar[str] = "tgap.prediction/1"

    question: Question
    answers: tuple[Answer, ...]
    asked: Answer | None  # how the given answer stands, where one was given
    probabilities: bool  # scores are probabilities that sum to 1 over all entities
    rest: float | None  # probability of all entities that are not among the answers; None where scores are none
    scorer: str  # method that answered
    calibration: CalibrationRow | None  # how often answers like the first one that train does not tell were right
    notes: tuple[str, ...]
    # Training facts that carried most of the way to the first answer, strongest measured effect first; where asked for.
    evidence: tuple[EvidenceRow, ...] = ()

    @property
    def best(self) -> str | None:
        """The first answer's name; None where no answer is possible."""
        return self.answers[0].name if self.answers else None

    @property
    def score_name(self) -> str:
        """What the scores are."""
        return "probability" if self.probabilities else "score"

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (docs/json-schema.md)."""
        found: dict[str, Any] = plain(self)
        return found

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_frame(self) -> pl.DataFrame:
        """One row per answer."""
        import polars as pl  # noqa: PLC0415  importing tgap.asking stays quick

        return pl.DataFrame(
            {
                "rank": [answer.rank for answer in self.answers],
                "name": [answer.name for answer in self.answers],
                "score": [answer.score for answer in self.answers],
                "known": pl.Series([answer.known for answer in self.answers], dtype=pl.String),
                "known_in": pl.Series([", ".join(answer.known_in) for answer in self.answers], dtype=pl.String),
            }
        )

    def __str__(self) -> str:
        """The question, and a line per answer."""
        wide = max((len(shown(answer.name)) for answer in self.answers), default=0)
        lines = [
            f"{answer.rank:>4g}  {shown(answer.name):<{wide}}  {answer.score:8.4f}  {known_words(answer)}".rstrip()
            for answer in self.answers
        ]
        return "\n".join([shown(self.question.text), *lines, *(f"Note: {shown(note)}" for note in self.notes)])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{answer.rank:g}</td><td>{escape(answer.name)}</td><td>{answer.score:.4f}</td>"
            f"<td>{escape(known_words(answer))}</td></tr>"
            for answer in self.answers
        )
        notes = "".join(f"<p>Note: {escape(note)}</p>" for note in self.notes)
        return (
            f"<div><b>{escape(self.question.text)}</b><table><thead><tr><th>rank</th><th>answer</th>"
            f"<th>{self.score_name}</th><th></th></tr></thead><tbody>{rows}</tbody></table>{notes}</div>"
        )


def known_words(answer: Answer) -> str:
    """The mark beside an answer that the dataset already holds."""
    return "" if answer.known is None else f"known {answer.known} ({', '.join(answer.known_in)})"
