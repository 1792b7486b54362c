"""Short texts that the terminal, reports and pictures share: percentages, shortened names, edges and paths in words.

Arrows point from the stored fact's subject to its object, and the date stands beside it:

    North Korea —Threaten→ Japan (2014-05-12, 13 days after),
    then Japan ←Consult— South Korea (2014-04-28, 1 day before)

reads: North Korea threatened Japan on 12 May, 13 days after the date of the question; South Korea consulted Japan.
"""

from __future__ import annotations

from collections.abc import Sequence

from tgap.explain.evidence_schema import (
    CalibrationRow,
    ChainLink,
    ChainTable,
    CoupleRow,
    FlipRow,
    GroupRow,
    ShareTable,
    SufficientTable,
)
from tgap.explain.naming import INVERSE, NamedEdge
from tgap.explain.phrases import clause, plain_name, relation_words
from tgap.explain.reach import Reach


def percent(share: float) -> str:
    """A share as a short percentage: 31 %, 4.2 %, 0.03 %, < 0.01 %; what is less than all is never 100 %."""
    value = 100 * share
    if 0 < value < 0.01:
        return "< 0.01 %"
    if 99.5 <= value < 100:
        return f"{min(value, 99.94):.1f} %"
    digits = 0 if value >= 9.95 or value == 0 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f} %"


def points(effect: float) -> str:
    """A difference of probabilities in percentage points, signed: +8.4, −0.12; less than a hundredth is 0."""
    value = 100 * abs(effect)
    if value < 0.005:
        return "0"
    digits = 0 if value >= 9.95 else 1 if value >= 0.995 else 2
    return f"{'+' if effect > 0 else '−'}{value:.{digits}f}"


LABEL_WORDS = {
    "copy": "the asked fact itself",
    "mirror": "the same event from the other side",
    "same_day": "another event of the two at that time",
    "rival": "another answer on record",
    "other_end": "the other end of the same statement",
    "after": "later",
}
JOINT_WORDS = {"and": "both are needed", "or": "either is enough", "sum": "their effects add up"}


def group_words(row: GroupRow) -> str:
    """Which events a group holds."""
    when = f"({row.since} to {row.until})"
    if row.kind == "pair":
        return f"{row.facts} times: {clause(row.subject or '?', row.relation or '?', row.object or '?')} {when}"
    one, other = (plain_name(name) if name else "" for name in (row.subject, row.object))
    return {
        "first": f"the {row.facts} that carried most",
        "time": f"all {row.facts} of {row.since}",
        "between": f"all {row.facts} between {one} and {other} {when}",
        "day": f"all {row.facts} of {one} or {other} at that time",
        "own": f"all {row.facts} of the asked kind that {one} had with anyone {when}",
        "toward": f"all {row.facts} of the asked kind that {one} had with anyone {when}",
    }[row.kind]


def labels_words(labels: Sequence[str]) -> str:
    """What a piece of evidence is besides, for a table.

    >>> labels_words(("mirror", "after"))
    'the same event from the other side, later'
    """
    return ", ".join(LABEL_WORDS[label] for label in labels)


def couple_words(row: CoupleRow) -> str:
    """How two facts work together."""
    one, two = (fact.told for fact in row.facts)
    return f"{JOINT_WORDS[row.joint]}: {one}; and {two}"


def no_flip_words(answer: str, tried: int) -> str:
    """That no set of facts was found that changes the answer."""
    return f"No set of events that puts another answer before {plain_name(answer)} was found among the {tried} tried."


def flip_words(answer: str, flip: FlipRow) -> str:
    """What would change the answer."""
    events = "this event" if len(flip.facts) == 1 else f"these {len(flip.facts)} events (the fewest found)"
    then = f"{flip.answer} would come first with {percent(flip.answer_probability)}"
    return f"Without {events} {then}, {answer} would have {percent(flip.probability)} (rank {flip.rank:g}):"


def sufficient_words(answer: str, found: SufficientTable) -> str:
    """What a sufficiency table shows."""
    return (
        f"Are few enough? Of the {counted(found.touching, 'event')} of {answer} only the first that speak for it are "
        "left, beside all events of others."
    )


def chains_words(found: ChainTable) -> str:
    """How much the listed chains bring."""
    if not found.chains:
        return "No chain of events leads to the answer."
    number = len(found.chains)
    which = "one chain brings" if number == 1 else f"{number} heaviest chains bring"
    words = f"How attention came: the {which} {percent(1 - found.rest)} of it."
    return words if found.complete else f"{words} The search was cut short: heavier chains may be missing."


