"""Calibration: how often are answers right that are given a probability p?

Every answer of at least 1 % to every distinct question of a split counts, whatever its rank: right if the split holds
the fact, wrong if no split does. Answers that only another split holds (train above all: the walk may merely repeat
such a fact) step aside, as they do under the time filter. Head and tail questions count alike. Questions about an
entity of which train has no fact are left out: nothing is known there, and a walk never leaves the entity.

* Reliability: answers sorted into bins by their probability; in each bin the mean probability beside the share that was
  right. The expected calibration error is the mean distance of the two, weighted by the answers of a bin.
* Calibrated probability: a rising map from the probability to the share that was right (isotonic regression over narrow
  bins), drawn as straight lines between their means. It keeps the order of answers, but not the sum: several answers
  may be right. What is said of it is measured on other questions than it was fitted to (two halves, each judged by the
  other's map).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from tgap.data import Dataset
from tgap.errors import EvaluationError
from tgap.evaluation.queries import group
from tgap.evaluation.scoring import Progress, check_fit, split_queries
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import Scorer

FORMAT = "tgap.calibration/1"
LEAST = 0.01  # answers below this probability are not counted
EDGES = (LEAST, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the bins
_NARROW = (LEAST, 0.015, 0.02, 0.03, 0.04, 0.05, *(0.025 * step for step in range(3, 41)))  # bins of the map
_ENOUGH = 30  # answers that a bin of the map needs; with fewer it joins the next
_BATCH = 64  # questions scored at once

Float64Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Bin:
    """Answers given a probability from ``low`` to ``high``."""

    low: float
    high: float
    answers: int
    mean: float  # mean probability
    right: float  # share that was right


@dataclass(frozen=True)
class Reliability:
    """Bins that hold answers, and the expected calibration error over all answers and over first answers alone."""

    bins: tuple[Bin, ...]
    error: float
    first_error: float


@dataclass(frozen=True)
class Answers:
    """Answers of at least 1 % that no other split holds. A answers, Q questions."""

    probability: Float64Array  # [A]
    right: BoolArray  # [A] the split holds it
    first: BoolArray  # [A] the likeliest of its question
    question: NDArray[np.int64]  # [A]
    questions: int  # Q


@dataclass(frozen=True)
class Calibration:
    """What was found on a split, and the map from raw to calibrated probabilities."""

    split: str
    questions: int
    answers: int
    raw: Reliability
    calibrated: Reliability  # of maps fitted to the other half of the questions
    knots: tuple[tuple[float, float], ...]  # probability, calibrated probability; rising, of all questions

    def __call__(self, probability: float) -> float:
        """The calibrated probability.

        >>> halves = Calibration("valid", 1, 1, Reliability((), 0, 0), Reliability((), 0, 0), ((0.2, 0.1), (0.6, 0.5)))
        >>> [round(halves(p), 2) for p in (0.4, 0.1, 0.9)]
        [0.3, 0.05, 0.5]
        """
        return float(_apply(self.knots, np.array([probability]))[0])

    def bin_of(self, probability: float) -> Bin | None:
        """What was found for answers like this one; None where there were none."""
        fitting = [found for found in self.raw.bins if found.low <= probability < found.high]
        if not fitting and probability >= 1.0:
            fitting = [found for found in self.raw.bins if found.high == 1.0]
        return fitting[0] if fitting else None

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"format": FORMAT, **asdict(self)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        """What ``to_dict`` gave."""
        if stored.get("format") != FORMAT:
            raise EvaluationError(
                f"the calibration has format {stored.get('format')!r}; expected {FORMAT!r}: run tgap calibrate again"
            )
        try:
            raw, calibrated = (
                Reliability(tuple(Bin(**entry) for entry in part["bins"]), part["error"], part["first_error"])
                for part in (stored["raw"], stored["calibrated"])
            )
            counts = (stored["split"], stored["questions"], stored["answers"])
            return cls(*counts, raw, calibrated, tuple((float(p), float(q)) for p, q in stored["knots"]))
        except (KeyError, TypeError, ValueError) as error:
            raise EvaluationError(f"the calibration is damaged ({error!r}): run tgap calibrate again") from error


def calibrate(
    scorer: Scorer,
    dataset: Dataset,
    split: str = "valid",
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Calibration:
    """Score the questions of a split (or a random sample) and fit the map to what was right."""
    return fit(collect(scorer, dataset, split, limit=limit, seed=seed, progress=progress), split)


def collect(
    scorer: Scorer,
    dataset: Dataset,
    split: str,
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Answers:
    """All answers of at least 1 % to the distinct questions of a split about entities that train knows."""
    check_fit(scorer, dataset)
    queries = split_queries(dataset, split)
    known = np.zeros(dataset.num_entities, dtype=bool)
    known[dataset.train.subject] = known[dataset.train.object] = True
    queries = queries.only(known[queries.batch.subject])
    if limit is not None:
        queries = queries.sample(limit, seed)
    distinct = group(queries.batch).batch
    truth = TrueAnswers.of(dataset)
    own = truth.at_that_time(split)
    others = truth.at_that_time(*(name for name in dataset.splits if name != split))
    parts: list[tuple[NDArray[Any], ...]] = []
    for begin in range(0, len(distinct), _BATCH):
        batch = distinct.take(slice(begin, begin + _BATCH))
        chances = scorer.kind.probabilities(scorer.score(batch))
        if chances is None:
            raise EvaluationError(
                f"{scorer.name} gives scores that only order, no probabilities; there is nothing to calibrate"
            )
        row, entity = np.nonzero(chances >= LEAST)
        probability = chances[row, entity].astype(np.float64)
        key = row * dataset.num_entities + entity
        right, aside = (
            np.isin(key, where * dataset.num_entities + answer)
            for where, answer in (table.rows(batch).pairs() for table in (own, others))
        )
        counts = right | ~aside
        first = _first(row, np.where(counts, probability, -1.0), len(batch))
        parts.append(tuple(column[counts] for column in (probability, right, first, row + begin)))
        if progress is not None:
            progress(min(begin + _BATCH, len(distinct)), len(distinct))
    if not parts:
        raise EvaluationError(f"no question of the {split} split is about an entity that train knows")
    probability, right, first, question = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Answers(probability, right, first, question, len(distinct))


def fit(found: Answers, split: str) -> Calibration:
    """The map of all answers, and what maps of one half of the questions are worth on the other."""
    if not len(found.probability):
        raise EvaluationError(f"no answer of the {split} split has a probability of 1 % or more; nothing to calibrate")
    half = found.question % 2 == 0
    judged = np.empty_like(found.probability)
    for mine in (half, ~half):
        other = ~mine if (~mine).any() else mine
        judged[mine] = _apply(_isotonic(found.probability[other], found.right[other]), found.probability[mine])
    return Calibration(
        split=split,
        questions=found.questions,
        answers=len(found.probability),
        raw=reliability(found.probability, found.right, found.first),
        calibrated=reliability(judged, found.right, found.first),
        knots=_isotonic(found.probability, found.right),
    )


def judge(found: Calibration, answers: Answers) -> tuple[Reliability, Reliability]:
    """Reliability of other answers, raw and by a calibration's map."""
    mapped = _apply(found.knots, answers.probability)
    return (
        reliability(answers.probability, answers.right, answers.first),
        reliability(mapped, answers.right, answers.first),
    )


