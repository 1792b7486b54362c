"""What workers bring: training on ICEWS14 by one worker of one thread, one of two threads and two of one thread.

python -m benchmarks.workers                 all three, two minutes each, on an idle machine
python -m benchmarks.workers --only 2x1      one of them; the page is written from all that have been measured today

Queries per second are those of the whole stretch after the first twenty steps, in which kernels are loaded and pages
are touched, without validation. A step of N workers takes N batches.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.engine_report import RESULTS, about
from tgap.runs import RunFolder

TEAMS = {"1x1": (1, 1), "1x2": (1, 2), "2x1": (2, 1)}  # workers x threads
TITLES = {"1x1": "one worker of one thread", "1x2": "one worker of two threads", "2x1": "two workers of one thread"}
QUICK = ("--set", "validation_queries=100", "--set", "log_steps=1")


def measure(dataset: str, workers: int, threads: int, minutes: float) -> dict[str, Any]:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "run"
        line = [sys.executable, "-m", "tgap", "train", "--dataset", dataset, "--out", str(out), *QUICK]
        line += ["--set", f"max_minutes={minutes}", "--workers", str(workers), "--threads", str(threads)]
        before = os.times()
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        folder = RunFolder(out)
        epoch = 2 * int(folder.environment()["dataset"]["train"])
        steps = [found for found in folder.metrics() if found["kind"] == "steps"]
        first, last = steps[19], steps[-1]
        queries = (last["epochs"] - first["epochs"]) * epoch
        seconds = last["seconds"] - first["seconds"]
        memory = folder.environment()["peak_memory_megabytes"]
    return {
        "workers": workers,
        "threads": threads,
        "steps": len(steps),
        "seconds": round(seconds, 1),
        "queries_per_second": round(queries / seconds, 1),
        "queries_per_step": round(queries / (len(steps) - 20), 1),
        "megabytes_of_rank_0": memory,
        "load_before": round(load, 1),
        "processor_seconds_per_query": round(spent / (steps[-1]["epochs"] * epoch), 5),
    }


def page(made: dict[str, str], dataset: str, found: dict[str, dict[str, Any]]) -> str:
    loads = ", ".join(str(row["load_before"]) for row in found.values())
    base = found.get("1x1", {}).get("queries_per_second")
    lines = [
        f"# Training by workers, {made['date']}",
        "",
        "Command: `python -m benchmarks.workers`, with other trainings of the machine paused.",
        "",
        ", ".join(f"{key} {value}" for key, value in made.items()),
        "",
        f"T-GAP with its recommended settings on {dataset}. Load of the machine in the minute before each: {loads}.",
        "",
        "| | queries per second | times one of one | queries per step | steps | MB of rank 0 |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, title in TITLES.items():
        if name in found:
            row = found[name]
            times = f"{row['queries_per_second'] / base:.2f}" if base else ""
            lines.append(
                f"| {title} | {row['queries_per_second']:,.1f} | {times} | {row['queries_per_step']:.1f} | "
                f"{row['steps']:,} | {row['megabytes_of_rank_0']:,.0f} |"
            )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="icews14")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--only", choices=TEAMS)
    given = parser.parse_args()
    made = about()
    stem = RESULTS / f"workers-{made['date']}"
    file = stem.with_suffix(".json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["teams"] if file.exists() else {}
    for name, (workers, threads) in TEAMS.items():
        if given.only in (None, name):
            found[name] = measure(given.dataset, workers, threads, given.minutes)
            print(name, found[name])
            file.write_text(json.dumps({"about": made, "teams": found}, indent=1) + "\n", encoding="utf-8")
            stem.with_suffix(".md").write_text(page(made, given.dataset, found), encoding="utf-8")
    print(f"wrote {stem}.md")


if __name__ == "__main__":
    main()
