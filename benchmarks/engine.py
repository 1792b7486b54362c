"""How fast is the engine? Training and evaluation of ICEWS14 queries, compiled against reference; threads; graph size.

    python benchmarks/engine.py            all tables, written to benchmarks/results/engine-DATE.{md,json}
    python benchmarks/engine.py --quick    the main figures in under a minute; the last line is one JSON object

Every case runs in a process of its own (so its peak memory is its own) on an otherwise idle machine. Compilation is
measured apart and excluded. A case prints ms a query: the median over batches. Batches are drawn with a fixed seed from
the training facts, each fact at most once in a batch (half of a batch asks for the tail, half for the head); training
hides the batch's facts and counts forward, backward, clipping and Adam. The reference gets the first of the same
batches, once. A case may use 85 % of the machine's memory; one that needs more says so instead of a time.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.engine_cases import MEMORY, Case, measure
from benchmarks.engine_report import about, page, write
from tgap.waiting import wait_briefly

wait_briefly()
NO_MEMORY = re.compile(
    r"can't allocate memory|cannot allocate memory|bad_alloc|MemoryError|thread creation failed|start new thread", re.I
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="main figures only, nothing written")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--only", help=argparse.SUPPRESS)  # pattern: cases to run; prints, writes nothing
    parser.add_argument("--batches", type=int, help=argparse.SUPPRESS)  # with --only
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(Case(**json.loads(arguments.case)))))
    elif arguments.quick:
        quick()
    elif arguments.only:
        tables = full(arguments.only, arguments.batches)
        print(json.dumps(tables, indent=1), page(about(), tables), sep="\n")
    else:
        write(full())


def quick() -> None:
    train, large = run(Case()), run(Case(size="x100"))
    evaluation, warm = run(Case(task="eval", batch=64)), run(Case(task="warm", batches=20))
    slow, same = run(Case(kernels="reference", batch=8, batches=1)), run(Case(batch=8))
    figures = {
        "train_ms_x10": train["ms"],
        "train_ms_x100": large["ms"],
        "eval_ms": evaluation["ms"],
        "warm_query_ms": warm["ms"],
        "rss_gb": max(result["rss_gb"] for result in (train, large, evaluation, warm)),
        "speedup_over_reference": slow["ms"] / same["ms"],
    }
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


def full(only: str = "", batches: int | None = None) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables, or of those cases that match a pattern, with fewer batches if so wished."""
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as cache:
        for table, planned in plan():
            if re.search(only, f"{table} {planned}"):
                case = replace(planned, batches=min(batches or planned.batches, planned.batches))
                tables[table].append({**asdict(case), **run(case, cache if table == "first" else None)})
            if table == "first" and table in tables:
                assert len(list(Path(cache).iterdir())) == 1, "kernels changed meanwhile, or NUMBA_CACHE_DIR is ignored"
    return dict(tables)


def plan() -> Iterator[tuple[str, Case]]:
    """Table and case of every row."""
    for _ in range(2):  # with an empty cache, then with what the first left there
        yield "first", Case(task="first")
    for size in ("x10", "x100"):
        for task in ("train", "eval"):
            for batch, mixed in ((16, False), (32, False), (64, False), (16, True)):
                case = Case(task=task, size=size, batch=batch, mixed=mixed, profile=True)
                yield "main", case
                yield "main", replace(case, kernels="reference", batches=1, profile=False)
        yield "main", Case(task="warm", size=size, batches=30)
    for threads in (1, 2):
        for task, batch in (("train", 32), ("eval", 64)):
            yield "threads", Case(task=task, batch=batch, threads=threads)
    for edges in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000):
        for cap in (0, 50):
            yield "size", Case(task="eval", batch=8, edges=edges, cap=cap)


def run(case: Case, cache: str | None = None) -> dict[str, Any]:
    """Measure a case in a process of its own, with kernels kept in the folder ``cache`` if given."""
    command = [sys.executable, __file__, "--case", json.dumps(asdict(case))]
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    result: dict[str, Any]
    if done.returncode == 0:
        result = json.loads(done.stdout.splitlines()[-1])
    elif done.returncode == -signal.SIGKILL or NO_MEMORY.search(done.stderr):
        result = {"more_than_gb": MEMORY / 1e9}
    else:
        raise SystemExit(f"{case}\n{done.stderr}")
    print(f"{case}: {told(result)}", flush=True)
    return result


def told(result: dict[str, Any]) -> str:
    if "more_than_gb" in result:
        return f"more than {result['more_than_gb']:.0f} GB"
    if "extra_seconds" in result:
        return f"the first use takes {result['extra_seconds']:.1f} s longer than the next"
    low, high = result["ms_quartiles"]
    return f"{result['ms']:.2f} ms a query (quartiles {low:.2f} to {high:.2f}), {result['rss_gb']:.2f} GB"


if __name__ == "__main__":
    main()
