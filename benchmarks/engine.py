"""How fast is the engine? Training and evaluation of ICEWS14 queries, compiled against reference; threads; graph size.

    python benchmarks/engine.py            all tables, written to benchmarks/results/engine-DATE.{md,json}
    python benchmarks/engine.py --quick    the main figures in under a minute; the last line is one JSON object

Every case runs in a process of its own (so its peak memory is its own) on an otherwise idle machine. Compilation is
measured apart and excluded. A case prints ms a query: the median over batches. Batches are drawn with a fixed seed from
the training facts (half of a batch asks for the tail, half for the head); training hides the batch's facts and counts
forward, backward, clipping and Adam.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Case:
    """One measurement."""

    task: str = "train"  # train, eval, warm (one query, features cached)
    kernels: str = "compiled"
    size: str = "x10"  # x10: x=10, y=z=100; x100: x=100, y=z=500
    batch: int = 32
    mixed: bool = False  # queries of any day instead of one day
    threads: int = 2
    batches: int = 12
    edges: int = 0  # synthetic graph with this many edges instead of ICEWS14
    cap: int = 0  # walk_cap and gather_cap, with lazy features
    profile: bool = False  # also tell where the time goes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="main figures only, nothing written")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(Case(**json.loads(arguments.case)))))
    elif arguments.quick:
        quick()
    else:
        full()


def run(case: Case) -> dict[str, Any]:
    """Measure a case in a process of its own."""
    command = [sys.executable, __file__, "--case", json.dumps(asdict(case))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{case}\n{done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    label = f"{case.task} {case.kernels} {case.size} batch {case.batch}{' mixed' if case.mixed else ''}"
    extra = f" {case.edges:,} edges cap {case.cap}" if case.edges else ""
    print(
        f"{label} threads {case.threads}{extra}: {result['ms']:.2f} ms a query, {result['rss_gb']:.2f} GB", flush=True
    )
    return result


def quick() -> None:
    train, large = run(Case(batches=6)), run(Case(size="x100", batches=6))
    evaluation, warm = run(Case(task="eval", batch=64, batches=5)), run(Case(task="warm", batches=20))
    slow, same = run(Case(kernels="reference", batch=8, batches=1)), run(Case(batch=8, batches=6))
    figures = {
        "train_ms_x10": train["ms"],
        "train_ms_x100": large["ms"],
        "eval_ms": evaluation["ms"],
        "warm_query_ms": warm["ms"],
        "rss_gb": max(result["rss_gb"] for result in (train, large, evaluation, warm)),
        "speedup_over_reference": slow["ms"] / same["ms"],
    }
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


def full() -> None:
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def add(table: str, case: Case) -> dict[str, Any]:
        row = {**asdict(case), **run(case)}
        tables[table].append(row)
        return row

    for size in ("x10", "x100"):
        for task in ("train", "eval"):
            for batch, mixed in ((16, False), (32, False), (64, False), (16, True)):
                add("main", Case(task=task, size=size, batch=batch, mixed=mixed, profile=True))
            add("main", Case(task=task, size=size, batch=8, profile=True))
            add("main", Case(task=task, size=size, batch=8, kernels="reference", batches=1))
        add("main", Case(task="warm", size=size, batches=30))
    for threads in (1, 2):
        for task, batch in (("train", 32), ("eval", 64)):
            add("threads", Case(task=task, batch=batch, threads=threads))
    for edges in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000):
        for cap in (0, 50):
            if edges <= 1_000_000 or cap:
                add("size", Case(task="eval", batch=8, edges=edges, cap=cap))
    write(dict(tables))


def measure(case: Case) -> dict[str, Any]:
    """Run one case in this process."""
    import torch

    from tgap.config import ModelConfig
    from tgap.graph import TemporalGraph, Visibility
    from tgap.kernels import set_threads
    from tgap.model.tgap import TGAP
    from tgap.scorer import QueryBatch

    set_threads(case.threads)
    entities, relations, span, (s, r, o, t) = load(case.edges)
    graph = TemporalGraph.build(entities, relations, s, r, o, t)
    core, edges = (10, 100) if case.size == "x10" else (100, 500)
    config = ModelConfig(core_nodes=core, sampled_edges=edges, added_edges=edges)
    if case.cap:
        config = replace(config, walk_cap=case.cap, gather_cap=case.cap, lazy=True)
    model = TGAP(config, graph, span, seed=0, kernels=case.kernels)
    optimiser = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
    visibility = Visibility(graph)
    draw = np.random.default_rng(0)

    both = [np.concatenate(pair) for pair in ((s, o), (r, r + relations), (t, t), (o, s))]

    def batch() -> tuple[QueryBatch, Any, Any]:
        """Queries, answers, and the facts behind them; drawn outside the measured time."""
        count = max(case.batch // 2, 1)
        if case.task == "warm":
            chosen = draw.integers(len(s), size=1)
            return QueryBatch(s[chosen], r[chosen], np.array([span // 2])), o[chosen], chosen
        if case.mixed:
            chosen = draw.choice(len(s), count, replace=False)
        else:
            day = t[draw.integers(len(t))]
            chosen = draw.choice(np.flatnonzero(t == day), count)
        rows = np.concatenate([chosen, chosen + len(s)])
        return QueryBatch(both[0][rows], both[1][rows], both[2][rows]), both[3][rows], chosen

    def train(queries: QueryBatch, answers: Any, facts: Any) -> None:
        with visibility.hidden(graph.find_facts(s[facts], r[facts], o[facts], t[facts])):
            optimiser.zero_grad()
            model.loss(queries, answers, visibility, 0).value.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 3.0)
        optimiser.step()

    warm_features = [model.features(span // 2, visibility)] if case.task == "warm" else None

    def score(queries: QueryBatch, *_: Any) -> None:
        model.score(queries, visibility, 0, warm_features)

    step = train if case.task == "train" else score

    def timed() -> float:
        """Seconds a query of one batch."""
        drawn = batch()
        started = time.perf_counter()
        step(*drawn)
        return (time.perf_counter() - started) / len(drawn[0])

    started = time.perf_counter()
    timed()
    compiled = time.perf_counter() - started
    if case.kernels == "compiled":
        timed()
    times = [timed() for _ in range(case.batches)]
    result: dict[str, Any] = {
        "ms": float(1e3 * np.median(times)),
        "first_seconds": compiled,
        "edges_in_graph": graph.num_edges,
    }
    if case.profile:
        result["shares"] = shares(timed)
    result["rss_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return result


def load(edges: int) -> tuple[int, int, int, tuple[Any, ...]]:
    """Entities, relations, span and facts of ICEWS14's train split, or of a synthetic graph with hubs like it."""
    if not edges:
        from tgap.data import load_dataset

        data = load_dataset("icews14")
        return data.num_entities, data.num_relations, data.timeline.span, tuple(data.train[:4])
    draw = np.random.default_rng(1)
    facts, entities = edges // 2, max(edges // 20, 10)
    weight = 1 / np.arange(1, entities + 1) ** 0.8  # hubs as in event data
    ends = draw.choice(entities, size=(2, facts), p=weight / weight.sum())
    return entities, 230, 364, (ends[0], draw.integers(230, size=facts), ends[1], draw.integers(365, size=facts))


