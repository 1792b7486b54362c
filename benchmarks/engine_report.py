"""The engine benchmark's page: tables, and what they say in short."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]
TITLES = {
    "main": "ICEWS14, 2 threads (x10: x=10, y=z=100; x100: x=100, y=z=500)",
    "threads": "Threads",
    "size": "Synthetic graphs, evaluation of 8 queries of one day (cap 50: walk and gather caps, lazy features)",
    "first": "First use: seconds to train and score a batch of 32 in a new process, and again in the same",
}


def write(tables: dict[str, list[Row]]) -> None:
    """Markdown and JSON with machine and versions, named by date."""
    made = about()
    RESULTS.mkdir(exist_ok=True)
    stem = RESULTS / f"engine-{made['date']}"
    stem.with_suffix(".json").write_text(json.dumps({"about": made, **tables}, indent=1) + "\n", encoding="utf-8")
    stem.with_suffix(".md").write_text(page(made, tables), encoding="utf-8")
    print(f"wrote {stem}.md")


def about() -> dict[str, str]:
    import platform

    import llvmlite
    import numba
    import torch

    cpu = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        "?",
    )
    return {
        "date": date.today().isoformat(),
        "cpu": f"{cpu}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


def page(made: dict[str, str], tables: dict[str, list[Row]]) -> str:
    lines = [f"# Engine benchmark, {made['date']}", "", "Command: `make bench`, on an idle machine.", ""]
    lines += [", ".join(f"{key} {value}" for key, value in made.items()), ""]
    lines += [
        "Times are medians over batches (quartiles: see the JSON file); the reference runs one batch.",
        "",
    ]
    for name in (name for name in TITLES if name in tables):
        rows = tables[name]
        lines += [f"## {TITLES[name]}", "", *(first_table(rows) if name == "first" else table(rows)), ""]
    lines += ["## In short", "", *(f"- {line}" for line in summary(tables))]
    return "\n".join(lines) + "\n"


def table(rows: list[Row]) -> Iterator[str]:
    yield "| task | kernels | size | batch | threads | edges | cap | ms a query | peak GB | where the time goes |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for row in rows:
        batch = f"{row['batch']}{' mixed days' if row['mixed'] else ''}" if row["task"] != "warm" else "1 (warm)"
        where = ", ".join(f"{part} {100 * share:.0f}%" for part, share in row.get("shares", {}).items())
        ran = "ms" in row
        measured = f"{row['ms']:.2f} | {row['rss_gb']:.2f}" if ran else f"more than {row['more_than_gb']:.0f} GB | -"
        edges = f"{row['edges_in_graph']:,}" if ran else "-"
        yield (
            f"| {row['task']} | {row['kernels']} | {row['size']} | {batch} | {row['threads']} "
            f"| {edges} | {row['cap'] or '-'} | {measured} | {where} |"
        )


def first_table(rows: list[Row]) -> Iterator[str]:
    yield "| kernel cache | train | score | processor | train again | score again | processor | first minus again |"
    yield "|---|---|---|---|---|---|---|---|"
    for cache, row in zip(("empty", "filled by the row above"), rows, strict=True):
        takes = " | ".join(f"{row[take][what]:.2f}" for take in ("first", "again") for what in row[take])
        yield f"| {cache} | {takes} | {row['extra_seconds']:.2f} |"


def summary(tables: dict[str, list[Row]]) -> Iterator[str]:
    """Speed-up over the reference, scaling with threads, growth with the size of the graph, compilation."""
    yield from speedups(tables.get("main", []))
    threads = tables.get("threads", [])
    for task in ("train", "eval"):
        times = {row["threads"]: row["ms"] for row in threads if row["task"] == task}
        if {1, 2} <= set(times):
            yield f"{task} x10: two threads are {times[1] / times[2]:.2f} times as fast as one."
    for name, cap in (("Without caps", 0), ("With caps", 50)):
        rows = [row for row in tables.get("size", []) if row["cap"] == cap and "ms" in row]
        if len(rows) < 2:
            continue
        sizes = np.log([row["edges_in_graph"] for row in rows])
        time, memory = (np.polyfit(sizes, np.log([row[what] for row in rows]), 1)[0] for what in ("ms", "rss_gb"))
        first, last = rows[0], rows[-1]
        yield (
            f"{name}, from {first['edges_in_graph']:,} to {last['edges_in_graph']:,} edges: a query's cost grows as "
            f"edges^{time:.2f} ({last['ms'] / first['ms']:.1f} times in all), peak memory as edges^{memory:.2f}."
        )
    if tables.get("first"):
        empty, filled = tables["first"]
        yield (
            f"First use: compilation takes {empty['extra_seconds']:.0f} s (training and scoring); later processes load "
            f"the kernels from disk in {filled['extra_seconds']:.1f} s."
        )


def speedups(rows: list[Row]) -> Iterator[str]:
    """Compiled over reference for batches that both could run, 32 first."""

    def times(*wanted: str) -> dict[tuple[bool, int], float]:
        same = [row for row in rows if (row["task"], row["size"], row["kernels"]) == wanted]
        return {(row["mixed"], row["batch"]): row["ms"] for row in same if "ms" in row}

    for size in ("x10", "x100"):
        for task in ("train", "eval"):
            slow, fast = times(task, size, "reference"), times(task, size, "compiled")
            both = sorted(set(slow) & set(fast), key=lambda key: (key != (False, 32), key))
            told = [f"{slow[k] / fast[k]:.0f} times (batch {k[1]}{' of mixed days' if k[0] else ''})" for k in both]
            if told:
                yield f"{task} {size}: compiled is {', '.join(told)} as fast as the reference."
