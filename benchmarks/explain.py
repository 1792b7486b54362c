"""How long does an explanation take? Warm questions in one process; on demand the displacement study of a split.

    python benchmarks/explain.py icews14                  100 questions; writes results/explain-DATE.{md,json}
    python benchmarks/explain.py icews14 --study tail     also the profile of all test questions of a side
    python benchmarks/explain.py icews14 --study tail --every 8    of every eighth day only, and what all would take
    python benchmarks/explain.py icews14 --quick          prints only

Questions are drawn from the test split with a fixed seed, both sides. Each is asked twice: the first time computes the
features of its day, the second finds them in the cache, as a user does who asks again about the same day.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tgap.waiting import wait_briefly

wait_briefly()
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="run folder or name of a pretrained run")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--study", choices=["tail", "head", "both"], help="also time the study over the test split")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th time of the split")
    parser.add_argument("--quick", action="store_true", help="write no result file")
    arguments = parser.parse_args()
    figures = measure(arguments.run, arguments.questions, arguments.study, arguments.every)
    report = page(figures)
    print(report)
    if not arguments.quick:
        RESULTS.mkdir(exist_ok=True)
        file = RESULTS / f"explain-{figures['date']}"
        file.with_suffix(".md").write_text(report, encoding="utf-8")
        file.with_suffix(".json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def measure(run: str, questions: int, study: str | None, every: int) -> dict[str, Any]:
    """Milliseconds of explanations, seconds of the study."""
    import torch

    from tgap.asking.load import load_model
    from tgap.studies.relation_profiles import queries_profile
    from tgap.studies.split_questions import split_questions

    load = round(os.getloadavg()[0], 1)  # of others: 0 on an idle machine
    model = load_model(run)
    data = model.dataset
    facts = np.random.default_rng(0).choice(len(data.test.subject), size=questions, replace=False)
    asked = []
    for place in facts.tolist():
        fact = data.test[place]
        subject, obj = data.entities.name(fact.subject), data.entities.name(fact.object)
        ends = (subject, "?") if place % 2 else ("?", obj)
        asked.append((ends[0], data.relations.name(fact.relation), ends[1], data.timeline.format(fact.time)))

    wanted: dict[str, Callable[[tuple[str, str, str, str]], object]] = {
        "walk only, first question about a day": lambda asked: model.explain(*asked, effects=0),
        "walk only, warm": lambda asked: model.explain(*asked, effects=0),
        "sentence alone (20 effects), warm": lambda asked: model.why(*asked),
        "full explanation (20 effects), warm": lambda asked: model.explain(*asked),
    }
    model.explain(*asked[0])  # kernels are loaded
    rows: dict[str, list[float]] = {name: [] for name in wanted}
    for question in asked:
        for name, work in wanted.items():
            rows[name].append(milliseconds(partial(work, question)))
    figures: dict[str, Any] = {
        "load": load,
        "date": date.today().isoformat(),
        "machine": f"{platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores",
        "versions": f"Python {platform.python_version()}, torch {torch.__version__}",
        "dataset": data.name,
        "questions": questions,
        "milliseconds": {name: spread(values) for name, values in rows.items()},
    }
    if study is not None:
        whole = split_questions(data, "test", study).batch
        batch = whole.take(np.flatnonzero(whole.time % every == 0))
        seconds = milliseconds(lambda: queries_profile(model.walker, batch)) / 1000
        figures["study"] = {
            "side": study,
            "every": every,
            "questions": len(batch),
            "seconds": round(seconds, 1),
            "whole_split": {"questions": len(whole), "seconds": round(seconds * len(whole) / len(batch))},
        }
    return figures


def milliseconds(work: Callable[[], object]) -> float:
    """How long ``work`` takes."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def spread(values: list[float]) -> dict[str, float]:
    """Median, ninth decile, worst."""
    middle, high = np.percentile(values, [50, 90]).tolist()
    return {"median": round(middle, 1), "p90": round(high, 1), "worst": round(max(values), 1)}


def page(figures: dict[str, Any]) -> str:
    """The figures for people."""
    lines = [
        f"# Explanations, {figures['date']}",
        "",
        f"{figures['machine']}; {figures['versions']}; {figures['dataset']}, {figures['questions']} test questions.",
        f"Load average before the start {figures['load']} (what other programs took).",
        "Made by `python benchmarks/explain.py`: `Model.explain` in one process, milliseconds.",
        "",
        "| | median | p90 | worst |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, row in figures["milliseconds"].items():
        lines.append(f"| {name} | {row['median']} | {row['p90']} | {row['worst']} |")
    if "study" in figures:
        study = figures["study"]
        asked = f"{study['questions']:,} test questions ({study['side']})"
        line = f"Displacement profile over {asked}: {study['seconds']} s"
        if study["every"] > 1:
            whole = study["whole_split"]
            line += (
                f" (every {study['every']}th day; at that rate all {whole['questions']:,} take {whole['seconds']} s)"
            )
        lines += ["", f"{line}."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
