from __future__ import annotations

import pytest

from tgap.explain.naming import NamedEdge
from tgap.explain.reach import Reach
from tgap.explain.wording import (
    counted,
    path_sentence,
    percent,
    reach_sentence,
    short_label,
    shorten,
)

THREAT = NamedEdge("North Korea", "Threaten", "Japan", False, "2014-05-12", 13, "13 days after", "future")
CONSULT = NamedEdge("Japan", "Consult", "South Korea", True, "2014-04-28", -1, "1 day before", "past")


def test_percentages_are_short() -> None:
    shares = (0, 0.00001, 0.0003, 0.012, 0.0999, 0.31, 1.0)
    assert [percent(share) for share in shares] == ["0 %", "< 0.01 %", "0.03 %", "1.2 %", "10 %", "31 %", "100 %"]


def test_long_names_end_in_an_ellipsis() -> None:
    assert shorten("North Korea", 11) == "North Korea"
    assert shorten("Association of Southeast Asian Nations", 15) == "Associa…Nations"


def test_an_inverse_relation_stays_one_when_it_is_shortened() -> None:
    assert short_label("Make an appeal or request", True, 20) == "Make…quest (inverse)"
    assert short_label("Threaten", False, 20) == "Threaten"


def test_one_has_no_plural() -> None:
    assert [counted(number, "edge") for number in (0, 1, 1200)] == ["0 edges", "1 edge", "1,200 edges"]


def test_arrows_show_which_way_a_fact_was_stored() -> None:
    assert path_sentence("North Korea", (THREAT, CONSULT)) == (
        "North Korea —Threaten→ Japan (2014-05-12, 13 days after), "
        "then Japan ←Consult— South Korea (2014-04-28, 1 day before)"
    )
    assert CONSULT.fact == ("South Korea", "Consult", "Japan", "2014-04-28")
    assert path_sentence("North Korea", ()) == "attention stays at North Korea"


@pytest.mark.parametrize(
    ("reach", "words"),
    [
        (Reach(3, 2, True), "B is 2 edges away from A; the walk takes 3 steps."),
        (Reach(1, 1, True), "B is 1 edge away from A; the walk takes 1 step."),
        (Reach(3, None, False), "no chain of facts leads there from A"),
        (Reach(3, 5, False), "it is 5 edges away from A and the walk takes 3 steps, so no attention can arrive."),
        (Reach(3, 2, False), "No attention arrived at B, though it is 2 edges away from A"),
        (Reach(3, 0, True), "B is the entity that is asked about"),
    ],
)
def test_reach_is_said_in_words(reach: Reach, words: str) -> None:
    assert words in reach_sentence("A", "B", reach)
