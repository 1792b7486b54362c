"""What a graph of a given size costs: import, training, evaluation, answers and reasons; one table for all sizes.

python -m benchmarks.scale                    10^5, 10^6 and 10^7 facts, on an idle machine: about half an hour
python -m benchmarks.scale --only 1e6         one of them; the page is written from all that have been measured today

Everything is measured as users meet it, by the commands themselves, each in a process of its own, whose peak memory is
told with it. The graphs are those of event_graph.py. A step of training counts from the tenth on, without validation.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import numpy as np

from benchmarks.engine_report import RESULTS, about
from benchmarks.event_graph import write_events
from tgap.runs import RunFolder

LARGE = {"walk_cap": 100, "gather_cap": 100, "cap_choice": "near", "lazy": True, "sparse": True}
QUESTIONS = 12
GB = 1e9


class Size(NamedTuple):
    facts: int
    entities: int
    relations: int
    minutes: float  # of training


SIZES = {
    "1e5": Size(100_000, 10_000, 1_000, 1.0),
    "1e6": Size(1_000_000, 100_000, 1_000, 1.0),
    "1e7": Size(10_000_000, 1_000_000, 1_000, 2.0),
}


def run(*words: str) -> tuple[float, float, str]:
    """Seconds and peak memory in GB of ``tgap WORDS``, and what it printed."""
    begun = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "tgap", *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"tgap {' '.join(words)} ended with {process.returncode}")
    return time.perf_counter() - begun, used.ru_maxrss * 1024 / GB, printed


def train(dataset: Path, out: Path, minutes: float) -> dict[str, float]:
    settings = [f"{name}={str(value).lower()}" for name, value in LARGE.items()]
    settings += [f"max_minutes={minutes}", "validation_queries=50", "log_steps=1"]
    words = [word for setting in settings for word in ("--set", setting)]
    _, memory, _ = run("train", "--dataset", str(dataset), "--out", str(out), *words)
    folder = RunFolder(out)
    steps = [found for found in folder.metrics() if found["kind"] == "steps"]
    queries = 2 * int(folder.environment()["dataset"]["train"]) * (steps[-1]["epochs"] - steps[9]["epochs"])
    spent = steps[-1]["seconds"] - steps[9]["seconds"]
    return {
        "train_ms_per_query": 1e3 * spent / queries,
        "train_steps": len(steps),
        "train_gb": memory,
    }


def moved_rows(dataset: str) -> dict[str, float]:
    """Entities whose embeddings a step of training moves, on average over a few steps from the start."""
    from tgap.data import load_dataset
    from tgap.methods import config_for, make_learner

    settings = {f"model.{name}": value for name, value in LARGE.items()}
    learner = make_learner(config_for("tgap", dataset).with_values(settings), load_dataset(dataset))
    table, plan = learner.module.get_parameter("entity"), learner.plan(0)
    counts = []
    for index in range(5):
        learner.module(plan[index]).value.backward()
        assert table.grad is not None, "every batch has subjects"
        counts.append(len(table.grad.coalesce().indices()[0]))
        learner.module.zero_grad(set_to_none=True)
    return {"moved_rows": statistics.mean(counts)}


def evaluate(run_folder: Path, place: Path) -> dict[str, float]:
    """Two lengths, so that loading and the first use of everything drop out of the difference."""
    took = []
    memory = 0.0
    for limit in (40, 240):
        seconds, memory, _ = run(
            "evaluate", str(run_folder), "--limit", str(limit), "--json", str(place / "report.json")
        )
        took.append(seconds)
    return {"evaluate_ms_per_query": 1e3 * (took[1] - took[0]) / 200, "evaluate_gb": memory}


@contextmanager
def served(run_folder: Path) -> Iterator[tuple[str, int, float]]:
    """Address, process and seconds until it is ready."""
    begun = time.perf_counter()
    line = [sys.executable, "-m", "tgap", "serve", str(run_folder), "--port", "0"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        address = ""
        for printed in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", printed):
                address = found.group(0)
                break
        while httpx.get(f"{address}/ready", timeout=60).json().get("status") != "ready":
            time.sleep(0.2)
        yield address, process.pid, time.perf_counter() - begun
    finally:
        process.terminate()
        process.wait(30)


def serve(run_folder: Path) -> dict[str, float]:
    """Answers to questions that were not asked before, and the measured reasons of each, over HTTP."""
    with served(run_folder) as (address, process, ready), httpx.Client(base_url=address, timeout=300) as client:
        asked = []
        for _ in range(QUESTIONS):
            question = client.get("/api/v1/questions/random").json()["question"]
            asked.append({name: question[name] for name in ("subject", "relation", "object", "time")})
        took: dict[str, list[float]] = {"predict": [], "explain": []}
        for path, times in took.items():
            for body in asked:
                begun = time.perf_counter()
                client.post(f"/api/v1/{path}", json=body).raise_for_status()
                times.append(1e3 * (time.perf_counter() - begun))
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
        peak = int(status.split("VmHWM:")[1].split()[0]) * 1024 / GB
    return {
        "ready_seconds": ready,
        "answer_ms": statistics.median(took["predict"][2:]),  # the first ones load kernels
        "reasons_ms": statistics.median(took["explain"][2:]),
        "serve_gb": peak,
    }


def measure(size: Size) -> dict[str, Any]:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="tgap-scale-") as name:
        place = Path(name)
        write_events(place / "events.csv", size.facts, size.entities, size.relations)
        seconds, memory, _ = run("data", "import", str(place / "events.csv"), "--out", str(place / "data"))
        found = {"import_seconds": seconds, "import_gb": memory}
        (place / "events.csv").unlink()
        found |= train(place / "data", place / "run", size.minutes)
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:  # its memory is its own
            found |= pool.submit(moved_rows, str(place / "data")).result()
        found |= evaluate(place / "run", place)
        found |= serve(place / "run")
    return {**size._asdict(), **{name: round(value, 3) for name, value in found.items()}, "load_before": round(load, 1)}


ROWS = {
    "import_seconds": "import, s",
    "import_gb": "import, GB",
    "train_ms_per_query": "training, ms per query",
    "train_gb": "training, GB",
    "moved_rows": "embeddings that a step moves",
    "evaluate_ms_per_query": "evaluation, ms per query",
    "evaluate_gb": "evaluation, GB",
    "ready_seconds": "server ready after, s",
    "answer_ms": "answer, ms",
    "reasons_ms": "answer with measured reasons, ms",
    "serve_gb": "server, GB",
}


def growth(sizes: dict[str, dict[str, Any]], row: str) -> str:
    """Exponent of the power law that fits best, and what ten times the facts cost."""
    facts = [found["facts"] for found in sizes.values()]
    values = [found[row] for found in sizes.values()]
    if len(facts) < 2 or min(values) <= 0:
        return ""
    exponent = float(np.polyfit(np.log(facts), np.log(values), 1)[0])
    return f"facts^{exponent:.2f}"


def page(made: dict[str, str], sizes: dict[str, dict[str, Any]]) -> str:
    loads = ", ".join(str(found["load_before"]) for found in sizes.values())
    heads = [f"{found['facts']:,} facts, {found['entities']:,} entities" for found in sizes.values()]
    settings = ", ".join(f"{name} {str(value).lower()}" for name, value in LARGE.items())
    lines = [
        f"# Large graphs, {made['date']}",
        "",
        "Command: `python -m benchmarks.scale`.",
        "",
        ", ".join(f"{key} {value}" for key, value in made.items()),
        "",
        f"T-GAP with its recommended settings and {settings};",
        "graphs of benchmarks/event_graph.py with 1,000 relations and 3,652 days. GB is the peak of the process.",
        f"Load of the machine in the minute before each size: {loads}.",
        "",
        "| | " + " | ".join(heads) + " | grows like |",
        "| --- |" + " ---: |" * (len(heads) + 1),
    ]
    for row, title in ROWS.items():
        cells = [f"{found[row]:,.1f}" for found in sizes.values()]
        lines.append(f"| {title} | " + " | ".join(cells) + f" | {growth(sizes, row)} |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SIZES)
    given = parser.parse_args()
    made = about()
    stem = RESULTS / f"scale-{made['date']}"
    file = stem.with_suffix(".json")
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["sizes"] if file.exists() else {}
    for name, size in SIZES.items():
        if given.only in (None, name):
            found[name] = measure(size)
            print(name, found[name])
            found = {key: found[key] for key in SIZES if key in found}
            file.write_text(json.dumps({"about": made, "sizes": found}, indent=1) + "\n", encoding="utf-8")
            stem.with_suffix(".md").write_text(page(made, found), encoding="utf-8")
    print(f"wrote {stem}.md")


if __name__ == "__main__":
    main()
