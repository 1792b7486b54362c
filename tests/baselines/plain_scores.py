"""Score functions of the trained baselines as their authors write them: one fact at a time, plain Python, 64 bits.

Nothing here is shared with ``tgap.baselines``: a row of numbers is a list, a complex number is Python's own, an LSTM is
four gates in a loop, a time is looked up by searching, a date is read from its text.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tgap.data import Timeline

Weights = Mapping[str, NDArray[np.float64]]
Row = Sequence[float]


class Plain(NamedTuple):
    """A baseline's weights and what it knows about times."""

    weights: Weights
    timeline: Timeline
    instants: Sequence[int]
    norm: str = "l2"
    temporal: int = 0  # DE-SimplE: numbers of an embedding that change with time

    def row(self, table: str, place: int) -> list[float]:
        return [float(value) for value in self.weights[table][place]]

    def at_time(self, table: str, time: int) -> list[float]:
        """Row of a time; between two known times the line between them, outside the nearest end."""
        known = list(self.instants)
        if time <= known[0]:
            return self.row(table, 0)
        if time >= known[-1]:
            return self.row(table, len(known) - 1)
        above = next(place for place, instant in enumerate(known) if instant >= time)
        if known[above] == time:
            return self.row(table, above)
        share = (time - known[above - 1]) / (known[above] - known[above - 1])
        low, high = self.row(table, above - 1), self.row(table, above)
        return [a + share * (b - a) for a, b in zip(low, high, strict=True)]

    def length(self, difference: Row) -> float:
        if self.norm == "l1":
            return sum(abs(value) for value in difference)
        return math.sqrt(sum(value * value for value in difference))


