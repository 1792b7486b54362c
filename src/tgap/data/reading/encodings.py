"""Text that is not UTF-8: UTF-16 by its mark, Latin-1 where nothing in the file is UTF-8 beyond ASCII."""

from __future__ import annotations

import re

_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_FOREIGN = re.compile(rb"[\x80-\xff]+")
_LETTERS = frozenset(range(0xC0, 0x100)) - {0xD7, 0xF7, 0xFE, 0xFF}  # accented letters of western Europe
_SIGNS = frozenset(b"\x85\x91\x92\x93\x94\x96\x97\xa0\xab\xb0\xba\xaa\xbb\xb4")  # quotation marks, dashes, blanks


def as_utf8(content: bytes) -> tuple[bytes, str]:
    """The content as UTF-8, and what it was if not that: ``UTF-16``, ``Latin-1`` or nothing."""
    if content[:2] in _MARKS:
        try:
            return content[2:].decode(_MARKS[content[:2]]).encode(), "UTF-16"
        except UnicodeDecodeError:
            return content, ""  # broken: the lines that cannot be read are told one by one
    if content.isascii() or not _is_latin1(content):
        return content, ""
    return content.decode("cp1252").encode(), "Latin-1"


def _is_latin1(content: bytes) -> bool:
    """Whether every byte beyond ASCII is a letter or sign of western Europe, and none could be UTF-8."""
    if _UTF8.search(content) or b"\0" in content:
        return False
    foreign = b"".join(_FOREIGN.findall(content))
    return not set(foreign) - _LETTERS - _SIGNS and max(map(len, _FOREIGN.findall(content))) <= 3
