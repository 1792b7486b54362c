"""What a search has found so far: the best settings, a table of all trials, which settings mattered, a figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from optuna.importance import get_param_importances
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from tgap.config import RunConfig
from tgap.runs.files import write_bytes, write_text
from tgap.text import Table
from tgap.tuning.space import Space
from tgap.tuning.study import StudyFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STATES = {
    TrialState.COMPLETE: "done",
    TrialState.PRUNED: "cut short",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "waiting",
}
_METRICS = {"mrr": "MRR", "hits1": "Hits@1"}


class Found(NamedTuple):
    """The state of a search."""

    trials: list[FrozenTrial]  # in their order, those that have values
    best: FrozenTrial | None
    importance: Mapping[str, float]  # share of the differences that a setting explains; empty for few trials
    metric: str


def found_by(study: Study, space: Space) -> Found:
    """Read a study."""
    trials = [trial for trial in study.get_trials(deepcopy=False) if trial.params]
    done = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    best = max(done, key=lambda trial: trial.value or 0.0, default=None)
    varied = len({trial.value for trial in done}) > 1 and len(done) >= 2 * len(space.settings)
    importance = get_param_importances(study) if varied else {}
    return Found(trials, best, importance, _METRICS[space.metric])


def trials_table(found: Found) -> Table:
    """All trials, the best first, then those without a result."""
    names = list(found.trials[0].params) if found.trials else []
    ordered = sorted(found.trials, key=lambda trial: (trial.value is None, -(trial.value or 0.0), trial.number))
    rows = [
        (
            str(trial.number),
            _STATES[trial.state],
            "" if trial.value is None else f"{trial.value:.4f}",
            *(_short(trial.params.get(name, "")) for name in names),
        )
        for trial in ordered
    ]
    columns = ("Trial", "State", found.metric, *(name.partition(".")[2] or name for name in names))
    return Table.numbers("Trials, validation, time-filtered", columns, tuple(rows), numbers_from=2)


def importance_table(found: Found) -> Table:
    """Which settings made the difference."""
    rows = tuple((name, f"{100 * share:.0f} %") for name, share in found.importance.items())
    return Table.numbers("What made the difference", ("Setting", "Share"), rows, numbers_from=1)


def write_found(folder: StudyFolder, base: RunConfig, space: Space, study: Study) -> None:
    """Read a study and write all files but the journal, each as a whole; a process that read earlier writes earlier."""
    with folder.locked():
        _write(folder, base, space, found_by(study, space))


def _write(folder: StudyFolder, base: RunConfig, space: Space, found: Found) -> None:
    table = trials_table(found)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("trial", "state", space.metric, *space.settings))
    for trial in found.trials:
        cells = [trial.params.get(name, "") for name in space.settings]
        writer.writerow((trial.number, _STATES[trial.state], "" if trial.value is None else trial.value, *cells))
    write_text(folder.path / "trials.csv", text.getvalue())
    parts = [f"# Settings of {base.method} for {base.dataset}", table.markdown()]
    if found.importance:
        parts.insert(1, importance_table(found).markdown())
    write_text(folder.path / "tuning.md", "\n\n".join(parts))
    if found.best is not None:
        write_text(folder.best_file, space.config(base, found.best.params).to_toml())
        write_bytes(folder.path / "tuning.png", _png(found))


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _png(found: Found) -> bytes:
    buffer = io.BytesIO()
    tuning_figure(found).savefig(buffer, format="png", dpi=120)
    return buffer.getvalue()


def tuning_figure(found: Found) -> Figure:
    """Left, results in the order of trials with the best so far; right, which settings mattered."""
    from matplotlib.figure import Figure  # noqa: PLC0415  half a second that only this needs

    figure = Figure(figsize=(10, 4), layout="constrained")  # no pyplot: no global state, no display
    course, shares = figure.subplots(1, 2)
    done = [trial for trial in found.trials if trial.state == TrialState.COMPLETE and trial.value is not None]
    numbers, values = [trial.number for trial in done], [trial.value or 0.0 for trial in done]
    course.scatter(numbers, values, s=18, color="#4477aa", label="trial")
    best_so_far = [max(values[: at + 1]) for at in range(len(values))]
    course.step(numbers, best_so_far, where="post", color="#aa3344", label="best so far")
    course.set_xlabel("trial")
    course.set_ylabel(f"{found.metric}, validation, time-filtered")
    course.legend(frameon=False)
    names = list(found.importance)[::-1]
    shares.barh(names, [100 * found.importance[name] for name in names], color="#4477aa")
    shares.set_xlabel("share of the differences between trials, %")
    shares.set_title("" if names else "too few trials to tell what mattered", fontsize=10)
    return figure