def shares(step: Callable[[], float]) -> dict[str, float]:
    """Share of time in the parts of the model, from torch's profiler and timers around the sampler."""
    from torch.profiler import ProfilerActivity, profile

    from tgap.model import walk

    spent: dict[str, float] = defaultdict(float)
    sampler: Any = walk  # its names are replaced by timed ones for a moment

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            result = function(*args, **kwargs)
            spent["sampling"] += 1e6 * (time.perf_counter() - started)
            return result

        return wrapper

    originals = (sampler.choose_core, sampler.sample_edges, sampler.Subgraphs.grow)
    sampler.choose_core, sampler.sample_edges, sampler.Subgraphs.grow = map(timed, originals)
    started = time.perf_counter()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as seen:
        for _ in range(3):
            step()
    total = 1e6 * (time.perf_counter() - started)
    sampler.choose_core, sampler.sample_edges, sampler.Subgraphs.grow = originals
    for event in seen.key_averages(group_by_input_shape=True):
        name = event.key
        if name in ("_Gather", "_GatherBackward"):
            wide = event.input_shapes and event.input_shapes[0] and event.input_shapes[0][0] > 5000
            spent["PGNN" if wide else "SGNN"] += event.self_cpu_time_total
        elif name.startswith("_Flow"):
            spent["flow"] += event.self_cpu_time_total
        elif name.startswith("Optimizer.step"):
            spent["optimiser"] += event.cpu_time_total
    parts = {name: spent[name] / total for name in ("PGNN", "flow", "SGNN", "sampling", "optimiser")}
    return {**parts, "linear maps and rest": 1 - sum(parts.values())}


