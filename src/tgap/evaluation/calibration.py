"""Calibration: how often are answers right that are given a probability p?

Every answer of at least 1 % to every distinct question of a split counts, whatever its rank: right if the split holds
the fact, wrong if no split does. Answers that only another split holds (train above all: the walk may merely repeat
such a fact) step aside, as they do under the time filter. Head and tail questions count alike. Questions about an
entity of which train has no fact are left out: nothing is known there, and a walk never leaves the entity.

Other answers to the same question that train tells are not in question: an answer's probability is the part of what
they leave. All of this is about events that happened: how often a question has an answer at all is another number
(``base_rate``).

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
from tgap.evaluation.reliability import (
    LEAST,
    Bin,
    BoolArray,
    Float64Array,
    Reliability,
    apply,
    bins_of,
    isotonic,
    reliability,
)
from tgap.evaluation.scoring import Progress, check_fit, split_queries
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import Scorer

FORMAT = "tgap.calibration/1"
_BATCH = 64  # questions scored at once

_ENOUGH = 30  # answers that a bin of one relation needs to be told by itself
_PRIOR = 50  # answers that the map of all relations counts for beside those of one


@dataclass(frozen=True)
class Answers:
    """Answers of at least 1 % that no other split holds. A answers, Q questions."""

    probability: Float64Array  # [A]
    right: BoolArray  # [A] the split holds it
    first: BoolArray  # [A] the likeliest of its question
    question: NDArray[np.int64]  # [A]
    relation: NDArray[np.int64]  # [A] that is asked for, whichever side
    questions: int  # Q


@dataclass(frozen=True)
class RelationBins:
    """What was found for the questions of one relation, in bins that hold enough answers."""

    relation: str
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Calibration:
    """What was found on a split, and the map from raw to calibrated probabilities."""

    split: str
    questions: int
    answers: int
    raw: Reliability
    calibrated: Reliability  # of maps fitted to the other half of the questions
    knots: tuple[tuple[float, float], ...]  # probability, calibrated probability; rising, of all questions
    relations: tuple[RelationBins, ...] = ()

    def __call__(self, probability: float, relation: str | None = None) -> float:
        """The calibrated probability; of a relation with answers enough mostly by what was right there.

        >>> halves = Calibration("valid", 1, 1, Reliability((), 0, 0), Reliability((), 0, 0), ((0.2, 0.1), (0.6, 0.5)))
        >>> [round(halves(p), 2) for p in (0.4, 0.1, 0.9)]
        [0.3, 0.05, 0.5]
        """
        overall = float(apply(self.knots, np.array([probability]))[0])
        own = self.bin_of(probability, relation) if relation is not None else None
        if own is None:
            return overall
        return (own.right * own.answers + overall * _PRIOR) / (own.answers + _PRIOR)

    def bin_of(self, probability: float, relation: str | None = None) -> Bin | None:
        """What was found for answers like this one, of a relation if it is given; None where there were too few."""
        bins = self.raw.bins
        if relation is not None:
            bins = next((found.bins for found in self.relations if found.relation == relation), ())
        fitting = [found for found in bins if found.low <= probability < found.high]
        if not fitting and probability >= 1.0:
            fitting = [found for found in bins if found.high == 1.0]
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
            knots = tuple((float(p), float(q)) for p, q in stored["knots"])
            relations = tuple(
                RelationBins(entry["relation"], tuple(Bin(**found) for found in entry["bins"]))
                for entry in stored.get("relations", ())  # a run calibrated by an earlier version has none
            )
            return cls(*counts, raw, calibrated, knots, relations)
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
    return fit(
        collect(scorer, dataset, split, limit=limit, seed=seed, progress=progress), split, dataset.relations.names
    )


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
    train = truth.at_that_time("train")
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
        right, aside, told = (
            np.isin(key, where * dataset.num_entities + answer)
            for where, answer in (table.rows(batch).pairs() for table in (own, others, train))
        )
        counts = right | ~aside
        siblings = told & ~right
        taken = np.bincount(row[siblings], weights=probability[siblings], minlength=len(batch))
        probability = probability / np.maximum(
            1.0 - taken[row], probability
        )  # what known siblings hold is not in question
        first = _first(row, np.where(counts, probability, -1.0), len(batch))
        parts.append(tuple(column[counts] for column in (probability, right, first, row + begin, batch.relation[row])))
        if progress is not None:
            progress(min(begin + _BATCH, len(distinct)), len(distinct))
    if not parts:
        raise EvaluationError(f"no question of the {split} split is about an entity that train knows")
    probability, right, first, question, relation = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Answers(probability, right, first, question, relation % dataset.num_relations, len(distinct))


def fit(found: Answers, split: str, relations: Sequence[str] = ()) -> Calibration:
    """The map of all answers, and what maps of one half of the questions are worth on the other.

    ``relations``: names, to tell those apart that have answers enough.
    """
    if not len(found.probability):
        raise EvaluationError(f"no answer of the {split} split has a probability of 1 % or more; nothing to calibrate")
    half = found.question % 2 == 0
    judged = np.empty_like(found.probability)
    for mine in (half, ~half):
        other = ~mine if (~mine).any() else mine
        judged[mine] = apply(isotonic(found.probability[other], found.right[other]), found.probability[mine])
    return Calibration(
        split=split,
        questions=found.questions,
        answers=len(found.probability),
        raw=reliability(found.probability, found.right, found.first),
        calibrated=reliability(judged, found.right, found.first),
        knots=isotonic(found.probability, found.right),
        relations=_by_relation(found, relations),
    )


def _by_relation(found: Answers, names: Sequence[str]) -> tuple[RelationBins, ...]:
    """Bins of each relation, those that hold enough answers."""
    parts = []
    for number, name in enumerate(names):
        mine = found.relation == number
        bins = tuple(one for one in bins_of(found.probability[mine], found.right[mine]) if one.answers >= _ENOUGH)
        if bins:
            parts.append(RelationBins(name, bins))
    return tuple(parts)


def base_rate(dataset: Dataset, subject: int, relation: int) -> float:
    """Part of all times at which train has a fact of an entity (as either side) and a relation, whoever the other is.

    How likely it is that something of the kind happens at all, before it is asked who takes part in it.
    """
    train, inverse = dataset.train, relation >= dataset.num_relations
    ends = train.object if inverse else train.subject
    mine = (ends == subject) & (train.relation == relation % dataset.num_relations)
    return len(np.unique(train.time[mine])) / (dataset.timeline.span + 1)


def known_siblings(dataset: Dataset, subject: int, relation: int, time: int) -> NDArray[np.int64]:
    """Answers that train holds for the very question."""
    train, inverse = dataset.train, relation >= dataset.num_relations
    ends, others = (train.object, train.subject) if inverse else (train.subject, train.object)
    mine = (ends == subject) & (train.relation == relation % dataset.num_relations) & (train.time == time)
    return np.unique(others[mine]).astype(np.int64)


def judge(found: Calibration, answers: Answers) -> tuple[Reliability, Reliability]:
    """Reliability of other answers, raw and by a calibration's map."""
    mapped = apply(found.knots, answers.probability)
    return (
        reliability(answers.probability, answers.right, answers.first),
        reliability(mapped, answers.right, answers.first),
    )


def _first(row: NDArray[np.int64], probability: Float64Array, rows: int) -> BoolArray:
    """Which answers are the likeliest of their row (of equal ones the first)."""
    order = np.lexsort((np.arange(len(row)), -probability, row))
    first = np.zeros(len(row), dtype=bool)
    starts = np.searchsorted(row[order], np.arange(rows))
    starts = starts[(starts < len(row)) & (row[order[np.minimum(starts, len(row) - 1)]] == np.arange(rows))]
    first[order[starts]] = True
    return first