def transe(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    subject, relation, answer = plain.row("entity", s), plain.row("relation", r), plain.row("entity", o)
    return -plain.length([a + b - c for a, b, c in zip(subject, relation, answer, strict=True)])


def ttranse(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    subject, relation, answer = plain.row("entity", s), plain.row("relation", r), plain.row("entity", o)
    time = plain.at_time("time.weight", t)
    return -plain.length([a + b + c - d for a, b, c, d in zip(subject, relation, time, answer, strict=True)])


def hyte(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    normal = plain.at_time("time.weight", t)
    size = math.sqrt(sum(value * value for value in normal))
    normal = [value / size for value in normal]

    def project(row: Row) -> list[float]:
        along = sum(a * b for a, b in zip(row, normal, strict=True))
        return [a - along * b for a, b in zip(row, normal, strict=True)]

    subject, relation = project(plain.row("entity", s)), project(plain.row("relation", r))
    answer = project(plain.row("entity", o))
    return -plain.length([a + b - c for a, b, c in zip(subject, relation, answer, strict=True)])


def distmult(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    rows = plain.row("entity", s), plain.row("relation", r), plain.row("entity", o)
    return sum(a * b * c for a, b, c in zip(*rows, strict=True))


def cont(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    subject, relation, answer = plain.row("entity", s), plain.row("relation", r), plain.row("entity", o)
    core = plain.at_time("core.weight", t)
    rank, total = len(subject), 0.0
    for i in range(rank):
        for j in range(rank):
            for k in range(rank):
                total += core[(i * rank + j) * rank + k] * subject[i] * relation[j] * answer[k]
    return total


def relation_at(plain: Plain, r: int, t: int) -> list[float]:
    """State of an LSTM after the relation and the characters of a day such as 2014-05-13."""
    year, month, day = plain.timeline.format(t).split("-")
    tokens = [int(digit) for digit in year] + [10 + int(month) - 1] + [22 + int(digit) for digit in day]
    words = [plain.row("sequence.relation", r), *(plain.row("sequence.token", token) for token in tokens)]
    inner, outer = plain.weights["sequence.reader.weight_ih_l0"], plain.weights["sequence.reader.weight_hh_l0"]
    bias = plain.weights["sequence.reader.bias_ih_l0"] + plain.weights["sequence.reader.bias_hh_l0"]
    rank = len(words[0])
    state, cell = [0.0] * rank, [0.0] * rank
    for word in words:
        gates = [
            float(bias[g])
            + sum(float(inner[g, i]) * word[i] for i in range(rank))
            + sum(float(outer[g, i]) * state[i] for i in range(rank))
            for g in range(4 * rank)
        ]
        for i in range(rank):
            enter, forget = _sigmoid(gates[i]), _sigmoid(gates[rank + i])
            new, leave = math.tanh(gates[2 * rank + i]), _sigmoid(gates[3 * rank + i])
            cell[i] = forget * cell[i] + enter * new
            gates[i] = leave  # kept until all cells are new
        state = [gates[i] * math.tanh(cell[i]) for i in range(rank)]
    return state


def ta_transe(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    subject, answer, relation = plain.row("entity", s), plain.row("entity", o), relation_at(plain, r, t)
    return -plain.length([a + b - c for a, b, c in zip(subject, relation, answer, strict=True)])


def ta_distmult(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    rows = plain.row("entity", s), relation_at(plain, r, t), plain.row("entity", o)
    return sum(a * b * c for a, b, c in zip(*rows, strict=True))


def de_simple(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    year, month, day = (int(part) for part in plain.timeline.format(t).split("-"))
    date = {"year": year - int(plain.timeline.format(0).split("-")[0]), "month": month, "day": day}

    def entity(v: int) -> tuple[list[float], list[float]]:
        """Head and tail of an entity at the date: static features, then temporal ones."""
        static = plain.row("static", v)
        moving = [
            sum(
                float(plain.weights[f"waves.{part}.amplitude"][v, n])
                * math.sin(
                    float(plain.weights[f"waves.{part}.frequency"][v, n]) * value
                    + float(plain.weights[f"waves.{part}.phase"][v, n])
                )
                for part, value in date.items()
            )
            for n in range(plain.temporal)
        ]
        halves = len(static) // 2, plain.temporal // 2
        return static[: halves[0]] + moving[: halves[1]], static[halves[0] :] + moving[halves[1] :]

    whole = plain.row("relation", r)
    cut = len(whole) - plain.temporal
    static, moving = whole[:cut], whole[cut:]
    backward = static[: cut // 2] + moving[: plain.temporal // 2]
    forward = static[cut // 2 :] + moving[plain.temporal // 2 :]
    (head_s, tail_s), (head_o, tail_o) = entity(s), entity(o)
    there = sum(a * b * c for a, b, c in zip(head_s, forward, tail_o, strict=True))
    back = sum(a * b * c for a, b, c in zip(head_o, backward, tail_s, strict=True))
    return (there + back) / 2


def complex_row(row: Row) -> list[complex]:
    half = len(row) // 2
    return [complex(a, b) for a, b in zip(row[:half], row[half:], strict=True)]


def complex_product(subject: Row, relation: Sequence[complex], answer: Row) -> float:
    """Re < s, r, conj(o) >."""
    rows = complex_row(subject), relation, complex_row(answer)
    return sum((a * b * c.conjugate()).real for a, b, c in zip(*rows, strict=True))


def tcomplex(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    relation, time = complex_row(plain.row("relation", r)), complex_row(plain.at_time("time.weight", t))
    turned = [a * b for a, b in zip(relation, time, strict=True)]
    return complex_product(plain.row("entity", s), turned, plain.row("entity", o))


def tntcomplex(plain: Plain, s: int, r: int, o: int, t: int) -> float:
    moving, lasting = complex_row(plain.row("temporal", r)), complex_row(plain.row("lasting", r))
    time = complex_row(plain.at_time("time.weight", t))
    relation = [a * b + c for a, b, c in zip(moving, time, lasting, strict=True)]
    return complex_product(plain.row("entity", s), relation, plain.row("entity", o))


def complex_cube(row: Row) -> float:
    """Sum of |x|^3 over complex numbers."""
    return sum(cmath.polar(value)[0] ** 3 for value in complex_row(row))


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


SCORES: dict[str, Callable[[Plain, int, int, int, int], float]] = {
    "transe": transe,
    "distmult": distmult,
    "cont": cont,
    "ttranse": ttranse,
    "hyte": hyte,
    "ta-transe": ta_transe,
    "ta-distmult": ta_distmult,
    "de-simple": de_simple,
    "tcomplex": tcomplex,
    "tntcomplex": tntcomplex,
}
