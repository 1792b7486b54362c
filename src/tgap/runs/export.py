"""From a run to the small form that is shipped: config, environment, report and weights, nothing to resume from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tgap.data.stored import store_dataset
from tgap.errors import RunError
from tgap.evaluation import PROTOCOLS
from tgap.evaluation.export import FORMAT
from tgap.methods import find_method
from tgap.runs.files import read_tensors, write_json, write_tensors, writing
from tgap.runs.folder import RunFolder, find_run
from tgap.runs.load import adjust

_OWN = frozenset({"status", "epochs", "steps", "seconds", "last", "validation", "changed"})  # keys of a run's report
_BESIDE = ("split", "queries")  # what is kept of a report of an evaluation beside the metrics of each protocol


def export_run(
    run: str | Path,
    folder: Path,
    metrics: Mapping[str, Any] | None = None,
    changes: Mapping[str, Any] | None = None,
    with_data: bool = False,
) -> RunFolder:
    """Write the small form of a run to a new or empty folder, weights in float32.

    ``metrics`` are added to the report (test results, say). ``changes`` sets other values in the copy's config; the
    report keeps old and new ones under "changed", because training and its validation metrics were made with the old.
    ``with_data`` puts the dataset into the copy, so that the folder answers anywhere.
    """
    source = find_run(run)
    before = source.config()
    method = find_method(before.method)
    after = adjust(before, changes or {}, source.path)
    changed = before.changes(after)
    for name in sorted(_OWN & set(metrics or {})):
        raise RunError(f"report.json has an entry {name!r} of its own; ship the metrics under another name, like test")
    if method.learn is None:
        raise RunError(f"{source.path} is a run of {before.method}, which has no weights; nothing needs to be exported")
    if not source.weights_file.exists():
        raise RunError(f"{source.path} has no weights to export; train on with: tgap train --resume {source.path}")
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunError(f"{folder} exists already and is not an empty folder; choose another one, or empty it first")
    tensors, metadata = read_tensors(source.weights_file)
    small = {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
    report = {**source.report(), **(metrics or {})}
    earlier: dict[str, list[Any]] = report.get("changed", {})  # of an export of an export: trained with the first value
    record = {**earlier, **{key: [earlier.get(key, [old])[0], new] for key, (old, new) in changed.items()}}
    if record:
        report["changed"] = record
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    target = RunFolder(folder)
    write_tensors(target.weights_file, small, metadata)
    write_json(target.environment_file, source.environment())
    write_json(target.report_file, report)
    if with_data:
        store_dataset(source.dataset(before), target.data, f"copied with a run of {before.method}")
    target.write_config(after)
    calibration = source.calibration()
    if calibration is not None and not changed:  # other settings give other probabilities
        target.write_calibration(calibration)
    return target


def read_metrics(path: Path, run: RunFolder) -> dict[str, Any]:
    """Read the headline metrics of a file that tgap evaluate wrote about this very run's dataset and scorer.

    Breakdowns are left behind: what was measured, on which queries, is enough to ship.
    """
    remedy = "give a file that tgap evaluate --json wrote"
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {path}: {error}; {remedy}") from error
    protocols = report.get("protocols", list(PROTOCOLS)) if isinstance(report, dict) else ()
    kept = (*protocols, *_BESIDE)
    if not isinstance(report, dict) or report.get("format") != FORMAT or any(key not in report for key in kept):
        raise RunError(f"{path} is no report of an evaluation; {remedy}")
    dataset = run.environment().get("dataset", {})
    scorer = find_method(run.config().method).title
    expected = {"scorer": scorer, "dataset": dataset.get("name"), "entities": dataset.get("entities")}
    for key, value in expected.items():
        if value is not None and report.get(key) != value:
            raise RunError(
                f"{path} holds metrics of another run: its {key} is {report.get(key)!r}, that of {run.path} is "
                f"{value!r}; write them with: tgap evaluate {run.path} --json {path}"
            )
    return {key: report[key] for key in (*kept, "known") if key in report}  # older reports know the usual only
