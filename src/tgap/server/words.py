"""Names found by their words: "police ukraine" finds Police (Ukraine), "noth korea" finds North Korea.

A typed word means every word of a name that begins with it. A name is found if each typed word means one of its
words; if none is, a typed word also means every word that is one slip away (a letter too many, too few, another or two
swapped; two slips in long words).

Cost: the words of a vocabulary are sorted once; a typed word is then a range of them. For slips only words that share
letter triples with it are compared.
"""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_SHORTEST = 4  # letters of a word that may hold a slip
_LONG = 8  # letters from which on it may hold two
_COMPARED = 60  # words that are compared with one that holds a slip, those that share most triples

Span = tuple[int, int]


@dataclass(frozen=True)
class Found:
    """A name that typed words mean: its place, the words meant (from, to in the name), and how many slips it took."""

    index: int
    spans: tuple[Span, ...]
    slips: int


class WordIndex:
    """The words of a list of names."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._holders: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(names):
            for word in {plain(found.group()) for found in _WORD.finditer(name)}:
                self._holders[word].append(index)
        self._words = sorted(self._holders)
        self._by_triple: dict[str, list[str]] = defaultdict(list)
        self._by_letters: dict[str, list[str]] = defaultdict(list)  # swapped letters leave a short word no triple
        for word in self._words:
            self._by_letters[_letters(word)].append(word)
            for triple in _triples(word):
                self._by_triple[triple].append(word)

    def search(self, text: str) -> list[Found]:
        """Names whose words the typed ones mean, in the order of the names."""
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
        """Names that hold, for each typed word, one of those it means."""
        return set.intersection(*({index for word in words for index in self._holders[word]} for words in meant))

    def _begun(self, typed: str) -> dict[str, int]:
        """Words that begin with the typed one: no slip."""
        first = bisect.bisect_left(self._words, typed)
        last = bisect.bisect_left(self._words, typed + "\U0010ffff")
        return dict.fromkeys(self._words[first:last], 0)

    def _near(self, typed: str) -> dict[str, int]:
        """Words that are a slip or two away, with the number of slips."""
        allowed = 0 if len(typed) < _SHORTEST else 1 if len(typed) < _LONG else 2
        shared = Counter(word for triple in _triples(typed) for word in self._by_triple.get(triple, ()))
        compared = [word for word, _ in shared.most_common(_COMPARED)] + self._by_letters.get(_letters(typed), [])
        near = {word: slips(typed, word, allowed) for word in compared}
        return {word: count for word, count in near.items() if count <= allowed}

    def _found(self, index: int, meant: list[dict[str, int]]) -> Found:
        spans: list[Span] = []
        count = 0
        words = [(plain(found.group()), found.span()) for found in _WORD.finditer(self._names[index])]
        for means in meant:
            fitting = [(means[word], span) for word, span in words if word in means]
            least, span = min(fitting, key=lambda pair: (pair[0], pair[1] in spans, pair[1]))
            spans.append(span)
            count += least
        return Found(index, tuple(sorted(set(spans))), count)


def plain(word: str) -> str:
    """Case folded and without accents."""
    folded = word.casefold()
    if folded.isascii():
        return folded
    return "".join(mark for mark in unicodedata.normalize("NFKD", folded) if not unicodedata.combining(mark))


def slips(one: str, other: str, most: int) -> int:
    """Letters put in, left out, changed or swapped with their neighbour between two words, at most one above ``most``.

    >>> slips("noth", "north", 1), slips("kroea", "korea", 1), slips("japan", "jordan", 1)
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


def _triples(word: str) -> set[str]:
    padded = f" {word} "
    return {padded[start : start + 3] for start in range(len(padded) - 2)}
