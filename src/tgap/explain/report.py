"""The HTML report: one page that stands alone. No script, no network, every name escaped."""

from __future__ import annotations

from collections.abc import Sequence

from tgap.explain.drawing import Drawing
from tgap.explain.palette import ANSWER, BASE, COLOURS, GRID, INK, MUTED
from tgap.explain.report_reasons import chain_part, reasons
from tgap.explain.report_table import number, plain, table, word
from tgap.explain.schema import Document, PathTable, ProfileTable, StepTable
from tgap.explain.svg import drawing_svg
from tgap.explain.wording import calibration_words, percent, times_words

_STYLE = f"""
.tgap {{ font: 14px/1.45 "DejaVu Sans", Verdana, Arial, sans-serif; color: {INK}; max-width: 1180px; }}
.tgap h1 {{ font-size: 22px; margin: 0 0 4px; }}
.tgap h2 {{ font-size: 16px; margin: 26px 0 8px; }}
.tgap h3 {{ font-size: 14px; margin: 14px 0 4px; }}
.tgap p {{ margin: 4px 0; }}
.tgap .why {{ font-size: 17px; line-height: 1.5; margin: 14px 0; padding: 10px 14px; border-left: 4px solid {ANSWER}; }}
.tgap details {{ margin-top: 26px; }} .tgap summary {{ cursor: pointer; font-weight: bold; }}
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


def report_page(document: Document, drawing: Drawing) -> str:
    """A whole HTML page."""
    title = plain(f"{document.question.text}: {document.answer.name}")
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n</head>\n"
        f'<body style="margin:24px">\n{report_body(document, drawing)}\n</body>\n</html>\n'
    )


def report_body(document: Document, drawing: Drawing) -> str:
    """The report without page around it, as a notebook shows it: first why, then how attention came, then the walk."""
    answer = document.answer
    stands = f"probability {percent(answer.score)}, rank {answer.rank:g}{_known(document)}"
    parts = [
        f"<style>{_STYLE}</style>",
        '<div class="tgap">',
        f"<h1>{plain(document.question.text)}</h1>",
        f'<p><span class="answer">{plain(answer.name)}</span>: {plain(stands)}</p>',
        *([f'<p class="quiet">{plain(calibration_words(document.calibration))}</p>'] if document.calibration else []),
        *([f'<p class="why">{plain(document.sentence)}</p>'] if document.sentence is not None else []),
        *([f"<p>{plain(document.reach.sentence)}</p>"] if document.kind in (None, "stays", "unreached") else []),
        *(f'<p class="quiet">Note: {plain(note)}</p>' for note in document.notes),
        *reasons(document),
        "<h2>How the probability came</h2>",
        f'<div class="wide">{drawing_svg(drawing)}</div>',
        chain_part(document.chains),
        f"<p>{plain(times_words(document.shares))}</p>" if answer.score > 0 else "",
        "<details><summary>The whole walk: strongest edges of each step, paths, attention over time</summary>",
        "<h2>Strongest edges of each step, whatever answer they led to</h2>",
        *(_step(step) for step in document.steps),
        "<h2>Heaviest paths to the answer</h2>",
        _paths(document.paths),
        "<h2>How far in time attention looked</h2>",
        _profile(document.profile),
        "</details>",
        "</div>",
    ]
    return "\n".join(parts)


def _known(document: Document) -> str:
    answer = document.answer
    if answer.known is None:
        return ""
    return f", known {answer.known} ({', '.join(answer.known_in)})"


def _paths(paths: PathTable) -> str:
    if not paths.walks:
        return "<p>No walk leads to the answer.</p>"
    rows = [(number(percent(walk.share)), word(walk.sentence)) for walk in paths.walks]
    note = f"The other walks ({paths.number:,.0f} in all) bring {percent(paths.rest)}."
    if not paths.complete:
        note += " The search was cut short: heavier walks may be missing."
    return table(("share of the answer", "walk"), rows) + f'<p class="quiet">{note}</p>'


def _step(step: StepTable) -> str:
    rows = [
        (
            word(edge.subject),
            word(edge.label),
            word(edge.object),
            word(edge.time, "whole"),
            word(edge.words, f"whole {edge.sign}"),
            number(f"{edge.attention:.4f}"),
            number(percent(edge.through)),
        )
        for edge in step.edges
    ]
    head = ("subject", "relation", "object", "date", "displacement", "attention", "of the answer")
    note = f"{step.carried:,} edges carried attention; {percent(step.waiting)} stayed where it was."
    return f"<h3>Step {step.step}</h3>{table(head, rows)}" + f'<p class="quiet">{note}</p>'


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
        cells = [number(percent(shares[side])) for side in ("past", "present", "future")]
        return (word(name), *cells, number(stays), f'<td style="white-space:nowrap">{bars}</td>')

    rows = [row("attention", profile.attention, profile.waiting), row("edges within reach", profile.base, None)]
    shares = table(("", "past", "same time", "future", "self-loops", ""), rows)
    relations = [
        (
            word(entry.relation + (" (inverse)" if entry.inverse else "")),
            *(number(percent(share)) for share in (entry.attention, entry.past, entry.present, entry.future)),
        )
        for entry in profile.relations
    ]
    return shares + table(("edge relation", "attention", "past", "same time", "future"), relations)
