"""What can be shown for an answer of a method without a walk: how it stands, and the nearest facts of the pair."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Any

from tgap.explain.naming import NamedEdge
from tgap.explain.schema import Answer, Question, plain

VERSION = "tgap.support/1"


@dataclass(frozen=True)
class Support:
    """An answer with the training facts that a reader can hold against it."""

    question: Question
    answer: Answer
    probability: bool  # the answer's score is a probability
    scorer: str  # method that answered
    sentence: str  # what this is, and what it is not
    facts: tuple[NamedEdge, ...]  # nearest in time first
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (docs/json-schema.md)."""
        return {"schema": VERSION, **plain(self)}

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(' · '.join(edge.fact))}</td><td>{escape(edge.relative_time)}</td></tr>"
            for edge in self.facts
        )
        return f"<div><b>{escape(self.question.text)}</b><p>{escape(self.sentence)}</p><table>{rows}</table></div>"


def support_sentence(scorer: str, found: int, pair: tuple[str, str]) -> str:
    """One honest line: no walk, no reason, only what train holds about the pair."""
    if not found:
        return f"{scorer} has no walk to show, and train holds no fact of {pair[0]} with {pair[1]}."
    return (
        f"{scorer} has no walk to show. Instead, the facts of {pair[0]} with {pair[1]} in train that lie nearest in "
        "time; they need not be its reasons."
    )
