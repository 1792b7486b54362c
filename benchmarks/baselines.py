"""What does a trained baseline cost? Seconds per epoch, seconds per evaluation, memory; one process per method.

    python benchmarks/baselines.py                    all baselines on ICEWS14; writes results/baselines-DATE.{md,json}
    python benchmarks/baselines.py --quick            a few batches each, prints only
    python benchmarks/baselines.py --methods tntcomplex --set model.rank=500

A number of batches is timed after two that are not, and an epoch is reckoned from them; the evaluation ranks a random
sample of test queries and is reckoned for the whole split. Processor time is told beside it: where it falls far short
of threads x seconds, other programs had the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

from tgap.waiting import wait_briefly

wait_briefly()
RESULTS = Path(__file__).parent / "results"
WARM = 2  # batches that are not timed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="icews14")
    parser.add_argument("--methods", help="names between commas; all trained baselines unless told")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting of all")
    parser.add_argument("--batches", type=int, default=30, help="batches that are timed")
    parser.add_argument("--queries", type=int, default=4000, help="test queries that are ranked")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="5 batches, 500 queries, no result file")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # measure this method in this process, print JSON
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.batches, arguments.queries = 5, 500
    if arguments.one:
        print(json.dumps(measure(arguments)))
        return
    names = arguments.methods.split(",") if arguments.methods else trained_baselines()
    figures = {
        "date": date.today().isoformat(),
        "load": round(os.getloadavg()[0], 1),
        "machine": f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores",
        "python": platform.python_version(),
        "dataset": arguments.dataset,
        "threads": arguments.threads,
        "settings": arguments.set,
        "methods": [in_own_process(name) for name in names],
    }
    report = page(figures)
    print(report)
    if not arguments.quick:
        file = RESULTS / f"baselines-{figures['date']}"
        file.with_suffix(".md").write_text(report, encoding="utf-8")
        file.with_suffix(".json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def trained_baselines() -> list[str]:
    """Names from the table of methods, in its order."""
    from tgap.methods import METHODS, find_method

    return [name for name, place in METHODS.items() if ".baselines." in place and find_method(name).learn is not None]


def in_own_process(name: str) -> dict[str, Any]:
    """The figures of one method, measured where no other has left its memory."""
    done = subprocess.run([sys.executable, *sys.argv, "--one", name], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Seconds and memory of one method."""
    from tgap.cli.words import parse_settings
    from tgap.data import load_dataset
    from tgap.evaluation import evaluate
    from tgap.kernels import set_threads
    from tgap.methods import config_for, find_method, make_learner
    from tgap.runs.environment import peak_memory_megabytes

    set_threads(arguments.threads, whole_process=True)  # as the commands that train and evaluate do
    data = load_dataset(arguments.dataset)
    config = config_for(arguments.one, arguments.dataset)
    config = config.with_values(config.values_of(parse_settings(arguments.set)))
    learner = make_learner(config, data)
    optimiser, plan = learner.optimiser(), learner.plan(0)
    batches = min(arguments.batches, len(plan) - WARM)
    clock = (0.0, 0.0)
    for index in range(WARM + batches):
        if index == WARM:
            clock = (time.perf_counter(), time.process_time())
        optimiser.zero_grad(set_to_none=True)
        learner.module(plan[index]).value.backward()
        optimiser.step()
    share = len(plan) / batches
    seconds = share * (time.perf_counter() - clock[0])
    processor = share * (time.process_time() - clock[1])
    learner.module.eval()
    report = evaluate(
        learner.scorer(), data, "test", batch_size=config.evaluation.batch_size, limit=arguments.queries
    ).report
    return {
        "method": find_method(arguments.one).title,
        "rank": config.model.model_dump()["rank"],
        "numbers": sum(parameter.numel() for parameter in learner.module.parameters()),
        "epoch_seconds": round(seconds, 1),
        "epoch_processor_seconds": round(processor, 1),
        "evaluation_seconds": round(report.seconds * report.available / report.queries, 1),
        "peak_megabytes": peak_memory_megabytes(),
    }


def page(figures: dict[str, Any]) -> str:
    """The figures as Markdown."""
    changed = f", with {', '.join(figures['settings'])}" if figures["settings"] else ""
    lines = [
        f"# Trained baselines, {figures['date']}",
        "",
        f"{figures['machine']}; Python {figures['python']}.",
        f"{figures['dataset']}, {figures['threads']} threads{changed}.",
        f"Load average before the start {figures['load']} (what other programs took).",
        "Made by `python benchmarks/baselines.py`.",
        "",
        "| method | rank | numbers | s per epoch | processor s | s per test evaluation | peak MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {row['method']} | {row['rank']} | {row['numbers']:,} | {row['epoch_seconds']} | "
        f"{row['epoch_processor_seconds']} | {row['evaluation_seconds']} | {row['peak_megabytes']:,.0f} |"
        for row in figures["methods"]
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
