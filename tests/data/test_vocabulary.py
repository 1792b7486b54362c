"""Names: exact, forgiving and partial look-up."""

import time
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tgap.data import Vocabulary
from tgap.errors import QueryError

NAMES = [
    "Barack Obama",
    "China",
    "Criticize or denounce",
    "Găgăuzia\u00a0",
    "North Korea",
    "South Korea",
    "south korea",
]


@pytest.fixture
def words() -> Vocabulary:
    return Vocabulary(NAMES, "entity")


@pytest.fixture(scope="module")
def many() -> Vocabulary:
    parts = ["Army", "Citizen", "Ministry", "Party", "Police", "Union", "Bank", "Court", "Port", "School"]
    return Vocabulary(
        (f"{parts[n % 10]} of {n * 7919 % 10007:x} ({parts[n // 10 % 10]}land)" for n in range(10_000)), "entity"
    )


def test_exact_names_are_kept_byte_for_byte(words: Vocabulary) -> None:
    assert [words.name(words.id(name)) for name in NAMES] == NAMES
    assert "China" in words
    assert "china" not in words
    assert len(words) == len(list(words)) == 7


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("barack_obama", "Barack Obama"),
        ("  NORTH\u00a0korea ", "North Korea"),
        ("Găgăuzia", "Găgăuzia\u00a0"),
        ("gagauzia", "Găgăuzia\u00a0"),
        ("South Korea", "South Korea"),
        ("south korea", "south korea"),
    ],
)
def test_find_forgives(words: Vocabulary, text: str, name: str) -> None:
    assert words.name(words.find(text)) == name


def test_find_tells_candidates_and_suggestions(words: Vocabulary) -> None:
    with pytest.raises(QueryError, match=r"entity 'SOUTH_KOREA' is ambiguous.*'South Korea', 'south korea'"):
        words.find("SOUTH_KOREA")
    with pytest.raises(QueryError, match="unknown entity 'Nort Korea'; did you mean 'North Korea'"):
        words.find("Nort Korea")
    with pytest.raises(QueryError, match="none of the 7 known names is like it"):
        words.find("zzz")
    with pytest.raises(QueryError, match="unknown entity 'china'; did you mean 'China'"):
        words.id("china")
    with pytest.raises(QueryError, match="entity id 7 is out of range; expected 0 to 6"):
        words.name(7)


def test_search_ranks_prefix_then_word_then_inside() -> None:
    words = Vocabulary(["Banka", "West Bank", "Bank", "The Embankment", "Bank of China", "(Bank) x"])
    found = [words.name(index) for index in words.search("bank")]
    assert found == ["Bank", "Banka", "Bank of China", "(Bank) x", "West Bank", "The Embankment"]
    assert words.search("bank", limit=2) == [2, 0]
    assert words.search("nowhere") == []
    assert len(words.search("")) == 6


def test_ten_thousand_names_are_quick(many: Vocabulary) -> None:
    """Beside a plain pass over the names, which a busy or slow machine slows down alike."""
    names = [many.name(index) for index in range(len(many))]
    many.search("first use builds the tables")
    many.nearest("first use builds the tables")
    plain = _best(lambda: [name for name in names if "a" in name.casefold()])
    for part in ("a", "ministry", "(bank", "of 1f"):
        assert _best(partial(many.search, part)) < 50 * plain
    assert _best(lambda: many.nearest("Ministri of 1ab (Banklund)")) < 50 * plain


def _best(action: Callable[[], object]) -> float:
    return min(_seconds(action) for _ in range(5))


def _seconds(action: Callable[[], object]) -> float:
    start = time.process_time()  # of the processor: other work on the machine does not count
    action()
    return time.process_time() - start


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=20))
def test_every_name_finds_itself(names: list[str]) -> None:
    words = Vocabulary(names)
    for index, name in enumerate(names):
        assert words.find(name) == words.id(name) == index
        assert index in words.search(name, limit=len(names))