def calibration_words(found: CalibrationRow) -> str:
    """How far a probability like this can be trusted."""
    given = f"{100 * found.low:g} to {100 * found.high:g} %"
    about = "answers" if found.relation is None else f"answers to '{relation_words(found.relation)}'"
    words = (
        f"If it happened: {about} given {given} were right {percent(found.right)} of the time (n = {found.answers:,}, "
        f"{found.split}); calibrated, {plain_name(found.answer)} has {percent(found.calibrated)}."
    )
    if found.base_rate is None:
        return words
    return f"{words} Something of this kind is on record at {percent(found.base_rate)} of all times."


def times_words(shares: ShareTable) -> str:
    """When the evidence happened."""
    parts = (f"{percent(shares.past)} before", f"{percent(shares.present)} at", f"{percent(shares.future)} after")
    return f"When: {', '.join(parts)} the time asked about; {percent(shares.self_loops)} waited."


def counted(number: int, word: str) -> str:
    """A number with its noun: 1 edge, 1,200 edges."""
    return f"{number:,} {word}{'s' if number != 1 else ''}"


def listed(parts: Sequence[str]) -> str:
    """Clauses one after the other.

    >>> listed(["one", "two", "three"])
    'one; two; and three'
    """
    return "; ".join([*parts[:-1], f"and {parts[-1]}" if parts[1:] else parts[-1]])


def shorten(text: str, most: int) -> str:
    """At most ``most`` letters, the middle replaced by an ellipsis: names often differ at their end.

    >>> shorten("Express intent to meet or negotiate", 20)
    'Express i… negotiate'
    """
    if len(text) <= most:
        return text
    head, tail = (most - 1) // 2, most // 2
    return f"{text[:head].rstrip()}…{text[len(text) - tail :]}"


def short_label(relation: str, inverse: bool, most: int) -> str:
    """A relation in at most ``most`` letters; that it is inverse stays to be read."""
    mark = INVERSE if inverse else ""
    return shorten(relation, most - len(mark)) + mark


def edge_arrow(edge: NamedEdge) -> str:
    """One edge without its date, the arrow pointing from the fact's subject to its object."""
    arrow = f"←{edge.relation}—" if edge.inverse else f"—{edge.relation}→"
    return f"{edge.subject} {arrow} {edge.object}"


def edge_clause(edge: NamedEdge) -> str:
    """One edge as a clause with its date."""
    return f"{edge_arrow(edge)} ({edge.time}, {edge.relative_time})"


def path_sentence(start: str, edges: Sequence[NamedEdge]) -> str:
    """A folded walk from ``start`` as one sentence."""
    if not edges:
        return f"attention stays at {start}"
    return ", then ".join(edge_clause(edge) for edge in edges)


def chain_sentence(start: str, links: Sequence[ChainLink]) -> str:
    """A chain from ``start``: entity after entity, each with what led there; ← where against the stored facts."""
    if not links:
        return f"attention stays at {start}"
    return f"{start} {' '.join(_link_clause(link) for link in links)}"


def _link_clause(link: ChainLink) -> str:
    best = link.relations[0]
    arrow = "←" if best.inverse else "→"
    if best.share >= 0.5:
        when = best.since if best.since == best.until else f"{best.events} events, {best.since} to {best.until}"
        return f"{arrow} {link.object} ({best.relation}, {when})"
    named = list(dict.fromkeys(entry.relation for entry in link.relations))[:2]
    return f"{arrow} {link.object} ({link.events} events: {', '.join(named)}, …)"


def reach_sentence(start: str, answer: str, found: Reach) -> str:
    """Whether and how the answer can be reached."""
    if found.arrived and found.distance == 0:
        return f"{answer} is the entity that is asked about: attention can stay there or come back."
    if found.arrived:
        return f"{answer} is {_edges(found.distance)} from {start}; the walk takes {_steps(found.steps)}."
    if found.distance is None:
        return f"{answer} is not reachable: no chain of facts leads there from {start}, so no attention can arrive."
    if found.reachable:
        return (
            f"No attention arrived at {answer}, though it is {_edges(found.distance)} from {start}: "
            "what flowed there is too small for the computer's numbers or was left out by a cap."
        )
    return (
        f"{answer} is not reachable: it is {_edges(found.distance)} from {start} and the walk takes "
        f"{_steps(found.steps)}, so no attention can arrive."
    )


def _edges(count: int | None) -> str:
    return f"{count} edge{'s' if count != 1 else ''} away"


def _steps(count: int) -> str:
    return f"{count} step{'s' if count != 1 else ''}"
