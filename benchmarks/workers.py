"""What workers bring: training on ICEWS14 by one worker of one thread, by two of them, and by one of two threads.

python -m benchmarks.workers                 every team, half a minute each
python -m benchmarks.workers --only 2x1      one of them; adds to what has been measured today
python -m benchmarks.workers --fresh         forgets what has been measured today

Queries per second are those of quiet stretches: ten steps each, after the first twenty steps, in which kernels are
loaded and pages are touched, and without those in which processes that are not ours had more than a twentieth of a
core. How long was left out is told. Two runs that know nothing of each other are the most that two workers can reach
on a machine: what they lose is shared caches and memory, not exchange and waiting.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil  # type: ignore[import-untyped, unused-ignore]

from benchmarks.engine_report import RESULTS, about
from tgap.runs import RunFolder

FIRST, STRETCH = 20, 10  # steps
FOREIGN = 0.05  # cores that others may have in a quiet stretch
QUICK = ("--set", "validation_queries=100", "--set", f"log_steps={STRETCH}")


class Team(NamedTuple):
    title: str
    workers: int
    threads: int
    batch: int = 32  # of each worker
    runs: int = 1  # at once, independent of each other


TEAMS = {
    "1x1": Team("one worker of one thread", 1, 1),
    "2x1": Team("two workers of one thread", 2, 1),
    "1x2": Team("one worker of two threads", 1, 2),
    "twice": Team("two independent runs of one thread", 1, 1, runs=2),
    "half": Team("two workers of one thread, half the batch each", 2, 1, batch=16),
}


@dataclass
class Watch:
    """Processor time of the machine and of some processes with their children; looking costs some, too."""

    processes: Sequence[subprocess.Popen[bytes]]
    clock: list[float] = field(default_factory=list)
    machine: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)

    def until_done(self) -> None:
        while any(process.poll() is None for process in self.processes):
            times = psutil.cpu_times()
            self.clock.append(time.monotonic())
            self.machine.append(times.user + times.nice + times.system)
            self.ours.append(sum(map(_spent, self.processes)))
            time.sleep(0.5)

    def foreign(self, begin: float, end: float) -> float:
        """Cores that others had in a stretch of time."""
        machine, ours = (
            float(np.diff(np.interp([begin, end], self.clock, one))[0]) for one in (self.machine, self.ours)
        )
        return (machine - ours) / (end - begin)


def _spent(process: subprocess.Popen[bytes]) -> float:
    try:
        root = psutil.Process(process.pid)
        return sum(sum(one.cpu_times()[:2]) for one in [root, *root.children(recursive=True)])
    except psutil.NoSuchProcess:
        return 0.0


def measure(dataset: str, team: Team, minutes: float) -> dict[str, float]:
    """Queries, seconds and steps of quiet stretches, and how many seconds were not quiet."""
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place) / f"run-{number}" for number in range(team.runs)]
        processes = [
            subprocess.Popen(_command(dataset, team, minutes, folder, seed), stdout=subprocess.DEVNULL)
            for seed, folder in enumerate(folders)
        ]
        watch, first_seen = Watch(processes), [0.0] * team.runs
        readers = [
            threading.Thread(target=_note_begin, args=(folder, first_seen, number))
            for number, folder in enumerate(folders)
        ]
        for reader in readers:
            reader.start()
        watch.until_done()
        assert not any(process.returncode for process in processes), "a training failed"
        found = {"queries": 0.0, "seconds": 0.0, "steps": 0.0, "left_out_seconds": 0.0}
        for folder, begun in zip(folders, first_seen, strict=True):
            for begin, end, queries in _stretches(RunFolder(folder)):
                if watch.foreign(begun + begin, begun + end) > FOREIGN:
                    found["left_out_seconds"] += end - begin
                else:
                    found["queries"] += queries
                    found["seconds"] += end - begin
                    found["steps"] += STRETCH
    return found


def _command(dataset: str, team: Team, minutes: float, folder: Path, seed: int) -> list[str]:
    line = [sys.executable, "-m", "tgap", "train", "--dataset", dataset, "--out", str(folder), *QUICK]
    line += ["--set", f"training.batch_size={team.batch}", "--set", f"seed={seed}"]
    return [*line, "--set", f"max_minutes={minutes}", "--workers", str(team.workers), "--threads", str(team.threads)]


def _note_begin(folder: Path, begun: list[float], number: int) -> None:
    """When training began by our clock: a line of metrics stands in its file as soon as its steps are taken."""
    file = folder / "metrics.jsonl"
    while not file.exists() or not file.stat().st_size:
        time.sleep(0.01)
    begun[number] = time.monotonic() - json.loads(file.read_text(encoding="utf-8").splitlines()[0])["seconds"]


def _stretches(folder: RunFolder) -> Iterator[tuple[float, float, float]]:
    """Begin, end and queries of each."""
    epoch = 2 * int(folder.environment()["dataset"]["train"])
    lines = [found for found in folder.metrics() if found["kind"] == "steps" and not found.get("partial")]
    lines = lines[FIRST // STRETCH - 1 :]
    for one, next_one in pairwise(lines):
        yield one["seconds"], next_one["seconds"], (next_one["epochs"] - one["epochs"]) * epoch


def rate(team: Team, row: dict[str, float]) -> float:
    """Queries per second of the whole team."""
    return team.runs * row["queries"] / row["seconds"] if row["seconds"] else float("nan")


def page(made: dict[str, str], dataset: str, found: dict[str, dict[str, float]]) -> str:
    base = rate(TEAMS["1x1"], found["1x1"]) if "1x1" in found else float("nan")
    lines = [
        f"# Training by workers, {made['date']}",
        "",
        "Command: `python -m benchmarks.workers`, several times, with other trainings of the machine paused.",
        "",
        ", ".join(f"{key} {value}" for key, value in made.items()),
        "",
        f"T-GAP with its recommended settings on {dataset}. Measured in stretches of {STRETCH} steps; those in which",
        f"other processes had more than {FOREIGN:g} cores are left out.",
        "",
        "| | queries per second | times one of one | queries per step | ms per step | steps | seconds left out |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, team in TEAMS.items():
        if name in found and found[name]["steps"]:
            row = found[name]
            lines.append(
                f"| {team.title} | {rate(team, row):,.1f} | {rate(team, row) / base:.2f} | "
                f"{row['queries'] / row['steps']:.1f} | {1000 * row['seconds'] / row['steps']:.1f} | "
                f"{row['steps']:,.0f} | {row['left_out_seconds']:.0f} |"
            )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="icews14")
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--only", choices=TEAMS, action="append")
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    made = about()
    stem = RESULTS / f"workers-{made['date']}"
    file = stem.with_suffix(".json")
    found: dict[str, dict[str, Any]] = {}
    if file.exists() and not given.fresh:
        found = json.loads(file.read_text(encoding="utf-8"))["teams"]
    for name in given.only or TEAMS:
        fresh = measure(given.dataset, TEAMS[name], given.minutes)
        found[name] = {key: round(value + found.get(name, {}).get(key, 0.0), 3) for key, value in fresh.items()}
        print(name, {key: round(value, 1) for key, value in fresh.items()}, flush=True)
        file.write_text(json.dumps({"about": made, "teams": found}, indent=1) + "\n", encoding="utf-8")
        stem.with_suffix(".md").write_text(page(made, given.dataset, found), encoding="utf-8")
    print(f"wrote {stem}.md")


if __name__ == "__main__":
    main()
