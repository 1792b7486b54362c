"""One HTML page of a comparison: bars with intervals, the table, and where each method is good. No script, no network.

Colours and bars only repeat what the cells say in numbers, so the page reads the same without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tgap.evaluation.protocols import HEADLINE
from tgap.evaluation.tables import breakdown_table
from tgap.studies.comparison.document import SHOWN, Comparison, Row, footnotes, main_table
from tgap.text import Table

_STYLE = """
:root { color-scheme: light dark; --ink: #1a1a1a; --muted: #595959; --line: #d8d8d8; --bar: #0072b2; --paper: #d55e00;
  --ground: #ffffff; --tint: 0, 114, 178; }
@media (prefers-color-scheme: dark) { :root { --ink: #eeeeee; --muted: #b0b0b0; --line: #444444; --bar: #56b4e9;
  --paper: #e69f00; --ground: #161616; --tint: 86, 180, 233; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
th { color: var(--muted); font-weight: 600; vertical-align: bottom; }
td.heat { background: rgba(var(--tint), calc(0.45 * var(--share))); }
td.top { font-weight: 700; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg .muted { fill: var(--muted); }
ul { color: var(--muted); padding-left: 1.2rem; }
"""
_LABEL, _SCALE, _ROW = 150, 640, 26  # pixels


def comparison_page(comparison: Comparison) -> str:
    """The whole page."""
    title = f"Methods on {comparison.dataset}"
    table = main_table(comparison)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(table.title)}. Bars: MRR, with its interval as a line; marks: published figures.</p>",
        f'<div class="scroll">{_bars(comparison.rows)}</div>',
        f'<h2>All methods</h2><div class="scroll">{_table(table)}</div>',
        _list(footnotes(comparison)),
    ]
    for name in SHOWN:
        part = breakdown_table(comparison.reports, name)
        parts.append(f'<h2>{escape(part.title)}</h2><div class="scroll">{_heat(part)}</div>')
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def _bars(rows: Sequence[Row]) -> str:
    """MRR from 0 to 1, one bar per method."""
    height = _ROW * len(rows) + 30
    marks = []
    for tenth in range(0, 11, 2):
        x = _LABEL + _SCALE * tenth / 10
        marks.append(f'<line x1="{x:.0f}" y1="0" x2="{x:.0f}" y2="{height - 24}" stroke="var(--line)"/>')
        marks.append(f'<text class="muted" x="{x:.0f}" y="{height - 8}" text-anchor="middle">{tenth / 10:.1f}</text>')
    for place, row in enumerate(rows):
        marks += _bar(row, place * _ROW + 4)
    label = escape(f"MRR ({HEADLINE.name} filter) of {len(rows)} methods; the table below has the numbers")
    size = f'viewBox="0 0 {_LABEL + _SCALE + 60} {height}" width="{_LABEL + _SCALE + 60}" height="{height}"'
    return f'<svg role="img" aria-label="{label}" {size}>' + "".join(marks) + "</svg>"


def _bar(row: Row, top: float) -> list[str]:
    mrr, middle = row.report.headline.mrr, top + 9
    low, high = (_LABEL + _SCALE * bound for bound in (row.interval.low, row.interval.high))
    x = _LABEL + _SCALE * (0.0 if row.quoted is None else row.quoted[0].mrr)
    marks = [
        f'<text x="{_LABEL - 8}" y="{top + 14}" text-anchor="end">{escape(row.report.scorer)}</text>',
        f'<rect x="{_LABEL}" y="{top}" width="{_SCALE * mrr:.1f}" height="18" fill="var(--bar)" opacity="0.75"/>',
        f'<line x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}" stroke="var(--ink)" stroke-width="2"/>',
        f'<text x="{max(high, _LABEL + _SCALE * mrr, x) + 8:.1f}" y="{top + 14}">{mrr:.3f}</text>',
    ]
    if row.quoted is not None:
        marks.append(
            f'<line x1="{x:.1f}" y1="{top - 2}" x2="{x:.1f}" y2="{top + 20}" stroke="var(--paper)" stroke-width="3">'
            f"<title>quoted: {row.quoted[0].mrr:.3f}</title></line>"
        )
    return marks


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _heat(table: Table) -> str:
    """A breakdown: bucket, queries, share, then the MRR of each method, tinted by its size; the best is bold."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    lines = []
    for row in table.rows:
        values = [float(cell) for cell in row[3:]]
        cells = [f"<td>{escape(cell)}</td>" for cell in row[:3]]
        for cell, value in zip(row[3:], values, strict=True):
            top = " top" if value == max(values) else ""
            cells.append(f'<td class="heat{top}" style="--share:{value:.2f}">{escape(cell)}</td>')
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
