"""The part of the report that says why: what was measured, what would change the answer, how attention came."""

from __future__ import annotations

from tgap.explain.evidence_schema import ChainTable, EvidenceRow, FlipRow, GroupRow, SufficientTable
from tgap.explain.palette import COLOURS
from tgap.explain.report_table import number, plain, table, word
from tgap.explain.schema import Document
from tgap.explain.wording import chains_words, flip_words, group_words, percent, points, sufficient_words

_BAR = 120  # pixels of the largest effect's bar


def reasons(document: Document) -> list[str]:
    """Headings and tables of everything that was measured."""
    parts = []
    if document.evidence:
        parts += ["<h2>What each event does</h2>", _evidence(document.evidence)]
    if document.groups:
        parts += ["<h2>What events do together</h2>", _groups(document.groups)]
    if document.flips is not None:
        parts += ["<h2>What would change the answer</h2>", _flip(document.answer.name, document.flips)]
    if document.sufficient is not None:
        parts += ["<h2>What is enough</h2>", _sufficient(document.answer.name, document.sufficient)]
    return parts


def chain_part(found: ChainTable) -> str:
    """Chains with what they bring."""
    if not found.chains:
        return f"<p>{plain(chains_words(found))}</p>"
    rows = [(number(percent(chain.share)), word(chain.sentence)) for chain in found.chains]
    return f"<p>{plain(chains_words(found))}</p>" + table(("share of the answer", "through"), rows)


def _evidence(rows: tuple[EvidenceRow, ...]) -> str:
    largest = max(abs(row.effect) for row in rows) or 1.0
    cells = [
        (
            number(points(row.effect)),
            _bar(row.effect / largest),
            number(percent(row.probability)),
            number(f"{row.rank:g}"),
            number(percent(row.share)),
            word(row.arrow),
            word(row.time, "whole"),
            word(row.words, f"whole {row.sign}"),
        )
        for row in rows
    ]
    head = ("effect, points", "", "without it", "rank", "share of the way", "event", "date", "displacement")
    note = (
        f"The {len(rows)} events that carried most of the way, each taken out of the data by itself and the whole "
        "model computed anew. A positive effect speaks for the answer, a negative one against it."
    )
    return f'<p class="quiet">{note}</p>{table(head, cells)}'


def _bar(part: float) -> str:
    colour = COLOURS["past"] if part > 0 else COLOURS["future"]
    return f'<td><span class="bar" style="width:{_BAR * abs(part):.1f}px;background:{colour}"></span></td>'


def _groups(rows: tuple[GroupRow, ...]) -> str:
    cells = [
        (
            number(points(row.effect)),
            number(percent(row.probability)),
            number(f"{row.rank:g}"),
            number(percent(row.share)),
            word(group_words(row)),
        )
        for row in rows
    ]
    return table(("effect, points", "without them", "rank", "share of the way", "events"), cells)


def _flip(answer: str, flip: FlipRow) -> str:
    facts = "".join(f"<li>{plain(fact.clause)}</li>" for fact in flip.facts)
    return f"<p>{plain(flip_words(answer, flip))}</p><ul>{facts}</ul>"


def _sufficient(answer: str, found: SufficientTable) -> str:
    rows = [
        (number(str(row.facts)), number(percent(row.probability)), number(f"{row.rank:g}"), number(percent(row.kept)))
        for row in found.rows
    ]
    return f"<p>{plain(sufficient_words(answer, found))}</p>" + table(
        ("events left", "probability", "rank", "kept"), rows
    )
