"""Labels say what a piece of evidence is besides a fact."""

from __future__ import annotations

import numpy as np
import pytest

from tests.explain.oracle_explainer import OracleExplainer
from tests.tiny import from_facts, tiny_config
from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.data.facts import Fact
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.labels import fact_labels, first_new_answer
from tgap.explain.naming import Names
from tgap.explain.wording import LABEL_WORDS, labels_words
from tgap.scorer import Query

RELATIONS = ["Host a visit", "Make a visit", "Meet", "P54-occurSince", "P54-occurUntil"]
HOST, VISIT, MEET, SINCE, UNTIL = range(5)
A, B, C = range(3)
ROWS = [
    (B, HOST, A, 5), (B, MEET, A, 5), (A, VISIT, C, 5), (A, VISIT, B, 9), (A, VISIT, B, 2), (A, VISIT, B, 5),
    (A, VISIT, C, 1), (C, HOST, A, 1), (C, HOST, A, 5), (A, SINCE, B, 3), (A, UNTIL, B, 4),
]  # fmt: skip
EXPLAINER = OracleExplainer(from_facts(3, 5, ROWS), tiny_config(), span=12)
NAMES = Names(
    Dataset(
        "labels",
        Vocabulary(["Ann", "Ben", "Cat"], "entity"),
        Vocabulary(RELATIONS, "relation"),
        Timeline("day", 16071, 16083),
        Facts.of([Fact(*row) for row in ROWS]),
        Facts.of([]),
        Facts.of([]),
    )
)


def labels(row: tuple[int, int, int, int], query: Query, answer: int) -> tuple[str, ...]:
    flow = AnswerFlow.of(EXPLAINER.graph, EXPLAINER.trace(query), answer)
    fact = EXPLAINER.graph.find_facts(*np.array([row], dtype=np.int64).T.copy())
    return fact_labels(NAMES, flow, int(fact[0]))


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ((A, VISIT, B, 5), ("copy",)),
        ((B, HOST, A, 5), ("mirror",)),  # most visits are recorded from the host's side, too
        ((B, MEET, A, 5), ("same_day",)),
        ((A, VISIT, C, 5), ("rival",)),
        ((A, VISIT, B, 9), ("after",)),
        ((A, VISIT, B, 2), ()),
        ((A, VISIT, C, 1), ()),
    ],
)
def test_labels_of_what_is_asked_for_its_tail_and_its_head(
    row: tuple[int, int, int, int], wanted: tuple[str, ...]
) -> None:
    assert labels(row, Query(A, VISIT, 5), B) == wanted
    from_behind = labels(row, Query(B, VISIT + len(RELATIONS), 5), A)
    assert from_behind == (() if wanted == ("rival",) else wanted)  # (A, Visit, C) is no answer to who visited B


def test_two_ends_of_a_statement_belong_together() -> None:
    assert labels((A, SINCE, B, 3), Query(A, UNTIL, 4), B) == ("other_end",)
    assert labels((A, VISIT, B, 2), Query(A, UNTIL, 4), B) == ()


def test_every_label_has_words() -> None:
    assert labels_words(tuple(LABEL_WORDS)).count(",") == len(LABEL_WORDS) - 1


def test_the_first_new_answer_is_none_that_is_on_record() -> None:
    trace = EXPLAINER.trace(Query(A, VISIT, 5))
    new = first_new_answer(EXPLAINER.graph, trace)
    assert new not in (B, C)  # both are on record for that day
    assert new == A
