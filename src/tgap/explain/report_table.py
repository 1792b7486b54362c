"""Tables of the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Table of ready cells; a heading stands over numbers as they do, to the right."""
    ready = [list(row) for row in rows]
    first = ready[0] if ready else [""] * len(head)
    heads = [
        f'<th class="number">{escape(text)}</th>'
        if cell.startswith('<td class="number"')
        else f"<th>{escape(text)}</th>"
        for text, cell in zip(head, first, strict=True)
    ]
    lines = [f'<div class="wide"><table><thead><tr>{"".join(heads)}</tr></thead><tbody>']
    lines += ["<tr>" + "".join(row) + "</tr>" for row in ready]
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def word(text: str, kind: str = "") -> str:
    """A cell of text."""
    return f'<td class="{kind}">{escape(text)}</td>' if kind else f"<td>{escape(text)}</td>"


def number(text: str) -> str:
    """A cell of a number."""
    return f'<td class="number">{escape(text)}</td>'
