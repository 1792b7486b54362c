"""How long does reading take, from the files of ICEWS05-15 to id arrays, against polars' own ``read_csv`` of them?

    python benchmarks/reading.py           20 rounds; writes benchmarks/results/reading-DATE.json
    python benchmarks/reading.py --quick   the same, nothing written

The bar: at most 4 times as long, in the same run. Takes the best round of each, alternating, so that both meet the same
machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import polars as pl

from tgap.data.catalog import find_files
from tgap.data.event_tables import read_events
from tgap.data.reading import Layout, of_files

BAR = 4.0
RESULTS = Path(__file__).parent / "results"


def read_plain(files: list[Path]) -> None:
    """Text columns and nothing else: the least that any reader has to do."""
    for file in files:
        pl.read_csv(file, separator="\t", has_header=False, quote_char=None, infer_schema=False)


def read_to_ids(files: list[Path]) -> None:
    read_events(of_files(files), Layout(header=False, separator="\t"))


def seconds(action: Callable[[list[Path]], None], files: list[Path]) -> float:
    start = time.perf_counter()
    action(files)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="icews05-15")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="write no result file")
    options = parser.parse_args()
    files = find_files(options.dataset)
    if files is None:
        raise SystemExit(f"{options.dataset} is not here; tgap data download {options.dataset}")
    rounds = [(seconds(read_plain, files), seconds(read_to_ids, files)) for _ in range(options.rounds + 1)][1:]
    plain, ids = (min(times) for times in zip(*rounds, strict=True))
    result = {
        "question": "reading to id arrays against polars read_csv of the same files",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "dataset": options.dataset,
        "megabytes": round(sum(file.stat().st_size for file in files) / 1e6, 1),
        "read_csv_seconds": round(plain, 4),
        "to_ids_seconds": round(ids, 4),
        "ratio": round(ids / plain, 2),
        "bar": BAR,
        "rounds": options.rounds,
        "load_average": round(os.getloadavg()[0], 1),  # well above 0: others were at work, which flatters the ratio
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "polars": version("polars"),
    }
    print(json.dumps(result, indent=2))
    if not options.quick:
        (RESULTS / f"reading-{result['date']}.json").write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
