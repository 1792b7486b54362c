"""Tables whose columns are separated by runs of blanks, as network collections write them, with comments at the top."""

from __future__ import annotations

import re

_COMMENTS = (b"#", b"%")
_HEAD = 1 << 16  # bytes looked at
_MOST = 5  # columns


def is_blank_separated(content: bytes) -> bool:
    """Whether every line at the beginning has as many words as the others, three to five, and no other separator."""
    head = content[:_HEAD] if len(content) <= _HEAD else content[: content.rfind(b"\n", 0, _HEAD)]
    lines = [line for line in head.splitlines() if line.strip() and not line.startswith(_COMMENTS)]
    if not lines or any(mark in line for line in lines for mark in (b"\t", b",", b";", b"|", b'"')):
        return False
    widths = {len(line.split()) for line in lines}
    return len(widths) == 1 and 3 <= widths.pop() <= _MOST


def with_tabs(content: bytes) -> bytes:
    """The same lines with tabs for the blanks; comments at the top become empty lines."""
    lines = content.split(b"\n")
    for place, line in enumerate(lines):
        if line.startswith(_COMMENTS):
            lines[place] = b""
        elif line.strip():
            break
    return re.sub(rb"[ ]+", b"\t", b"\n".join(line.strip(b" \r") for line in lines))