def reliability(probability: Float64Array, right: BoolArray, first: BoolArray) -> Reliability:
    """Bins by probability, and their distance from what was right."""
    bins = _bins(probability, right)
    return Reliability(bins, _error(bins), _error(_bins(probability[first], right[first])))


def _bins(probability: Float64Array, right: BoolArray) -> tuple[Bin, ...]:
    found = []
    for low, high in zip((0.0, *EDGES[1:-1]), EDGES[1:], strict=True):  # a calibrated probability may lie below 1 %
        inside = (probability >= low) & ((probability < high) | (high == EDGES[-1]))
        if count := int(inside.sum()):
            shown = max(low, LEAST)
            found.append(Bin(shown, high, count, float(probability[inside].mean()), float(right[inside].mean())))
    return tuple(found)


def _error(bins: Sequence[Bin]) -> float:
    total = sum(found.answers for found in bins)
    return sum(abs(found.mean - found.right) * found.answers for found in bins) / total if total else 0.0


def _first(row: NDArray[np.int64], probability: Float64Array, rows: int) -> BoolArray:
    """Which answers are the likeliest of their row (of equal ones the first)."""
    order = np.lexsort((np.arange(len(row)), -probability, row))
    first = np.zeros(len(row), dtype=bool)
    starts = np.searchsorted(row[order], np.arange(rows))
    starts = starts[(starts < len(row)) & (row[order[np.minimum(starts, len(row) - 1)]] == np.arange(rows))]
    first[order[starts]] = True
    return first


def _isotonic(probability: Float64Array, right: BoolArray) -> tuple[tuple[float, float], ...]:
    """Rising knots: means of narrow bins, those with few answers joined to the next, falling neighbours pooled."""
    number = np.searchsorted(np.array(_NARROW[1:-1]), probability, side="right")
    counts, total, hits = (np.bincount(number, weights=part) for part in (None, probability, right))
    blocks: list[Float64Array] = []  # answers, sum of their probabilities, number right
    few = np.zeros(3)
    for part in np.stack([counts, total, hits], axis=1):
        few = few + part
        if few[0] >= _ENOUGH:
            blocks.append(few)
            few = np.zeros(3)
    if few[0]:  # too few at the top join those below
        blocks.append(few + (blocks.pop() if blocks else 0))
    pooled: list[Float64Array] = []
    for block in blocks:
        pooled.append(block)
        while len(pooled) > 1 and _rate(pooled[-1]) <= _rate(pooled[-2]):
            pooled.append(pooled.pop() + pooled.pop())
    return tuple((float(given / size), float(good / size)) for size, given, good in pooled)


def _rate(block: Float64Array) -> float:
    """Part that was right."""
    return float(block[2] / block[0])


def _apply(knots: Sequence[tuple[float, float]], probability: Float64Array) -> Float64Array:
    """Straight lines between the knots; below the first in proportion, above the last level."""
    given, wanted = np.array(knots).T
    lines = np.interp(probability, given, wanted)
    below = probability < given[0]
    return np.where(below, probability * (wanted[0] / given[0]), lines)
