"""Where and with what a run was made: versions, source, machine, data. Completed when training stops and goes on."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import tgap
from tgap.data import Dataset

_LIBRARIES = ("torch", "numpy", "numba", "polars", "safetensors")


def describe_environment(dataset: Dataset, threads: int | None, workers: int = 1) -> dict[str, Any]:
    """Describe code, machine and data, as `environment.json` holds them. No names of hosts, users or folders."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"tgap": tgap.__version__, "python": platform.python_version(), **_library_versions()},
        "source": source_revision(),
        "machine": {
            "platform": platform.platform(),
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory_gigabytes": _memory_gigabytes(),
            "threads": threads,  # of each worker
            "workers": workers,
        },
        "dataset": {
            "name": dataset.name,
            "checksum": dataset.checksum,
            "entities": dataset.num_entities,
            "relations": dataset.num_relations,
            "train": len(dataset.train),
            "valid": len(dataset.valid),
            "test": len(dataset.test),
        },
        "seconds": 0.0,
        "peak_memory_megabytes": None,
    }


def describe_resume(
    environment: Mapping[str, Any], dataset: Dataset, threads: int | None, workers: int = 1
) -> dict[str, Any]:
    """Entry of the list "resumed" in `environment.json`: the date, and what of code and machine is not as it was."""
    before, now = latest_environment(environment), describe_environment(dataset, threads, workers)
    entry: dict[str, Any] = {"date": now["created"]}
    for part in ("versions", "machine"):
        if differing := {key: value for key, value in now[part].items() if before[part].get(key) != value}:
            entry[part] = differing
    if now["source"] != before["source"]:
        entry["source"] = now["source"]
    return entry


def latest_environment(environment: Mapping[str, Any]) -> dict[str, Any]:
    """Versions, machine and source as they were when training last began or went on."""
    latest = {part: dict(environment.get(part, {})) for part in ("versions", "machine")}
    latest["machine"].setdefault("workers", 1)  # runs of before there could be more
    source = environment.get("source")
    for entry in environment.get("resumed", []):
        for part, known in latest.items():
            known.update(entry.get(part, {}))
        source = entry.get("source", source)
    return {**latest, "source": source}


def peak_memory_megabytes() -> float | None:
    """Tell the most memory this process has held so far; None where the system does not tell."""
    try:
        import resource  # noqa: PLC0415  not on every platform
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)


def source_revision() -> dict[str, Any] | None:
    """Commit of the checkout that this code runs from and whether its source was changed; None outside a checkout."""
    root = Path(tgap.__file__).resolve().parents[2]
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return None
    commit = _git(git, root, "rev-parse", "HEAD")
    if commit is None:
        return None
    return {"commit": commit, "changed": bool(_git(git, root, "status", "--porcelain", "--", "src"))}


def _git(program: str, root: Path, *arguments: str) -> str | None:
    done = subprocess.run(  # noqa: S603  fixed arguments, program found on the path
        [program, "-C", str(root), *arguments], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() if done.returncode == 0 else None


def _library_versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def _processor() -> str:
    """Model name of the processor, as Linux tells it; elsewhere what Python knows."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gigabytes() -> float | None:
    try:
        return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None
