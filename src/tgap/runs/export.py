"""From a run to the small form that is shipped: config, environment, report and weights, nothing to resume from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tgap.errors import ConfigError, RunError
from tgap.evaluation.export import FORMAT
from tgap.runs.changes import changed_settings
from tgap.runs.files import read_tensors, write_json, write_tensors, writing
from tgap.runs.folder import TGAP_SCORER, RunFolder, find_run

# Settings that fit the same weights and leave their meaning alone: how much of the graph is looked at, and how.
ADJUSTABLE = tuple(
    f"model.{name}"
    for name in ("core_nodes", "sampled_edges", "added_edges", "walk_cap", "gather_cap", "cap_choice", "lazy")
)
_OWN = frozenset({"status", "epochs", "steps", "seconds", "last", "validation", "changed"})  # keys of a run's report
_HEADLINES = ("raw", "static", "time", "split", "queries")


def export_run(
    run: str | Path, folder: Path, figures: Mapping[str, Any] | None = None, changes: Mapping[str, str] | None = None
) -> RunFolder:
    """Write the small form of a run to a new or empty folder, weights in float32.

    ``figures`` are added to the report (test results, say). ``changes`` sets other values in the copy's config; the
    report keeps old and new ones under "changed", because training and its validation figures were made with the old.
    """
    source = find_run(run)
    before = source.config()
    after = before.with_values(changes or {})
    changed = changed_settings(before, after)
    refused = [key for key in changed if key not in ADJUSTABLE and not key.startswith("evaluation.")]
    if refused:
        raise ConfigError(
            f"{refused[0]} is {changed[refused[0]][0]} in {source.path} and cannot be changed by an export: it belongs "
            f"to how the weights were made; only {', '.join(ADJUSTABLE)} and evaluation.* can, else train again"
        )
    for name in sorted(_OWN & set(figures or {})):
        raise RunError(f"report.json has an entry {name!r} of its own; ship the figures under another name, like test")
    if before.scorer != TGAP_SCORER:
        raise RunError(f"{source.path} is a run of {before.scorer}, which has no weights; nothing needs to be exported")
    if not source.weights_file.exists():
        raise RunError(f"{source.path} has no weights to export; train on with: tgap train --resume {source.path}")
    with writing(folder):
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise RunError(f"{folder} exists already and is not an empty folder; choose another one, or empty it first")
    tensors, metadata = read_tensors(source.weights_file)
    small = {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
    report = {**source.report(), **(figures or {})}
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
    target.write_config(after)
    return target


def read_figures(path: Path, run: RunFolder) -> dict[str, Any]:
    """Read the headline figures of a file that tgap evaluate wrote about this very run's dataset and scorer.

    Breakdowns are left behind: what was measured, on which queries, is enough to ship.
    """
    from tgap.model.scorer import TGAPScorer  # noqa: PLC0415  compiled kernels, only where they are used

    remedy = "give a file that tgap evaluate --json wrote"
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {path}: {error}; {remedy}") from error
    if not isinstance(report, dict) or report.get("format") != FORMAT or any(key not in report for key in _HEADLINES):
        raise RunError(f"{path} is no report of an evaluation; {remedy}")
    dataset = run.environment().get("dataset", {})
    scorer = TGAPScorer.name if run.config().scorer == TGAP_SCORER else run.config().scorer
    expected = {"scorer": scorer, "dataset": dataset.get("name"), "entities": dataset.get("entities")}
    for key, value in expected.items():
        if value is not None and report.get(key) != value:
            raise RunError(
                f"{path} holds figures of another run: its {key} is {report.get(key)!r}, that of {run.path} is "
                f"{value!r}; write them with: tgap evaluate {run.path} --json {path}"
            )
    return {key: report[key] for key in _HEADLINES}
