"""Names as they can safely be shown: nothing that a file holds may drive the terminal or turn a line around."""

from __future__ import annotations

import json
import unicodedata

# Control characters, invisible formatting (direction overrides among it), lone surrogates, line and paragraph
# separators, and code points that nobody has defined.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # invisible too, but part of the spelling in Persian, Hindi and many others


def shown(text: str, *, spaces: bool = False) -> str:
    r"""The text with every character spelt out that would act instead of being seen.

    With ``spaces`` also those that only look like a space, for places where a reader should notice them.

    >>> print(shown("Ann\x1b[31m"), shown("abc\u202edcba"), shown("B\u00a0", spaces=True))
    Ann\x1b[31m abc\u202edcba B\xa0
    """
    if text.isprintable():  # the usual case, and quick
        return text
    return "".join(repr(mark)[1:-1] if _acts(mark, spaces) else mark for mark in text)


def shown_lines(text: str) -> str:
    r"""Whole lines, JSON among them, with such characters written as JSON writes them; line ends stay.

    >>> print(shown_lines('{"name": "abc\u202edcba\x9b"}\n'), end="")
    {"name": "abc\u202edcba\u009b"}
    """
    if all(line.isprintable() for line in text.split("\n")):
        return text
    return "".join(json.dumps(mark)[1:-1] if mark != "\n" and _acts(mark, False) else mark for mark in text)


def _acts(mark: str, spaces: bool) -> bool:
    if mark.isprintable() or mark in _JOINERS:
        return False
    kind = unicodedata.category(mark)
    return kind in _HIDDEN or (spaces and kind == "Zs")