def write(tables: dict[str, list[dict[str, Any]]]) -> None:
    """Markdown and JSON with machine and versions, named by date."""
    import platform

    import llvmlite
    import numba
    import torch

    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        "?",
    )
    about = {
        "date": date.today().isoformat(),
        "cpu": f"{cpu}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }
    lines = [f"# Engine benchmark, {about['date']}", "", "Command: `make bench`, on an idle machine.", ""]
    lines += [", ".join(f"{key} {value}" for key, value in about.items()), ""]
    titles = {
        "main": "ICEWS14, 2 threads (x10: x=10, y=z=100; x100: x=100, y=z=500)",
        "threads": "Threads",
        "size": "Synthetic graphs, evaluation of 8 queries of one day (cap 50: walk and gather caps, lazy features)",
    }
    for name, rows in tables.items():
        lines += [f"## {titles[name]}", ""]
        lines += [
            "| task | kernels | size | batch | threads | edges | cap | ms a query | peak GB | where the time goes |"
        ]
        lines += ["|---|---|---|---|---|---|---|---|---|---|"]
        for row in rows:
            batch = f"{row['batch']}{' mixed days' if row['mixed'] else ''}" if row["task"] != "warm" else "1 (warm)"
            where = ", ".join(f"{part} {100 * share:.0f}%" for part, share in row.get("shares", {}).items())
            lines.append(
                f"| {row['task']} | {row['kernels']} | {row['size']} | {batch} | {row['threads']} "
                f"| {row['edges_in_graph']:,} | {row['cap'] or '-'} | {row['ms']:.2f} | {row['rss_gb']:.2f} | {where} |"
            )
        lines.append("")
    lines += summary(tables)
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / f"engine-{about['date']}"
    stem.with_suffix(".json").write_text(json.dumps({"about": about, **tables}, indent=1) + "\n")
    stem.with_suffix(".md").write_text("\n".join(lines) + "\n")
    print(f"wrote {stem}.md")


def summary(tables: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Speed-up over the reference, scaling with threads, growth with the size of the graph."""
    lines = ["## In short", ""]

    def find(table: str, **wanted: Any) -> dict[str, Any]:
        return next(row for row in tables[table] if all(row[key] == value for key, value in wanted.items()))

    for size in ("x10", "x100"):
        for task in ("train", "eval"):
            slow = find("main", task=task, size=size, kernels="reference")["ms"]
            fast = find("main", task=task, size=size, kernels="compiled", batch=8)["ms"]
            lines.append(f"- {task} {size}, batch 8: compiled is {slow / fast:.0f} times as fast as the reference.")
    for task in ("train", "eval"):
        one, two = find("threads", task=task, threads=1)["ms"], find("threads", task=task, threads=2)["ms"]
        lines.append(f"- {task} x10: two threads are {one / two:.2f} times as fast as one.")
    for name, cap in (("Without caps", 0), ("With caps", 50)):
        rows = [row for row in tables["size"] if row["cap"] == cap]
        sizes = np.log([row["edges_in_graph"] for row in rows])
        time, memory = (np.polyfit(sizes, np.log([row[what] for row in rows]), 1)[0] for what in ("ms", "rss_gb"))
        first, last = rows[0], rows[-1]
        lines.append(
            f"- {name}, from {first['edges_in_graph']:,} to {last['edges_in_graph']:,} edges: a query's cost grows as "
            f"edges^{time:.2f} ({last['ms'] / first['ms']:.1f} times in all), peak memory as edges^{memory:.2f}."
        )
    return lines


if __name__ == "__main__":
    main()
