"""Short texts that tables and pictures share: percentages, shortened names."""

from __future__ import annotations

from tgap.explain.evidence_schema import CalibrationRow, ChainTable, FlipRow, GroupRow, ShareTable, SufficientTable
from tgap.explain.naming import INVERSE


def percent(share: float) -> str:
    """A share as a short percentage: 31 %, 4.2 %, 0.03 %, < 0.01 %; what is less than all is never 100 %."""
    value = 100 * share
    if 0 < value < 0.01:
        return "< 0.01 %"
    if 99.5 <= value < 100:
        return f"{min(value, 99.94):.1f} %"
    digits = 0 if value >= 9.95 or value == 0 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f} %"


def percent_change(drop: float) -> str:
    """A drop as a signed change: -31 %, +4.2 %; less than a hundredth of a percent is none."""
    if abs(drop) < 0.0001:
        return "0 %"
    return f"{'−' if drop >= 0 else '+'}{percent(abs(drop))}"


def points(effect: float) -> str:
    """A difference of probabilities in percentage points, signed: +8.4, −0.12; less than a hundredth is 0."""
    value = 100 * abs(effect)
    if value < 0.005:
        return "0"
    digits = 0 if value >= 9.95 else 1 if value >= 0.995 else 2
    return f"{'+' if effect > 0 else '−'}{value:.{digits}f}"


def group_words(row: GroupRow) -> str:
    """Which events a group holds."""
    if row.kind == "first":
        return f"the {row.facts} that carried most"
    if row.kind == "time":
        return f"all {row.facts} of {row.since}"
    return f"{row.facts} of {row.subject} —{row.relation}→ {row.object} ({row.since} to {row.until})"


def flip_words(answer: str, flip: FlipRow) -> str:
    """What would change the answer."""
    events = "this event" if len(flip.facts) == 1 else f"these {len(flip.facts)} events"
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
    return (
        f"Answers given {given} were right {percent(found.right)} of the time (n = {found.answers:,}, {found.split}); "
        f"calibrated, {found.answer} has {percent(found.calibrated)}."
    )


def times_words(shares: ShareTable) -> str:
    """When the evidence happened."""
    parts = (f"{percent(shares.past)} before", f"{percent(shares.present)} at", f"{percent(shares.future)} after")
    return f"When: {', '.join(parts)} the time asked about; {percent(shares.waiting)} waited."


def counted(number: int, word: str) -> str:
    """A number with its noun: 1 edge, 1,200 edges."""
    return f"{number:,} {word}{'s' if number != 1 else ''}"


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
