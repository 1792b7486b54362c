"""Fuzzy search of names by their words: "police ukraine" finds Police (Ukraine), "noth korea" finds North Korea.

A typed word matches every word of a name that begins with it. A name is found if each typed word matches one of its
words; if no name is, a typed word also matches words at edit distance 1 (a letter inserted, deleted, replaced or two
swapped; distance 2 for long words).

Cost: the words of a vocabulary are sorted once; a typed word is then a range of them. Edit distances are computed only
to words that share letter trigrams with it.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 4  # letters of a word that may differ by one edit
_LONG = 8  # letters from which on it may differ by two
_COMPARED = 60  # words whose edit distance is computed, those that share most trigrams

Span = tuple[int, int]


@dataclass(frozen=True)
class NameMatch:
    """A name that typed words match: its place, the words matched (from, to in the name), and the edit distance."""

    index: int
    spans: tuple[Span, ...]
    edits: int


class WordIndex:
    """The words of a list of names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._holders: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(names):
            for word in {plain(found.group()) for found in _WORD.finditer(name)}:
                self._holders[word].append(index)
        self._words = sorted(self._holders)
        self._by_trigram: dict[str, list[str]] = defaultdict(list)
        self._by_letters: dict[str, list[str]] = defaultdict(
            list
        )  # swapped letters leave a short word no common trigram
        for word in self._words:
            self._by_letters[_letters(word)].append(word)
            for trigram in _trigrams(word):
                self._by_trigram[trigram].append(word)

    def search(self, text: str) -> list[NameMatch]:
        """Names whose words the typed ones match, in the order of the names."""
        typed = [plain(found.group()) for found in _WORD.finditer(text)]
        if not typed:
            return []
        meant = [self._begun(word) for word in typed]
        found = self._together(meant)
        if not found:
            meant = [{**self._near(word), **begun} for word, begun in zip(typed, meant, strict=True)]
            found = self._together(meant)
        return [self._found(index, meant) for index in sorted(found)]

    def _together(self, meant: list[dict[str, int]]) -> set[int]:
        """Names that hold, for each typed word, one that it matches."""
        return set.intersection(*({index for word in words for index in self._holders[word]} for words in meant))

    def _begun(self, typed: str) -> dict[str, int]:
        """Words that begin with the typed one: edit distance 0."""
        first = bisect.bisect_left(self._words, typed)
        last = bisect.bisect_left(self._words, typed + "\U0010ffff")
        return dict.fromkeys(self._words[first:last], 0)

    def _near(self, typed: str) -> dict[str, int]:
        """Words within the allowed edit distance, with that distance."""
        allowed = 0 if len(typed) < _SHORTEST else 1 if len(typed) < _LONG else 2
        shared = Counter(word for trigram in _trigrams(typed) for word in self._by_trigram.get(trigram, ()))
        compared = [word for word, _ in shared.most_common(_COMPARED)] + self._by_letters.get(_letters(typed), [])
        near = {word: edit_distance(typed, word, allowed) for word in compared}
        return {word: count for word, count in near.items() if count <= allowed}

    def _found(self, index: int, meant: list[dict[str, int]]) -> NameMatch:
        spans: list[Span] = []
        count = 0
        words = [(plain(found.group()), found.span()) for found in _WORD.finditer(self._names[index])]
        for means in meant:
            fitting = [(means[word], span) for word, span in words if word in means]
            least, span = min(fitting, key=lambda pair: (pair[0], pair[1] in spans, pair[1]))
            spans.append(span)
            count += least
        return NameMatch(index, tuple(sorted(set(spans))), count)


def plain(word: str) -> str:
    """Case folded and without accents."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    return "".join(mark for mark in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(mark))


def edit_distance(one: str, other: str, most: int) -> int:
    """The edit distance of two words, with swaps of neighbours (Damerau-Levenshtein); at most one above ``most``.

    >>> edit_distance("noth", "north", 1), edit_distance("kroea", "korea", 1), edit_distance("japan", "jordan", 1)
    (1, 1, 2)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, mark in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != mark))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == mark:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def _letters(word: str) -> str:
    return "".join(sorted(word))


def _trigrams(word: str) -> set[str]:
    padded = f" {word} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}
