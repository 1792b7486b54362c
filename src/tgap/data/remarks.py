"""What a reader of the data should know about how they were read. Options are named as ``tgap.errors.Option``.

A serious remark means that the data may not be what they seem, and names the remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tgap.data.encode import Encoded
from tgap.data.facts import BoolArray, Int64Array
from tgap.data.vocabulary import Vocabulary
from tgap.errors import Message, Option

_SHOWN = 3
_NO_NAMES = frozenset({"na", "n/a", "nan", "null", "none", "nil", "#n/a", "-", "--", "?", "unknown", "<na>", "nat"})
_SERIAL = (20_000, 60_000)  # days since 1899-12-30: October 1954 to April 2064
_LARGE = 10**8  # numbers from here on may count seconds
Where = Callable[[int], str]  # a row's file and line


class Remark(NamedTuple):
    """One sentence, without a full stop."""

    text: str
    serious: bool = False


def time_remarks(encoded: Encoded, where: Where) -> list[Remark]:
    """How the times were understood, as far as it is not plain to see."""
    times, line = encoded.read, encoded.timeline
    remarks: list[Remark] = []

    def rows(texts: BoolArray) -> int:
        return int(encoded.rows[texts].sum())

    def examples(texts: BoolArray) -> str:
        some = [repr(encoded.times[place]) for place in np.flatnonzero(texts)[:_SHOWN]]
        first = encoded.rows_with(texts)[0]
        return f"{', '.join(some)}{' ...' if int(texts.sum()) > _SHOWN else ''}; first in {where(int(first))}"

    total = rows(times.good)
    if times.epoch:
        remarks.append(
            Remark(
                Message(
                    f"the numbers are read as {times.epoch} since 1970 in UTC; ",
                    Option("unit"),
                    " integer keeps them as numbers",
                )
            )
        )
    if times.order == "guessed":
        text = Message(
            "day and month could be meant either way in every row; read as month/day/year, ",
            Option("day_first"),
            " turns it round",
        )
        remarks.append(Remark(text, serious=True))
    elif times.order:
        remarks.append(Remark(f"the {times.order} comes first in dates with slashes"))
    if times.zones == "local":
        amount = _count(rows(times.away), "row names", "rows name")
        remarks.append(Remark(f"{amount} a time zone; these are midnights there, so their local dates are kept"))
    elif times.zones:
        remarks.append(Remark(f"{_count(rows(times.away), 'row names', 'rows name')} a time zone: converted to UTC"))
    if times.unzoned is not None and times.unzoned.any():
        amount = _count(rows(times.unzoned), "row has", "rows have")
        zoneless = f"{amount} a time of day without a zone among rows with zones ({examples(times.unzoned)})"
        remarks.append(Remark(f"{zoneless}: taken as UTC; write the zone if it is another", serious=True))
    if times.odd.any() and line.numeric:
        text = Message(
            f"{rows(times.odd):,} of {total:,} rows are not written like the years of the others "
            f"({examples(times.odd)}): read as those years; mend them, or ",
            Option("unit"),
            " integer if none are years",
        )
        remarks.append(Remark(text, serious=True))
    elif times.odd.any():
        finer = times.finest_unit(times.odd)
        text = Message(
            f"{rows(times.odd):,} of {total:,} rows say more than the {line.unit} that the others say "
            f"({examples(times.odd)}): cut to it; ",
            Option("unit"),
            f" {finer} keeps them and makes {finer}s of all",
        )
        remarks.append(Remark(text, serious=True))
    if times.deciding.any():
        text = Message(
            f"the unit is the {line.unit} because of {rows(times.deciding):,} of {total:,} rows "
            f"({examples(times.deciding)}); ",
            Option("unit"),
            " day cuts them to their day",
        )
        remarks.append(Remark(text, serious=True))
    cut = times.cut & ~times.odd
    if cut.any():
        remarks.append(Remark(f"{_count(rows(cut), 'row says', 'rows say')} more than the {line.unit}, which is kept"))
    if times.vague.any():
        vague = rows(times.vague)
        text = Message(f"{_count(vague, 'row says', 'rows say')} less than the {line.unit}: its first instant is meant")
        usual = times.common_unit(times.vague, encoded.rows)
        most = 2 * vague > total
        if most and usual:
            text = Message(text, "; ", Option("unit"), f" {usual} counts {usual}s")
        remarks.append(Remark(text, serious=most))
    return remarks + _step_remarks(encoded)


def _step_remarks(encoded: Encoded) -> list[Remark]:
    """Plain numbers that may be something better known."""
    line = encoded.timeline
    if line.unit != "integer" or not encoded.read.good.any():
        return []
    if line.first >= _LARGE:
        text = Message(
            "if the numbers count seconds, say since when: ", Option("time_format"), " 'seconds since 1970-01-01'"
        )
        return [Remark(text, serious=True)]
    step = int(np.gcd.reduce(encoded.read.instant[encoded.read.good]))
    if step > 1 and line.span:
        apart = f"all times are {step:,} steps apart or a multiple of that"
        if step % 24:
            return [Remark(apart)]
        days = "days" if step == 24 else f"{step // 24} days"
        hours = Option("time_format"), f" 'hours since DATE' makes {days} of them"
        return [Remark(Message(f"{apart}; if they count hours, ", *hours))]
    return []


def name_remarks(encoded: Encoded, enclosed: bool) -> list[Remark]:
    """Names that may be no names: blanks, NA, and in tab files names in quotation marks."""
    remarks = []
    counts = np.bincount(np.concatenate([encoded.facts.subject, encoded.facts.object]), minlength=len(encoded.entities))
    for vocabulary, uses in ((encoded.entities, counts), (encoded.relations, np.bincount(encoded.facts.relation))):
        blank = [index for index, name in enumerate(vocabulary) if not name.strip()]
        if blank:
            text = f"{_count(int(uses[blank].sum()), 'field is', 'fields are')} only blanks, kept as a name"
            remarks.append(Remark(Message(f"{text}; ", Option("missing"), " ' ' takes them for empty"), serious=True))
        absent = [index for index, name in enumerate(vocabulary) if name.strip().casefold() in _NO_NAMES]
        if absent:
            names = ", ".join(repr(vocabulary.name(index)) for index in absent[:_SHOWN])
            text = f"{_count(int(uses[absent].sum()), 'field is', 'fields are')} {names}, kept as a name"
            remedy = Option("missing"), f" {vocabulary.name(absent[0])} takes it for empty"
            remarks.append(Remark(Message(f"{text}; ", *remedy), serious=True))
        if not enclosed:
            remarks += _quote_remarks(vocabulary)
        remarks += _lookalike_remarks(vocabulary)
    return remarks


def lookalikes(vocabulary: Vocabulary, uses: Int64Array) -> list[tuple[str, str]]:
    """Names that differ from another only in case or outer blanks, each with the one of them that is used most.

    >>> lookalikes(Vocabulary(["USA", "Usa", "usa ", "UK"]), np.array([5, 1, 1, 9]))
    [('Usa', 'USA'), ('usa ', 'USA')]
    """
    groups: dict[str, list[int]] = {}
    for index, name in enumerate(vocabulary):
        groups.setdefault(name.strip().casefold(), []).append(index)
    pairs = []
    for members in groups.values():
        if len(members) > 1:
            best = max(members, key=lambda index: int(uses[index]))
            pairs += [(vocabulary.name(index), vocabulary.name(best)) for index in members if index != best]
    return pairs


def _lookalike_remarks(vocabulary: Vocabulary) -> list[Remark]:
    pairs = lookalikes(vocabulary, np.zeros(len(vocabulary), dtype=np.int64))
    if not pairs:
        return []
    kind = (
        ("entity differs", "entities differ")
        if vocabulary.what == "entity"
        else ("relation differs", "relations differ")
    )
    example = " and ".join(map(repr, reversed(pairs[0])))
    text = f"{_count(len(pairs), *kind)} from another only in case or outer blanks ({example}); they are kept apart"
    return [Remark(f"{text}; `lookalikes` FILE writes a table that `tgap data merge` takes", serious=True)]


def shape_remarks(encoded: Encoded, header: Sequence[str] | None, time_column: int) -> list[Remark]:
    """What is odd about the facts as a whole: one instant, only self-loops, days as spreadsheets count them."""
    facts, read, line = encoded.facts, encoded.read, encoded.timeline
    remarks = []
    if len(facts) > 1 and line.span == 0:
        text = f"all facts are at one instant ({line.format(0)}): nothing can be learned about time"
        remarks.append(Remark(f"{text}; is `time` the right column?", serious=True))
    if len(facts) > 1 and (facts.subject == facts.object).all():
        text = "every fact is between an entity and itself"
        remarks.append(Remark(f"{text}; are `subject` and `object` the right columns?", serious=True))
    named = header is not None and "dat" in header[time_column].casefold()
    low, high = line.first, line.first + line.span
    if line.unit == "integer" and named and read.good.any() and _SERIAL[0] <= low <= high <= _SERIAL[1]:
        text = (
            f"the numbers under {header[time_column]!r} look like days as a spreadsheet counts them" if header else ""
        )
        remarks.append(
            Remark(f"{text}; if so, `time_format` 'days since 1899-12-30' makes dates of them", serious=True)
        )
    return remarks


def _quote_remarks(vocabulary: Vocabulary) -> list[Remark]:
    """Names that begin and end with a quotation mark, which is a letter in tab files."""
    quoted = [name for name in vocabulary if len(name) > 1 and name.startswith('"') and name.endswith('"')]
    if not quoted:
        return []
    both = sum(name[1:-1] in vocabulary for name in quoted)
    twice = f", {both:,} of them beside the same name without" if both else ""
    kind = "entities have" if vocabulary.what == "entity" else "relations have"
    text = f"{len(quoted):,} {kind} quotation marks around their name ({quoted[0]}){twice}; "
    return [Remark(Message(text, Option("quotes"), " takes them off"), serious=True)]


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
