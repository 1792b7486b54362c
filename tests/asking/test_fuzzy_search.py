from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tgap.asking.fuzzy_search import WordIndex, edit_distance

NAMES = ["Police (Ukraine)", "Police (South Korea)", "North Korea", "South Korea", "Ukraine", "Găgăuzia\u00a0", "Noth"]


def found(text: str) -> list[str]:
    return [NAMES[match.index] for match in WordIndex(NAMES).search(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("police ukraine", ["Police (Ukraine)"]),
        ("ukraine police", ["Police (Ukraine)"]),
        ("pol kor", ["Police (South Korea)"]),
        ("sout kroea", ["Police (South Korea)", "South Korea"]),
        ("gagauzia", ["Găgăuzia\u00a0"]),
        ("polcie ukrane", ["Police (Ukraine)"]),
        ("ntoh", ["Noth"]),  # no three letters of it are right
        ("noth", ["Noth"]),  # a prefix comes before an edit
        ("noth korea", ["North Korea"]),  # but not where the words together mean nothing
        ("kor xyz", []),
        ("kxr", []),  # too short for an edit
        ("", []),
        ("()", []),
    ],
)
def test_words_in_any_order_by_prefix_or_one_edit_away(text: str, names: list[str]) -> None:
    assert found(text) == names


def test_the_edit_distance_and_the_matching_letters_are_given() -> None:
    (match,) = WordIndex(["North Korea", "Japan"]).search("korae nort")
    assert match.edits == 1
    assert [("North Korea")[start:end] for start, end in match.spans] == ["North", "Korea"]


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 7))
def test_the_edit_distance_is_exact_up_to_the_bound(one: str, other: str, most: int) -> None:
    def distance(left: str, right: str) -> int:
        """By its definition: neighbours may be swapped once and are left alone then."""
        if not left or not right:
            return len(left) + len(right)
        best = min(
            distance(left[:-1], right) + 1,
            distance(left, right[:-1]) + 1,
            distance(left[:-1], right[:-1]) + (left[-1] != right[-1]),
        )
        if len(left) > 1 and len(right) > 1 and left[-1] == right[-2] and left[-2] == right[-1]:
            best = min(best, distance(left[:-2], right[:-2]) + 1)
        return best

    if len(one) + len(other) <= 9:
        assert edit_distance(one, other, most) == min(distance(one, other), most + 1)
    assert edit_distance(one, one, most) == 0
