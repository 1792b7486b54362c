from __future__ import annotations

import pytest

from tgap.explain.naming import NamedEdge
from tgap.explain.reach import Reach
from tgap.explain.sentences import path_sentence, reach_sentence

THREAT = NamedEdge("North Korea", "Threaten", "Japan", False, "2014-05-12", 13, "13 days after", "future")
CONSULT = NamedEdge("Japan", "Consult", "South Korea", True, "2014-04-28", -1, "1 day before", "past")


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
