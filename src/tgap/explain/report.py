"""The HTML report: one page that stands alone. No script, no network, every name escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tgap.explain.palette import ANSWER, BASE, COLOURS, GRID, INK, MUTED
from tgap.explain.picture import Picture
from tgap.explain.schema import CheckTable, Document, PathTable, ProfileTable, StepTable
from tgap.explain.svg import picture_svg
from tgap.explain.wording import CONTROL_WORDS, percent, percent_change

_STYLE = f"""
.tgap {{ font: 14px/1.45 "DejaVu Sans", Verdana, Arial, sans-serif; color: {INK}; max-width: 1180px; }}
.tgap h1 {{ font-size: 22px; margin: 0 0 4px; }}
.tgap h2 {{ font-size: 16px; margin: 26px 0 8px; }}
.tgap h3 {{ font-size: 14px; margin: 14px 0 4px; }}
.tgap p {{ margin: 4px 0; }}
.tgap .quiet {{ color: {MUTED}; }}
.tgap .answer {{ color: {ANSWER}; font-weight: bold; }}
.tgap table {{ border-collapse: collapse; margin: 4px 0; }}
.tgap th, .tgap td {{ text-align: left; vertical-align: top; }}
.tgap th, .tgap td {{ padding: 3px 12px 3px 0; border-bottom: 1px solid {GRID}; }}
.tgap td.number, .tgap th.number {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.tgap .whole {{ white-space: nowrap; }}
.tgap .wide {{ overflow-x: auto; }} .tgap .wide svg {{ min-width: 900px; }}
.tgap .past {{ color: {COLOURS["past"]}; }} .tgap .future {{ color: {COLOURS["future"]}; }}
.tgap .bar {{ display: inline-block; height: 10px; vertical-align: middle; }}
"""


def report_page(document: Document, picture: Picture) -> str:
    """A whole HTML page."""
    title = escape(f"{document.question.text}: {document.answer.name}")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n</head>\n"
        f'<body style="margin:24px">\n{report_body(document, picture)}\n</body>\n</html>\n'
    )


def report_body(document: Document, picture: Picture) -> str:
    """The report without page around it, as a notebook shows it."""
    answer = document.answer
    stands = f"probability {percent(answer.score)}, rank {answer.rank:g}{_known(document)}"
    parts = [
        f"<style>{_STYLE}</style>",
        '<div class="tgap">',
        f"<h1>{escape(document.question.text)}</h1>",
        f'<p><span class="answer">{escape(answer.name)}</span>: {escape(stands)}</p>',
        f"<p>{escape(document.reach.sentence)}</p>",
        *(f'<p class="quiet">Note: {escape(note)}</p>' for note in document.notes),
        "<h2>How attention flowed</h2>",
        f'<div class="wide">{picture_svg(picture)}</div>',
        "<h2>Paths to the answer</h2>",
        _paths(document.paths),
        "<h2>Strongest edges of each step</h2>",
        *(_step(step) for step in document.steps),
        "<h2>How far in time attention looked</h2>",
        _profile(document.profile),
    ]
    if document.check is not None:
        parts += ["<h2>Is it faithful?</h2>", _check(document.check)]
    parts.append("</div>")
    return "\n".join(parts)


def _known(document: Document) -> str:
    answer = document.answer
    if answer.known is None:
        return ""
    return f", known {answer.known} ({', '.join(answer.known_in)})"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
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


def _word(text: str, kind: str = "") -> str:
    return f'<td class="{kind}">{escape(text)}</td>' if kind else f"<td>{escape(text)}</td>"


def _number(text: str) -> str:
    return f'<td class="number">{escape(text)}</td>'


def _paths(paths: PathTable) -> str:
    if not paths.walks:
        return "<p>No walk leads to the answer.</p>"
    rows = [(_number(percent(walk.share)), _word(walk.sentence)) for walk in paths.walks]
    note = f"The other walks ({paths.number:,.0f} in all) bring {percent(paths.rest)}."
    if not paths.complete:
        note += " The search was cut short: heavier walks may be missing."
    return _table(("share of the answer", "walk"), rows) + f'<p class="quiet">{note}</p>'


def _step(step: StepTable) -> str:
    rows = [
        (
            _word(edge.subject),
            _word(edge.label),
            _word(edge.object),
            _word(edge.time, "whole"),
            _word(edge.words, f"whole {edge.sign}"),
            _number(f"{edge.attention:.4f}"),
            _number(percent(edge.through)),
        )
        for edge in step.edges
    ]
    head = ("subject", "relation", "object", "date", "displacement", "attention", "of the answer")
    note = f"{step.carried:,} edges carried attention; {percent(step.waiting)} stayed where it was."
    return f"<h3>Step {step.step}</h3>{_table(head, rows)}" + f'<p class="quiet">{note}</p>'


def _profile(profile: ProfileTable) -> str:
    def row(name: str, shares: dict[str, float], waiting: float | None) -> Sequence[str]:
        bars = "".join(
            f'<span class="bar" style="width:{300 * share:.1f}px;background:{colour}"></span>'
            for share, colour in (
                (shares["past"], COLOURS["past"]),
                (shares["present"], COLOURS["present"]),
                (shares["future"], COLOURS["future"]),
                (waiting or 0.0, BASE),
            )
        )
        stays = "" if waiting is None else percent(waiting)
        cells = [_number(percent(shares[side])) for side in ("past", "present", "future")]
        return (_word(name), *cells, _number(stays), f'<td style="white-space:nowrap">{bars}</td>')

    rows = [row("attention", profile.attention, profile.waiting), row("edges within reach", profile.base, None)]
    table = _table(("", "past", "same time", "future", "self-loops", ""), rows)
    relations = [
        (
            _word(entry.relation + (" (inverse)" if entry.inverse else "")),
            *(_number(percent(share)) for share in (entry.attention, entry.past, entry.present, entry.future)),
        )
        for entry in profile.relations
    ]
    return table + _table(("edge relation", "attention", "past", "same time", "future"), relations)


def _check(check: CheckTable) -> str:
    rows = [(_word("as it is"), _number(percent(check.probability)), _number(f"{check.rank:g}"), _number(""))]
    named = [
        ("without the strongest facts", check.strongest),
        ("without the facts that brought it most", check.brought),
    ]
    named += [
        (f"without as many {words}", check.controls[name]) for name, words in CONTROL_WORDS if name in check.controls
    ]
    rows += [
        (_word(name), _number(percent(row.probability)), _number(f"{row.rank:g}"), _number(percent_change(row.drop)))
        for name, row in named
    ]
    lists = ""
    for words, row in (
        ("Deleted as strongest", check.strongest),
        ("Deleted as bringing the answer most", check.brought),
    ):
        facts = "".join(f"<li>{escape(' · '.join(fact))}</li>" for fact in row.facts)
        lists += f"<p>{words}:</p><ul>{facts}</ul>"
    return _table(("", "probability", "rank", "change"), rows) + lists
