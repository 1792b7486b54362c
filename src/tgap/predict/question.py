"""From names to a query: which side is asked for, which ids are meant, what is worth a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tgap.data import Dataset, Vocabulary
from tgap.data.time import When
from tgap.errors import QueryError
from tgap.explain.naming import Names
from tgap.explain.schema import Question
from tgap.scorer import Query

ASKED = "?"


@dataclass(frozen=True)
class ParsedQuestion:
    """A question by name and as ids, with notes for the reader and, if a whole fact was given, its answer."""

    question: Question
    query: Query
    notes: tuple[str, ...]
    answer: int | None


def parse_question(
    dataset: Dataset,
    subject: str | None,
    relation: str,
    obj: str | None,
    time: When | None,
    context: Sequence[str] = (),
) -> ParsedQuestion:
    """Read a question from the four parts of a fact; ``None`` or ``?`` stands where the answer goes.

    With neither subject nor object open the question is for the object, and the object given is the answer to look at.
    Names are matched leniently; an unknown one raises ``QueryError`` with the nearest names. The splits in ``context``
    are known besides train.
    """
    if time is None:
        raise QueryError(f"the question has no time; write one like {dataset.timeline.format(dataset.timeline.span)}")
    subject = None if subject in (None, ASKED) else subject
    obj = None if obj in (None, ASKED) else obj
    if subject is None and obj is None:
        raise QueryError("the question names no entity; give the subject or the object, and ? for the other")
    relation_id = _find(dataset.relations, relation, dataset.entities, "an entity")
    instant = dataset.timeline.read(time)
    notes = _notes(dataset, instant)
    ends = tuple(
        None if name is None else _find(dataset.entities, name, dataset.relations, "a relation")
        for name in (subject, obj)
    )
    if ends[0] is not None:
        query, answer = Query(ends[0], relation_id, instant), ends[1]
    else:
        assert ends[1] is not None, "a question names an entity"
        query, answer = Query(ends[1], relation_id + dataset.num_relations, instant), None
    question = name_question(Names(dataset), query)
    if not _seen(dataset, query.subject, context):
        known = "known fact" if context or len(dataset.context) else "training fact"
        notes += (f"{question.start} is in no {known}, so there is nothing to learn of it and nowhere to walk",)
    return ParsedQuestion(question, query, notes, answer)


def _find(names: Vocabulary, name: str, others: Vocabulary, what: str) -> int:
    """Id of a name; one that stands in the wrong place of the question is told so."""
    try:
        return names.find(name)
    except QueryError:
        if name in others:
            order = "the order is subject, relation, object, time"
            raise QueryError(f"{name!r} is {what} of this dataset, in the wrong place; {order}") from None
        raise


def name_question(names: Names, query: Query) -> Question:
    """A query by its stored names; one of an inverse relation asks for the subject."""
    relation, inverse = names.relation(query.relation)
    given = names.entity(query.subject)
    return Question(None if inverse else given, relation, given if inverse else None, names.date(query.time))


def _notes(dataset: Dataset, instant: int) -> tuple[str, ...]:
    line = dataset.timeline
    if 0 <= instant <= line.span:
        return ()
    edge, words = (0, "the first") if instant < 0 else (line.span, "the last")
    covered = f"{line.format(0)} to {line.format(line.span)}"
    away = f"{line.describe(instant - edge)} {words}"
    return (f"{line.format(instant)} lies outside the data ({covered}), {away}: the answer is an extrapolation",)


def _seen(dataset: Dataset, entity: int, context: Sequence[str]) -> bool:
    known = (dataset.train, dataset.context, *(dataset.splits[split] for split in context))
    return any(len(one.with_subject(entity)) or len(one.with_object(entity)) for one in known)
