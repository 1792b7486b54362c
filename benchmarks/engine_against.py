"""How fast is the engine beside that of another checkout? The same cases in both, in turn, in one run on one machine.

    python -m benchmarks.engine_against OTHER     written to benchmarks/results/engine-against-DATE.{md,json}
    python -m benchmarks.engine_against OTHER --only 'icews05-15 train'
    python -m benchmarks.engine_against OTHER --only 'icews14 train x20, batches of 32, ours 64'

OTHER is a checkout whose ``benchmarks/engine_cases.py`` has ``Case`` and ``measure``. Older ones know neither datasets
other than ICEWS14 nor the size x20; they are told. Each case runs in a process of its own, ours and theirs by turns, so
that a slow minute of the machine meets both; the lowest median of the rounds counts. Some cases let ours train in
larger batches, which learn as much from as many queries at a higher rate (docs/study-icews14.md).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.engine_report import RESULTS, about
from tgap.waiting import wait_briefly

HERE = Path(__file__).parents[1]
CASES: list[dict[str, Any]] = [
    {"dataset": dataset, "size": size, "threads": threads, "task": task, "batch": batch}
    for dataset, size in (("icews14", "x10"), ("icews14", "x20"), ("icews05-15", "x20"))
    for task, batch in (("train", 32), ("eval", 64))
    for threads in (1, 2)
]
LARGER: list[dict[str, Any]] = [{"our_batch": 64}, {"our_batch": 128}, {"our_batch": 64, "our_tuned": True}]
CASES += [
    {"dataset": dataset, "size": "x20", "threads": threads, "task": "train", "batch": 32, **ours}
    for dataset, kinds in (("icews14", LARGER[:2]), ("icews05-15", LARGER))  # the catalog's T-GAP is plain on ICEWS14
    for ours in kinds
    for threads in (1, 2)
]
CHILD = """
import dataclasses, json, sys
import benchmarks.engine_cases as cases
asked = json.loads(sys.argv[1])
known = {field.name for field in dataclasses.fields(cases.Case)}
if "dataset" not in known:
    from tgap import config
    from tgap.data import load_dataset
    data, model = load_dataset(asked.pop("dataset")), config.ModelConfig
    facts = tuple(getattr(data.train, name) for name in ("subject", "relation", "object", "time"))
    cases.load = lambda edges: (data.num_entities, data.num_relations, data.timeline.span, facts)
    x, y = {"x10": (10, 100), "x20": (20, 200)}[asked.pop("size")]
    config.ModelConfig = lambda **_: model(core_nodes=x, sampled_edges=y, added_edges=y)
print(json.dumps(cases.measure(cases.Case(**asked))))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", metavar="WORDS", help="only cases whose line in the table begins so")
    arguments = parser.parse_args()
    cases = [case for case in CASES if _name(case).startswith(arguments.only)]
    results = [compare(case, arguments.other, arguments.rounds) for case in cases]
    commit = subprocess.run(
        ["git", "-C", str(arguments.other), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    machine = about()
    stem = RESULTS / f"engine-against-{machine['date']}"
    table = json.dumps({"about": machine, "other": commit, "cases": results}, indent=1)
    stem.with_suffix(".json").write_text(table + "\n", encoding="utf-8")
    stem.with_suffix(".md").write_text(page(machine, commit, results), encoding="utf-8")
    print(page(machine, commit, results))


def compare(case: dict[str, Any], other: Path, rounds: int) -> dict[str, Any]:
    """Lowest medians of both checkouts and the ratio of times."""
    seen: dict[str, list[dict[str, Any]]] = defaultdict(list)
    asked = {key: value for key, value in case.items() if not key.startswith("our_")}
    own = asked | {key.removeprefix("our_"): value for key, value in case.items() if key not in asked}
    for _ in range(rounds):
        seen["theirs"].append(measure(asked, other))
        seen["ours"].append(measure(own, HERE))
    best = {name: min(run["ms"] for run in runs) for name, runs in seen.items()}
    memory = {name: max(run["rss_gb"] for run in runs) for name, runs in seen.items()}
    result = {**case, "ms": best, "rss_gb": memory, "times_as_fast": best["theirs"] / best["ours"]}
    print(result, file=sys.stderr, flush=True)
    return result


def measure(case: dict[str, Any], place: Path) -> dict[str, Any]:
    """One case in a process of a checkout."""
    paths = os.pathsep.join([str(place / "src"), str(place)])
    environment = {**os.environ, "PYTHONPATH": paths}
    if (place / "src" / "tgap" / "waiting.py").exists():
        wait_briefly(environment)
    else:  # as the commands of that time
        environment["OMP_WAIT_POLICY"] = "PASSIVE"
    command = [sys.executable, "-c", CHILD, json.dumps(case)]
    run = subprocess.run(command, cwd=place, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return result


def page(machine: dict[str, Any], commit: str, results: list[dict[str, Any]]) -> str:
    """The table as Markdown, and how much two threads bring."""
    lines = [
        f"# Engine beside {commit}, {machine['date']}",
        "",
        f"Command: `{shlex.join(['python', '-m', 'benchmarks.engine_against', 'CHECKOUT', *sys.argv[2:]])}`, idle.",
        "",
        ", ".join(f"{name} {value}" for name, value in machine.items()),
        "",
        f"| dataset | task | size | batch | threads | {commit}: ms per query | ours | times as fast | ours: peak GB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in results:
        cells = [row["dataset"], row["task"], row["size"], _batches(row), row["threads"]]
        cells += [f"{row['ms']['theirs']:.2f}", f"{row['ms']['ours']:.2f}", f"{row['times_as_fast']:.2f}"]
        lines.append("| " + " | ".join(str(cell) for cell in [*cells, f"{row['rss_gb']['ours']:.2f}"]) + " |")
    one = {_name(row): row["ms"] for row in results if row["threads"] == 1}
    lines += ["", "Two threads against one:", ""]
    for row in results:
        if row["threads"] == 2:
            key = _name(row)
            gain = {name: one[key][name] / row["ms"][name] for name in ("theirs", "ours")}
            lines.append(f"- {key}: {gain['ours']:.2f} times ({commit}: {gain['theirs']:.2f})")
    return "\n".join(lines) + "\n"


def _batches(row: dict[str, Any]) -> str:
    ours = f", ours {row['our_batch']}" if "our_batch" in row else ""
    return f"{row['batch']}{ours}{' with recommended settings' if 'our_tuned' in row else ''}"


def _name(row: dict[str, Any]) -> str:
    return f"{row['dataset']} {row['task']} {row['size']}, batches of {_batches(row)}"


if __name__ == "__main__":
    main()
