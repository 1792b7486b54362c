"""Scores of an honest program on a small dataset, as the columns of a file, and ways to write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.data.facts import fact_keys, in_order
from tgap.evaluation.queries import queries_of
from tgap.scorer import IntArray


@dataclass
class Program:
    """What a program says about a split. Change what you like: every call makes a new one."""

    dataset: Dataset
    facts: Facts
    head: NDArray[np.bool_]
    answer: IntArray
    scores: NDArray[np.float64]  # [Q, N]

    @property
    def own(self) -> NDArray[np.float64]:
        """Score of each answer in its row."""
        return self.scores[np.arange(len(self.answer)), self.answer]

    def columns(self) -> dict[str, list[str]]:
        """The queries by name."""
        data = self.dataset
        return {
            "subject": [data.entities.name(s) for s in self.facts.subject.tolist()],
            "relation": [data.relations.name(r) for r in self.facts.relation.tolist()],
            "object": [data.entities.name(o) for o in self.facts.object.tolist()],
            "time": [data.timeline.format(t) for t in self.facts.time.tolist()],
            "direction": ["head" if head else "tail" for head in self.head.tolist()],
        }

    def take(self, rows: IntArray) -> Program:
        """Only some queries."""
        return Program(self.dataset, self.facts[rows], self.head[rows], self.answer[rows], self.scores[rows])

    def npz(self, path: Path, **claims: Any) -> Path:
        """Full rows."""
        names = {name: np.array(values, dtype=str) for name, values in self.columns().items()}
        arrays = {"scores": self.scores, "entities": np.array(self.dataset.entities.names, dtype=str)}
        write_npz(path, {**arrays, **names, **claims})
        return path

    def parquet(self, path: Path, top: int, **claims: Any) -> Path:
        """The best few of each query as lists."""
        best = np.argsort(-self.scores, axis=1, kind="stable")[:, :top]
        names = np.array(self.dataset.entities.names, dtype=object)
        lists = {"top": names[best].tolist(), "top_scores": np.take_along_axis(self.scores, best, axis=1).tolist()}
        pl.DataFrame({**self.columns(), **lists, **claims}).write_parquet(path)
        return path

    def csv(self, path: Path, top: int) -> Path:
        """The best few of each query, a line each."""
        frame = pl.read_parquet(self.parquet(path.with_suffix(".parquet"), top))
        frame.rename({"top": "entity", "top_scores": "score"}).explode("entity", "score").write_csv(path)
        return path


def write_npz(path: Path, arrays: Mapping[str, Any]) -> None:
    """Arrays by name, not compressed."""
    np.savez(path, **arrays)


@cache
def town() -> Dataset:
    """Forty people over ten days, thirty of them known from train. Many questions of test have several answers."""
    random = np.random.default_rng(0)

    def draw(count: int, people: int) -> Facts:
        columns = (random.integers(high, size=count) for high in (6, 2, people, 10))
        subject, relation, obj, time = columns
        return in_order(Facts(subject, relation, obj, time))

    train, valid, test = draw(300, 30), draw(40, 30), draw(200, 40)
    keys = fact_keys([train, valid, test])
    test = test[~np.isin(keys[2], np.concatenate(keys[:2]))]
    test = test[np.unique(fact_keys([test])[0], return_index=True)[1]]
    return Dataset(
        name="town",
        entities=Vocabulary([f"person {k:02d}" for k in range(40)], what="entity"),
        relations=Vocabulary(["helps", "visits"], what="relation"),
        timeline=Timeline("day", 16071, 16080),
        train=train,
        valid=valid,
        test=test,
    )


@cache
def _scores(split: str) -> NDArray[np.float64]:
    dataset = town()
    batch = queries_of(dataset.splits[split], dataset.num_relations).batch
    keys = zip(batch.subject.tolist(), batch.relation.tolist(), batch.time.tolist(), strict=True)
    return np.stack([np.random.default_rng(key).normal(size=dataset.num_entities) for key in keys])


def honest(split: str = "test") -> Program:
    """A program that knows nothing, but says it fairly: a function of the query, no ties."""
    dataset = town()
    facts = dataset.splits[split]
    queries = queries_of(facts, dataset.num_relations)
    twice = np.tile(np.arange(len(facts)), 2)
    return Program(dataset, facts[twice], queries.head, queries.answer, _scores(split).copy())
