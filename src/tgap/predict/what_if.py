"""A question asked twice: as things are, and as if some facts had not happened or others had.

A method that reads the graph while it answers is asked with facts hidden, or with more facts known. What it has learned
stays as it is: weights are not trained again, so this tells what the facts do to an answer, not what they did to the
model. A method that answers from its weights alone cannot be asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from tgap.data import Dataset, Fact
from tgap.data.facts import Facts
from tgap.data.time import When
from tgap.errors import QueryError
from tgap.explain.naming import Names
from tgap.graph.view import WHOLE
from tgap.predict.prediction import Prediction
from tgap.predict.question import parse_question

if TYPE_CHECKING:
    from tgap.predict.predictor import Predictor

VERSION = "tgap.counterfactual/1"
FactParts = tuple[str, str, str, When]  # subject, relation, object, time
NamedFact = tuple[str, str, str, str]


@dataclass(frozen=True)
class WhatIf:
    """The answers before and after; facts by their stored names."""

    without: tuple[NamedFact, ...]  # training facts taken away
    added: tuple[NamedFact, ...]  # facts that train does not have
    before: Prediction
    after: Prediction

    @property
    def changes(self) -> bool:
        """Whether another answer comes first."""
        return self.before.best != self.after.best

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (docs/json-schema.md)."""
        return {
            "schema": VERSION,
            "facts": [list(fact) for fact in self.without],
            "added": [list(fact) for fact in self.added],
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "changes": self.changes,
        }

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        changes = [f"without ({', '.join(fact)})" for fact in self.without]
        changes += [f"with ({', '.join(fact)}) added" for fact in self.added]
        words = "".join(f"<li>{escape(text)}</li>" for text in changes)
        return f"<div>{self.before._repr_html_()}<ul>{words}</ul>{self.after._repr_html_()}</div>"


def ask_what_if(
    predictor: Predictor,
    question: tuple[str | None, str, str | None, When | None],
    *,
    without: Sequence[FactParts] = (),
    added: Sequence[FactParts] = (),
    answer: str | None = None,
    top: int = 10,
    hide_asked: bool = True,
) -> WhatIf:
    """Both predictions. ``hide_asked`` hides the asked fact itself in both, where its answer is named and train has it.

    Where facts are added, both come from the graph that has them, hidden in the first: which edges a subgraph samples
    depends on where they stand in the graph, and only so does nothing but the facts differ. A note tells where the
    first then differs from what ``predict`` says.
    """
    if not without and not added:
        raise QueryError("no fact to take away and none to add; name some")
    gone, new = ([_ids_of(predictor.dataset, fact) for fact in facts] for facts in (without, added))
    fresh = [fact for fact in new if predictor.fact_ids([fact])[0] < 0]  # what is known already cannot happen again
    _check_known(predictor, [fact for fact in gone if fact not in fresh])
    hidden = _asked(predictor.dataset, question, answer) if hide_asked else []

    def predict(asked: Predictor, hidden: Sequence[Fact]) -> Prediction:
        view = WHOLE.without(asked.fact_ids(hidden)) if hidden else WHOLE
        return asked.predict(*question, top=top, answer=answer, view=view)

    if fresh:
        larger = predictor.knowing_also(Facts.of(fresh))
        before, after = predict(larger, [*hidden, *fresh]), predict(larger, [*hidden, *gone])
        note = _sample_note(predict(predictor, hidden), before)
        before, after = (replace(found, notes=found.notes + note) for found in (before, after))
    else:
        before, after = predict(predictor, hidden), predict(predictor, [*hidden, *gone])
    return WhatIf(_named(predictor.names, gone), _named(predictor.names, new), before, after)


def _sample_note(plain: Prediction, before: Prediction) -> tuple[str, ...]:
    """A note where the larger graph, without what was added, does not say what the graph as it is says."""
    if not plain.answers or not before.answers or before.answers[0] == plain.answers[0]:
        return ()
    first, other = plain.answers[0], before.answers[0]
    here = f"compare with {other.name} {other.score:.4f} here"
    there = f"not with {first.name} {first.score:.4f} as `tgap predict` has it"
    return (f"with facts added other edges are sampled: {here}, {there}",)


def _ids_of(dataset: Dataset, fact: FactParts) -> Fact:
    subject, relation, obj, time = fact
    ends = dataset.entities.find(subject), dataset.entities.find(obj)
    return Fact(ends[0], dataset.relations.find(relation), ends[1], dataset.timeline.read(time))


def _check_known(predictor: Predictor, facts: Sequence[Fact]) -> None:
    """Refuse to take away what is not there."""
    for fact, index in zip(facts, predictor.fact_ids(facts), strict=True):
        if index < 0:
            words = ", ".join(_named(predictor.names, [fact])[0])
            raise QueryError(f"({words}) is no training fact, so there is nothing to take away")


def _asked(
    dataset: Dataset, question: tuple[str | None, str, str | None, When | None], answer: str | None
) -> list[Fact]:
    """The fact that a question with its answer makes; none without an answer."""
    parsed = parse_question(dataset, *question)
    index = parsed.answer if answer is None else dataset.entities.find(answer)
    if index is None:
        return []
    subject, relation, time = parsed.query
    inverse = relation >= dataset.num_relations
    ends = (index, subject) if inverse else (subject, index)
    return [Fact(ends[0], relation - dataset.num_relations * inverse, ends[1], time)]


def _named(names: Names, facts: Sequence[Fact]) -> tuple[NamedFact, ...]:
    return tuple(
        (names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time))
        for fact in facts
    )
