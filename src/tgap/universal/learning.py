"""How the weights come about: the walker learns from many sources in turn, then the re-ranker from the walker's cases.

The recipe with its sources stands in benchmarks/train_universal.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from tgap.graph.view import WHOLE
from tgap.scorer import FloatArray, IntArray
from tgap.universal.event_index import CLASSES
from tgap.universal.model import UniversalModel
from tgap.universal.reranker import Reranker
from tgap.universal.sources import Source
from tgap.universal.statistics import Statistics

Told = Callable[[int, dict[str, float]], None]
_RELATIONS = 24  # of each source, from which the usual ratios are counted
_EVIDENCE = 20.0  # trials
_LARGE = 60_000  # questions; larger sources do not come more often


@dataclass(frozen=True)
class Schedule:
    """How long and how fast."""

    steps: int
    rate: float = 2e-3
    batch: int = 64
    clip: float = 3.0
    warmup: int = 50
    seed: int = 0


def usual_ratios(statistics: Sequence[Statistics], past: bool) -> FloatArray:
    """[2, 3, CLASSES] log ratio of P to the base rate by kind and displacement: the mean over graphs."""
    found = np.zeros((2, 3, CLASSES))
    weight = np.zeros((2, 3, CLASSES))
    for one in statistics:
        view = WHOLE.before_query() if past else WHOLE
        latest = int(one.graph.time.max(initial=0)) + 1
        window = one.window(view, latest)
        often = np.argsort(-np.diff(one.index.asked_row), kind="stable")[:_RELATIONS]
        expected, hits, trials = (np.zeros((2, 3, CLASSES)) for _ in range(3))
        for relation in often.tolist():
            profile = one.profile(relation, window)
            kinds, counts = profile.roles[:, 3].astype(int), profile.counts
            pairs = (counts.hits, counts.misses), (counts.near_hits, counts.near_misses)
            for place, (hit, miss) in enumerate(pairs):
                base = (hit.sum() + 0.5) / (hit.sum() + miss.sum() + 25)
                for kind in range(3):
                    hits[place, kind] += hit[kinds == kind].sum(0)
                    tried = (hit + miss)[kinds == kind].sum(0)
                    trials[place, kind] += tried
                    expected[place, kind] += tried * base
        sure = trials / (trials + _EVIDENCE)
        found += sure * np.log((hits + 1) / (expected + 1))
        weight += sure
    return (found / np.maximum(weight, 1.0)).astype(np.float32)


def train_walker(model: UniversalModel, sources: Sequence[Source], schedule: Schedule, told: Told) -> None:
    """Batches from the sources in turn, the larger ones more often (by the root of their size)."""
    parameters = list(model.walker.parameters())
    optimiser = torch.optim.Adam(parameters, schedule.rate)
    random = np.random.default_rng(schedule.seed)
    share = np.minimum([source.size for source in sources], _LARGE) ** 0.5
    losses: dict[str, list[float]] = {}
    for step in range(schedule.steps):
        source = sources[int(random.choice(len(sources), p=share / share.sum()))]
        batch = source.draw(random, schedule.batch)
        core = source.reader.walked.asking(batch.profile)
        loss = core.loss(batch.queries, batch.answers, batch.view, step).value
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, schedule.clip)
        rise, left = min(1.0, (step + 1) / schedule.warmup), 1 - step / schedule.steps
        for group in optimiser.param_groups:
            group["lr"] = schedule.rate * rise * left
        optimiser.step()
        losses.setdefault(source.name, []).append(float(loss.detach()))
        if step % 100 == 99:
            told(step + 1, {name: float(np.mean(values[-40:])) for name, values in losses.items()})


@dataclass(frozen=True)
class Lesson:
    """Cases of one source with their answers, for the re-ranker."""

    features: NDArray[np.float32]  # [C, F]
    row: IntArray  # [B+1]
    target: IntArray  # [B] place of the answer among a query's candidates, -1: none of them


def collect_lesson(source: Source, count: int, seed: int) -> Lesson:
    """Cases of about ``count`` random questions; other true answers do not compete."""
    random = np.random.default_rng(seed)
    features, sizes, targets = [], [], []
    for edges, batch in source.batches(count, random):
        case = source.reader.read(batch.queries, batch.view, batch.profile)
        row, entity = case.candidates
        for b, edge in enumerate(edges.tolist()):
            mine = entity[row[b] : row[b + 1]]
            keep = ~np.isin(mine, source.true_answers(edge)) | (mine == batch.answers[b])
            place = np.flatnonzero(mine[keep] == batch.answers[b])
            features.append(case.features[row[b] : row[b + 1]][keep])
            sizes.append(int(keep.sum()))
            targets.append(int(place[0]) if len(place) else -1)
    return Lesson(np.concatenate(features), np.append(0, np.cumsum(sizes)).astype(np.int64), np.array(targets))


def train_reranker(
    reranker: Reranker, lessons: Sequence[Lesson], epochs: int, rate: float, seed: int, told: Told, fresh: bool = True
) -> None:
    """Cases of all lessons mixed; log likelihood of the answer, or of "none of them".

    ``fresh``: features are scaled by these lessons; else the re-ranker goes on from what it learned before.
    """
    if fresh:
        sample = np.concatenate([lesson.features[:: max(1, len(lesson.features) // 20_000)] for lesson in lessons])
        reranker.mean.copy_(torch.from_numpy(sample.mean(0)))
        reranker.deviation.copy_(torch.from_numpy(sample.std(0) + 0.05))
    random, optimiser = np.random.default_rng(seed), torch.optim.AdamW(reranker.parameters(), rate, weight_decay=1e-3)
    every = np.array([(k, b) for k, lesson in enumerate(lessons) for b in range(len(lesson.target))])
    steps, step = epochs * (len(every) // 64), 0
    for epoch in range(epochs):
        random.shuffle(every)
        total = 0.0
        for begin in range(0, len(every) - 63, 64):
            features, row, target = _together(lessons, every[begin : begin + 64])
            inside, none = reranker(torch.from_numpy(features), row)
            chosen = torch.from_numpy(np.where(target >= 0, row[:-1] + np.maximum(target, 0), 0))
            loss = -torch.where(torch.from_numpy(target >= 0), inside[chosen], none).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            for group in optimiser.param_groups:
                group["lr"] = rate * (1 - step / steps)
            optimiser.step()
            step += 1
            total += float(loss.detach())
        told(epoch + 1, {"loss": total / max(len(every) // 64, 1)})


def _together(
    lessons: Sequence[Lesson], chosen: IntArray
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    parts = [lessons[k].features[lessons[k].row[b] : lessons[k].row[b + 1]] for k, b in chosen.tolist()]
    row = np.append(0, np.cumsum([len(part) for part in parts])).astype(np.int64)
    return np.concatenate(parts), row, np.array([lessons[k].target[b] for k, b in chosen.tolist()])


@torch.no_grad()
def fit_temperature(reranker: Reranker, lessons: Sequence[Lesson]) -> float:
    """The temperature at which the answers of some lessons are likeliest: graphs that training never saw."""
    likelihoods = []
    grid = np.exp(np.linspace(np.log(0.7), np.log(2.5), 19))
    for temperature in grid:
        reranker.temperature.fill_(float(temperature))
        means = []
        for lesson in lessons:
            inside, none = reranker(torch.from_numpy(lesson.features), lesson.row)
            place = torch.from_numpy(lesson.row[:-1] + np.maximum(lesson.target, 0))
            found = torch.from_numpy(lesson.target >= 0)
            means.append(float(torch.where(found, inside[place], none).mean()))
        likelihoods.append(float(np.mean(means)))
    best = float(grid[int(np.argmax(likelihoods))])
    reranker.temperature.fill_(best)
    return best
