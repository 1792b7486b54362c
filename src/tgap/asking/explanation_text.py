"""An explanation as text: first why, measured, then (if wanted) the walk itself."""

from __future__ import annotations

from collections.abc import Iterator

from tgap.asking.prediction import known_words
from tgap.explain.evidence_schema import EvidenceRow, FlipRow, SufficientTable
from tgap.explain.naming import INVERSE
from tgap.explain.schema import Document, ProfileTable
from tgap.explain.wording import (
    calibration_words,
    chains_words,
    counted,
    couple_words,
    edge_arrow,
    flip_words,
    group_words,
    labels_words,
    no_flip_words,
    percent,
    points,
    sufficient_words,
    times_words,
)
from tgap.text import Blank, Block, Heading, Item, Line, Note, Table

_FOR, _AGAINST = 8, 3  # facts that are printed; JSON has all
_FIRSTS = (2, 5, 20)  # of the sets of first facts, those that are printed
_NOTABLE = 0.01  # effects and shares below this part of the whole are not printed


def explanation_text(document: Document) -> Iterator[Block]:
    """The answer, the sentence, and what supports it."""
    answer = document.answer
    known = known_words(answer)
    yield Heading(document.question.text)
    stands = f"{answer.name}: probability {answer.score:.4f}, rank {answer.rank:g}{', ' + known if known else ''}"
    yield Line(stands, "result")
    if document.calibration is not None:
        yield Line(calibration_words(document.calibration))
    if document.sentence is not None:
        yield from (Blank(), Line(document.sentence), Blank())
    if document.kind in (None, "stays", "unreached"):
        yield Line(document.reach.sentence)
    yield from map(Note, document.notes)
    yield from _evidence(document)
    yield from _groups(document)
    yield from _couples(document)
    if document.flips is not None:
        yield from _flip(answer.name, document.flips)
    elif document.flip_tried:
        yield from (Line(no_flip_words(answer.name, document.flip_tried)), Blank())
    if document.sufficient is not None:
        yield from _sufficient(answer.name, document.sufficient)
    yield from _chains(document)
    if answer.score > 0:
        yield Line(times_words(document.shares))


def _evidence(document: Document) -> Iterator[Block]:
    if not document.evidence:
        return
    tried = counted(len(document.evidence), "event")
    yield Line(f"What each event does: the {tried} that the answer leans on most, taken away one at a time")
    least = _NOTABLE * document.answer.score
    speaking = [row for row in document.evidence if row.effect > 0]
    shown = [row for row in speaking[:_FOR] if row.effect >= least] or speaking[:1]
    shown += [row for row in document.evidence if row.effect <= -least][-_AGAINST:]
    rows = tuple(
        (points(row.effect), percent(row.probability), f"{row.rank:g}", percent(row.share), _told(row)) for row in shown
    )
    yield Table(("effect", "without it", "rank", "share", "event"), rows, "rrrrl")
    if len(shown) < len(document.evidence):
        yield from (Line(f"The other {len(document.evidence) - len(shown)} have smaller effects."), Blank())


def _groups(document: Document) -> Iterator[Block]:
    least = _NOTABLE * document.answer.score
    groups = [
        row for row in document.groups if (row.facts in _FIRSTS if row.kind == "first" else abs(row.effect) >= least)
    ]
    if not groups:
        return
    yield Line("What events do together")
    rows = tuple(
        (points(row.effect), percent(row.probability), f"{row.rank:g}", percent(row.share), group_words(row))
        for row in groups
    )
    yield Table(("effect", "without them", "rank", "share", "events"), rows, "rrrrl")


def _told(row: EvidenceRow) -> str:
    """An event with its labels."""
    return f"{row.told} [{labels_words(row.labels)}]" if row.labels else row.told


def _couples(document: Document) -> Iterator[Block]:
    """Two events that are both needed, or of which either is enough."""
    notable = [row for row in document.couples if row.joint != "sum"]
    if notable:
        yield Line("How two events work together")
        yield from (Item(couple_words(row)) for row in notable[:_FOR])
        yield Blank()


def _flip(answer: str, flip: FlipRow) -> Iterator[Block]:
    yield Line(flip_words(answer, flip), "strong")
    yield from (Item(fact.told) for fact in flip.facts)
    yield Blank()


def _sufficient(answer: str, found: SufficientTable) -> Iterator[Block]:
    yield Line(sufficient_words(answer, found))
    rows = tuple((f"{row.facts}", percent(row.probability), f"{row.rank:g}", percent(row.kept)) for row in found.rows)
    yield Table(("events left", "probability", "rank", "kept"), rows, "rrrr")


def _chains(document: Document) -> Iterator[Block]:
    found = document.chains
    yield Line(chains_words(found))
    shown = [row for place, row in enumerate(found.chains) if place == 0 or row.share >= _NOTABLE]
    if shown:
        yield Table(("share", "through"), tuple((percent(row.share), row.sentence) for row in shown), "rl")


def walk_text(document: Document) -> Iterator[Block]:
    """The walk itself, whatever answer it led to: strongest edges, paths to the answer, attention over time."""
    yield from _steps(document)
    yield from _paths(document)
    yield Line("How far in time attention looked", "strong")
    yield from profile_text(document.profile)


def _steps(document: Document) -> Iterator[Block]:
    """The paper's case-study table, one per step; in a narrow window an edge is one clause, not three columns."""
    columns = ("subject", "relation", "object", "date", "displacement", "attention", "of answer")
    for step in document.steps:
        loops = f"{step.used_edges:,} edges carried attention, {percent(step.self_loops)} stayed on self-loops"
        yield from (Blank(), Line(f"Step {step.step}: {loops}", "strong"))
        ends = [(edge.subject, edge.label, edge.object) for edge in step.edges]
        weights = [
            (edge.time, edge.relative_time, f"{edge.attention:.4f}", percent(edge.answer_share)) for edge in step.edges
        ]
        clauses = tuple((edge_arrow(edge), *row) for edge, row in zip(step.edges, weights, strict=True))
        narrow = Table(("edge", *columns[3:]), clauses, "lwwrr")
        rows = tuple((*names, *row) for names, row in zip(ends, weights, strict=True))
        yield Table(columns, rows, "lllwwrr", narrow=narrow)


def _paths(document: Document) -> Iterator[Block]:
    yield Line("Paths to the answer", "strong")
    if not document.paths.walks:
        yield from (Line("No walk leads to the answer."), Blank())
        return
    rows = tuple((percent(walk.share), walk.sentence) for walk in document.paths.walks)
    yield Table(("share", "walk"), rows, "rl")
    yield Line(f"The other walks ({document.paths.count:,.0f} in all) bring {percent(document.paths.rest)}.")
    if not document.paths.complete:
        yield Line("The search was cut short: heavier walks may be missing.", "warning")
    yield Blank()


def profile_text(profile: ProfileTable) -> Iterator[Block]:
    """Past, same time and future: attention beside the edges within reach; then by edge relation."""
    sides = ("past", "present", "future")
    attention = (*(percent(profile.attention[side]) for side in sides), percent(profile.self_loops))
    base = (*(percent(profile.base[side]) for side in sides), "")
    rows = (("attention", *attention), ("edges within reach", *base))
    yield Table(("", "past", "same time", "future", "self-loops"), rows, "lrrrr")
    relations = tuple(
        (
            row.relation + (INVERSE if row.inverse else ""),
            *map(percent, (row.attention, row.past, row.present, row.future)),
        )
        for row in profile.relations[:5]
    )
    yield Table(("edge relation", "attention", "past", "same time", "future"), relations, "lrrrr")
