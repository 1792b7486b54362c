"""What can be shown for an answer of a method without a walk: how it stands, and the nearest facts of the pair."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from tgap.asking.answers import answer_row, limit_notes
from tgap.asking.known import Known
from tgap.asking.question import Question as ResolvedQuestion
from tgap.explain.naming import NamedEdge
from tgap.explain.nearby import nearby_facts
from tgap.explain.schema import Answer, Question, plain
from tgap.graph.setting import visible_facts
from tgap.scorer import QueryBatch, ScoreKind

if TYPE_CHECKING:
    from tgap.asking.model import Model


@dataclass(frozen=True)
class Support:
    """An answer with the training facts that a reader can hold against it."""

    VERSION: ClassVar[str] = "tgap.support/1"

    question: Question
    answer: Answer
    probability: bool  # the answer's score is a probability
    scorer: str  # method that answered
    sentence: str  # what this is, and what it is not
    facts: tuple[NamedEdge, ...]  # nearest in time first
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (docs/json-schema.md)."""
        found: dict[str, Any] = plain(self)
        return found

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(' · '.join(edge.fact))}</td><td>{escape(edge.relative_time)}</td></tr>"
            for edge in self.facts
        )
        return f"<div><b>{escape(self.question.text)}</b><p>{escape(self.sentence)}</p><table>{rows}</table></div>"


def support_of(model: Model, question: ResolvedQuestion, count: int) -> Support:
    """How the question's answer stands, and the ``count`` nearest facts of subject and answer."""
    query = question.query
    scores = model.scores(QueryBatch.of([query]))[0]
    index = int(scores.argmax()) if question.answer is None else question.answer
    facts = nearby_facts(visible_facts(model.dataset, model.setting, query.time), model.names, query, index, count)
    pair = (model.names.entity(query.subject), model.names.entity(index))
    return Support(
        question=question.named,
        answer=answer_row(model, scores, index, Known(model.dataset, query)),
        probability=model.scorer.kind is not ScoreKind.ORDER,
        scorer=model.scorer.name,
        sentence=support_sentence(model.scorer.name, len(facts), pair),
        facts=facts,
        notes=question.notes + limit_notes(model, query),
    )


def support_sentence(scorer: str, found: int, pair: tuple[str, str]) -> str:
    """Says that the facts are no reasons."""
    if not found:
        return f"{scorer} has no walk to show, and train holds no fact of {pair[0]} with {pair[1]}."
    return (
        f"{scorer} has no walk to show. Instead, the facts of {pair[0]} with {pair[1]} in train that lie nearest in "
        "time; they need not be its reasons."
    )
