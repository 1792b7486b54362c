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
from typing import TYPE_CHECKING, Any, ClassVar

from tgap.asking.answers import predictions
from tgap.asking.prediction import Prediction
from tgap.asking.question import Question
from tgap.data import Fact
from tgap.data.facts import Facts
from tgap.errors import QueryError
from tgap.explain.naming import Names
from tgap.explain.schema import plain
from tgap.graph.view import WHOLE

if TYPE_CHECKING:
    from tgap.asking.model import Model

NamedFact = tuple[str, str, str, str]


@dataclass(frozen=True)
class WhatIf:
    """The answers before and after; facts by their stored names."""

    VERSION: ClassVar[str] = "tgap.what-if/1"

    without: tuple[NamedFact, ...]  # training facts taken away
    added: tuple[NamedFact, ...]  # facts that train does not have
    before: Prediction
    after: Prediction
    changes: bool  # another answer comes first

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (docs/json-schema.md)."""
        found: dict[str, Any] = plain(self)
        return found

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        changes = [f"without ({', '.join(fact)})" for fact in self.without]
        changes += [f"with ({', '.join(fact)}) added" for fact in self.added]
        words = "".join(f"<li>{escape(text)}</li>" for text in changes)
        return f"<div>{self.before._repr_html_()}<ul>{words}</ul>{self.after._repr_html_()}</div>"


def ask_what_if(
    model: Model,
    question: Question,
    *,
    without: Sequence[Fact],
    added: Sequence[Fact],
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
    new_ids = model.fact_ids(added)
    new = [fact for fact, index in zip(added, new_ids, strict=True) if index < 0]  # what is known cannot happen again
    _check_known(model, [fact for fact in without if fact not in new])
    hidden = _asked_fact(model, question) if hide_asked else []

    def predict(asked: Model, hidden: Sequence[Fact]) -> Prediction:
        view = WHOLE.without(asked.fact_ids(hidden)) if hidden else WHOLE
        return next(predictions(asked, [question], top, view=view))

    if new:
        larger = model.with_facts(Facts.of(new))
        before, after = predict(larger, [*hidden, *new]), predict(larger, [*hidden, *without])
        note = _sample_note(predict(model, hidden), before)
        before, after = (replace(found, notes=found.notes + note) for found in (before, after))
    else:
        before, after = predict(model, hidden), predict(model, [*hidden, *without])
    changes = before.best != after.best
    return WhatIf(_named(model.names, without), _named(model.names, added), before, after, changes)


def _sample_note(plain: Prediction, before: Prediction) -> tuple[str, ...]:
    """A note where the larger graph, without what was added, does not say what the graph as it is says."""
    if not plain.answers or not before.answers or before.answers[0] == plain.answers[0]:
        return ()
    first, other = plain.answers[0], before.answers[0]
    here = f"compare with {other.name} {other.score:.4f} here"
    there = f"not with {first.name} {first.score:.4f} as `tgap predict` has it"
    return (f"with facts added other edges are sampled: {here}, {there}",)


def _check_known(model: Model, facts: Sequence[Fact]) -> None:
    """Refuse to take away what is not there."""
    for fact, index in zip(facts, model.fact_ids(facts), strict=True):
        if index < 0:
            words = ", ".join(_named(model.names, [fact])[0])
            raise QueryError(f"({words}) is no training fact, so there is nothing to take away")


def _asked_fact(model: Model, question: Question) -> list[Fact]:
    """The fact that a question with its answer makes; none without an answer."""
    if question.answer is None:
        return []
    subject, relation, time = question.query
    inverse = relation >= model.dataset.num_relations
    ends = (question.answer, subject) if inverse else (subject, question.answer)
    return [Fact(ends[0], relation - model.dataset.num_relations * inverse, ends[1], time)]


def _named(names: Names, facts: Sequence[Fact]) -> tuple[NamedFact, ...]:
    return tuple(
        (names.entity(fact.subject), names.label(fact.relation), names.entity(fact.object), names.date(fact.time))
        for fact in facts
    )
