"""Tables of the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tgap.data.display import shown


def plain(text: str) -> str:
    """A text as a page can show it: nothing in it is markup, no character acts unseen."""
    return escape(shown(text))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Table of ready cells; a heading stands over numbers as they do, to the right."""
    ready = [list(row) for row in rows]
    first = ready[0] if ready else [""] * len(head)
    heads = [
        f'<th class="number">{plain(text)}</th>' if cell.startswith('<td class="number"') else f"<th>{plain(text)}</th>"
        for text, cell in zip(head, first, strict=True)
    ]
    lines = [f'<div class="wide"><table><thead><tr>{"".join(heads)}</tr></thead><tbody>']
    lines += ["<tr>" + "".join(row) + "</tr>" for row in ready]
    lines.append("</tbody></table></div>")
    return "\n".join(lines)


def word(text: str, kind: str = "") -> str:
    """A cell of text."""
    return f'<td class="{kind}">{plain(text)}</td>' if kind else f"<td>{plain(text)}</td>"


def number(text: str) -> str:
    """A cell of a number."""
    return f'<td class="number">{plain(text)}</td>'
