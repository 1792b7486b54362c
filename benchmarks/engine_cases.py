"""One measurement of the engine: which case, the batches it works on, and what a process that runs it reports."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.engine_shares import shares

SIZES = {"x10": (10, 100), "x20": (20, 200), "x100": (100, 500)}  # x and y = z
MET = 24  # batches that are trained before those that count
MEMORY = 0.85 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes that a case may use


@dataclass(frozen=True)
class Case:
    """One measurement."""

    task: str = "train"  # train, eval, warm (one query, features cached), first (a new process trains and scores)
    kernels: str = "compiled"
    dataset: str = "icews14"
    size: str = "x10"  # see SIZES
    batch: int = 32
    mixed: bool = False  # queries of any day instead of one day
    threads: int = 2
    batches: int = 12  # whose median counts
    edges: int = 0  # synthetic graph with this many edges instead of the dataset
    tuned: bool = False  # with what the catalog recommends for the model on this dataset
    cap: int = 0  # walk_cap and gather_cap, with lazy features
    profile: bool = False  # also tell where the time goes

    def __str__(self) -> str:
        graph = f" {self.edges:,} edges cap {self.cap}" if self.edges else ""
        batch = f"batch {1 if self.task == 'warm' else self.batch}{' mixed' if self.mixed else ''}"
        data = "" if self.dataset == "icews14" else f"{self.dataset} "
        return f"{data}{self.task} {self.kernels} {self.size} {batch} threads {self.threads}{graph}"


class Batch(NamedTuple):
    """Queries, their answers, and the facts behind them."""

    queries: Any
    answers: Any
    facts: Any


class Engine:
    """The model of a case on its graph."""

    def __init__(self, case: Case) -> None:
        import torch

        from tgap.graph import TemporalGraph
        from tgap.model.settings import TGAPSettings
        from tgap.model.tgap import TGAP

        self.case = case
        entities, self.relations, self.span, self.facts = load(case.edges, case.dataset)
        self.graph = TemporalGraph.build(entities, self.relations, *self.facts)
        core, edges = SIZES[case.size]
        config = TGAPSettings(core_nodes=core, sampled_edges=edges, added_edges=edges)
        if case.tuned:
            config = config.replace(**tuned_for_model(case.dataset))
        if case.cap:
            config = config.replace(walk_cap=case.cap, gather_cap=case.cap, lazy=True)
        self.model = TGAP(config, self.graph, self.span, seed=0, kernels=case.kernels)
        self.optimiser = torch.optim.Adam(self.model.parameters(), 1e-3, fused=True)
        self.days, self.per_day = np.unique(self.facts[3], return_counts=True)
        self._random = np.random.default_rng(0)
        self._cached: list[Any] | None = None

    def draw(self) -> Batch:
        """The next batch: distinct facts, half of the queries ask for the tail and half for the head of each."""
        from tgap.scorer import QueryBatch

        s, r, o, t = self.facts
        if self.case.task == "warm":
            chosen = self._random.integers(len(s), size=1)
            return Batch(QueryBatch(s[chosen], r[chosen], np.array([self.span // 2])), o[chosen], chosen)
        chosen = self._choose(max(self.case.batch // 2, 1))
        s, r, o, t = (column[chosen] for column in self.facts)
        both = [np.concatenate(pair) for pair in ((s, o), (r, r + self.relations), (t, t), (o, s))]
        return Batch(QueryBatch(*both[:3]), both[3], chosen)

    def _choose(self, count: int) -> Any:
        """Different facts: the same fact twice would be walked once and flatter the figure."""
        if self.case.mixed:
            return self._random.choice(len(self.facts[0]), count, replace=False)
        rich = self.per_day >= count
        assert rich.any(), f"no day has {count} facts"
        day = self._random.choice(self.days[rich], p=self.per_day[rich] / self.per_day[rich].sum())
        return self._random.choice(np.flatnonzero(self.facts[3] == day), count, replace=False)

    def train(self, batch: Batch) -> None:
        from tgap.graph import View

        hidden = self.graph.find_facts(*(column[batch.facts] for column in self.facts))
        loss = self.model.loss(batch.queries, batch.answers, View.all().without(hidden), 0).value
        loss.backward()  # type: ignore[no-untyped-call]
        self.improve()

    def improve(self) -> None:
        import torch

        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 3.0)
        self.optimiser.step()
        self.optimiser.zero_grad()

    def score(self, batch: Batch) -> None:
        from tgap.graph import View

        self.model.score(batch.queries, View.all(), 0, self._cached)

    def warm(self) -> None:
        """Keep the features of the middle day, as the server does."""
        import torch

        from tgap.graph import View

        with torch.no_grad():
            self._cached = [self.model.features(self.span // 2, self.model.views.resolve(View.all()))]


def measure(case: Case) -> dict[str, Any]:
    """Run a case in this process. Its batches are drawn before, so that only work on them is timed."""
    from tgap.kernels import set_threads

    set_threads(case.threads, whole_process=True)  # as the commands that train and evaluate do
    if case.task == "first":
        return first_use(case)
    engine = Engine(case)
    limit_memory()
    if case.task == "warm":
        engine.warm()
    step = engine.train if case.task == "train" else engine.score
    *counted, spare = [engine.draw() for _ in range(case.batches + 1)]
    if case.kernels == "compiled":
        step(spare)  # loads the kernels
        step(spare)
        if case.task == "train":  # products of most sizes have been met then, see kernels/products.py
            for _ in range(MET):
                step(engine.draw())
    times = [1e3 * seconds(step, batch) / len(batch.queries) for batch in counted]
    quarter, half, three_quarters = np.percentile(times, [25, 50, 75])
    result: dict[str, Any] = {
        "ms": float(half),
        "ms_quartiles": [float(quarter), float(three_quarters)],
        "edges_in_graph": engine.graph.num_edges,
        "rss_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }
    if case.profile:
        result["shares"] = shares(engine, step, counted[:6])
    return result


def first_use(case: Case) -> dict[str, Any]:
    """Train a batch and score one, twice: what the first time takes longer is compilation, or loading from disk.

    The processor's time is told too: it suffers less from other work on the machine.
    """
    engine = Engine(case)
    batch = engine.draw()
    takes: list[dict[str, float]] = []
    for _ in range(2):
        before = time.process_time()
        take = {"train": seconds(engine.train, batch), "score": seconds(engine.score, batch)}
        takes.append({**take, "processor": time.process_time() - before})
    first, again = takes
    extra = first["train"] + first["score"] - again["train"] - again["score"]
    return {"first": first, "again": again, "extra_seconds": extra}


def seconds(step: Callable[[Batch], None], batch: Batch) -> float:
    started = time.perf_counter()
    step(batch)
    return time.perf_counter() - started


def limit_memory() -> None:
    """From here on allocations fail beyond ``MEMORY`` instead of starving the machine."""
    pages = [int(number) for number in Path("/proc/self/statm").read_text().split()[:2]]
    reserved = (pages[0] - pages[1]) * resource.getpagesize()  # addresses without memory: libraries, stacks
    resource.setrlimit(resource.RLIMIT_AS, (int(MEMORY + reserved), resource.RLIM_INFINITY))


def tuned_for_model(dataset: str) -> dict[str, Any]:
    """The catalog's settings of the model for a dataset."""
    from tgap.methods import config_for

    sizes = {"core_nodes", "sampled_edges", "added_edges"}  # the case says them
    chosen = config_for("tgap", dataset).model.model_dump(exclude_defaults=True)
    return {name: value for name, value in chosen.items() if name not in sizes}


def load(edges: int, dataset: str) -> tuple[int, int, int, tuple[Any, ...]]:
    """Entities, relations, span and facts of a train split, or of a synthetic graph with hubs like ICEWS14's."""
    if not edges:
        from tgap.data import load_dataset

        data = load_dataset(dataset)
        return data.num_entities, data.num_relations, data.timeline.span, data.train.columns
    draw = np.random.default_rng(1)
    facts, entities = edges // 2, max(edges // 20, 10)
    weight = 1 / np.arange(1, entities + 1) ** 0.8  # hubs as in event data
    ends = draw.choice(entities, size=(2, facts), p=weight / weight.sum())
    return entities, 230, 364, (ends[0], draw.integers(230, size=facts), ends[1], draw.integers(365, size=facts))
