"""A question: a fact with a hole, resolved to the ids of a dataset once and then passed on as a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tgap.data import Dataset, Vocabulary
from tgap.data.time import When
from tgap.errors import QueryError, UnknownNameError
from tgap.explain.naming import Names
from tgap.explain.schema import Question as NamedQuestion
from tgap.graph.setting import EvaluationSetting
from tgap.scorer import Query

ASKED = "?"
_FAR = 1000  # units of time beyond twice the data's span that a question may lie away


@dataclass(frozen=True)
class Question:
    """Which side is asked for, of whom, when, and what may be seen; ids are those of the dataset it was asked of."""

    query: Query
    answer: int | None  # entity whose place is asked for, or whose reasons
    setting: EvaluationSetting  # which facts are known and seen
    named: NamedQuestion  # by stored names
    notes: tuple[str, ...]  # what the reader should know
    parts: dict[str, Any]  # subject, relation, object, time, answer, as_of, past_only and window as given

    def __str__(self) -> str:
        return self.named.text


def resolve(
    dataset: Dataset, setting: EvaluationSetting, names: Names, parts: dict[str, Any], answer: str | None
) -> Question:
    """Read a question from the parts of a fact; ``None`` or ``?`` stands where the answer goes.

    With neither subject nor object open the question is for the object, and the object given is the answer to look at.
    Names are matched leniently; an unknown one raises ``UnknownNameError`` with the nearest names.
    """
    subject, obj = (None if parts[side] in (None, ASKED) else parts[side] for side in ("subject", "object"))
    if subject is None and obj is None:
        raise QueryError("the question names no entity; give the subject or the object, and ? for the other")
    relation = find_name(dataset, "relation", parts["relation"])
    instant = read_time(dataset, parts["time"])
    ends = {
        field: None if name is None else find_name(dataset, field, name)
        for field, name in (("subject", subject), ("object", obj))
    }
    if ends["subject"] is not None:
        query, given = Query(ends["subject"], relation, instant), ends["object"]
    else:
        assert ends["object"] is not None, "a question names an entity"
        query, given = Query(ends["object"], relation + dataset.num_relations, instant), None
    chosen = given if answer is None else find_name(dataset, "answer", answer)
    if given is not None and chosen != given:
        raise QueryError(
            f"two answers are given, {names.entity(given)!r} and {names.entity(chosen or 0)!r}; leave one of them out"
        )
    named = name_query(names, query)
    notes = _outside(dataset, instant) + _nothing_known(dataset, setting.context, named, query.subject)
    return Question(query, chosen, setting, named, notes, parts)


def find_name(dataset: Dataset, field: str, name: str) -> int:
    """Id of the entity or relation that a field of a question names.

    A name that is found in the wrong place of the question is told so; an unknown one gets the nearest names.
    """
    own, other, what = dataset.entities, dataset.relations, "a relation"
    if field == "relation":
        own, other, what = other, own, "an entity"
    try:
        return own.find(name)
    except QueryError as error:
        message = str(error)
        if name in other:
            order = "the order is subject, relation, object, time"
            message = f"{name!r} is {what} of this dataset, in the wrong place; {order}"
        kind: Literal["entity", "relation"] = "relation" if field == "relation" else "entity"
        raise UnknownNameError(message, field=field, kind=kind, given=name, suggestions=_nearest(own, name)) from None


def _nearest(names: Vocabulary, name: str) -> tuple[str, ...]:
    return tuple(names.nearest(name, 5))


def read_time(dataset: Dataset, time: When) -> int:
    """The instant of a time as somebody writes it; one absurdly far from the data would only cost memory."""
    line = dataset.timeline
    instant = line.read(time)
    far = 2 * line.span + _FAR
    if not -far <= instant <= line.span + far:
        covered = f"{line.format(0)} to {line.format(line.span)}"
        raise QueryError(f"{str(time)!r} lies too far from the data ({covered}); ask about a nearer time")
    return instant


def name_query(names: Names, query: Query) -> NamedQuestion:
    """A query by its stored names; one of an inverse relation asks for the subject."""
    relation, inverse = names.relation(query.relation)
    given = names.entity(query.subject)
    return NamedQuestion(None if inverse else given, relation, given if inverse else None, names.date(query.time))


def _outside(dataset: Dataset, instant: int) -> tuple[str, ...]:
    """A note on a time before or after the data."""
    line = dataset.timeline
    if 0 <= instant <= line.span:
        return ()
    edge, words = (0, "the first") if instant < 0 else (line.span, "the last")
    covered = f"{line.format(0)} to {line.format(line.span)}"
    away = f"{line.describe(instant - edge)} {words}"
    return (f"{line.format(instant)} lies outside the data ({covered}), {away}: the answer is an extrapolation",)


def _nothing_known(dataset: Dataset, context: Sequence[str], named: NamedQuestion, entity: int) -> tuple[str, ...]:
    """A note on an entity without any known fact."""
    known = (dataset.train, dataset.context, *(dataset.splits[split] for split in context))
    if any(len(one.with_subject(entity)) or len(one.with_object(entity)) for one in known):
        return ()
    what = "known fact" if context or len(dataset.context) else "training fact"
    return (f"{named.start} is in no {what}, so there is nothing to learn of it and nowhere to walk",)
