"""Working a plan off: train, score, keep; whatever is done already is not done again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tgap.config import RunConfig
from tgap.data import Dataset
from tgap.evaluation.protocols import Filters
from tgap.evaluation.scoring import Evaluation, evaluate
from tgap.methods import make_scorer
from tgap.methods.own import is_own
from tgap.runs.folder import create_run
from tgap.runs.load import load_scorer
from tgap.scorer import Scorer
from tgap.studies.comparison.plan import Entry, Plan
from tgap.studies.comparison.ranks_file import Questions, digest_of, read_ranks, write_ranks
from tgap.training.events import Listener
from tgap.training.interruption import Interruption, InterruptionError
from tgap.training.session import resumed_config, train


@dataclass(frozen=True)
class Outcome:
    """An entry that has been ranked."""

    entry: Entry
    config: RunConfig
    run_report: dict[str, Any]  # report.json of the run; empty where there is none
    evaluation: Evaluation


class Watcher(Protocol):
    """Hears how far a plan is."""

    def training(self, entry: Entry) -> Listener:
        """An entry is about to be trained; the listener hears the loop."""
        ...

    def scoring(self, entry: Entry) -> Callable[[int, int], None]:
        """An entry is about to be scored; the function hears how many queries of how many are done."""
        ...

    def done(self, entry: Entry, outcome: Outcome) -> None:
        """An entry has its ranks."""
        ...


@dataclass(frozen=True)
class Limits:
    """How long training may take and on how many threads."""

    minutes: float = 0.0  # per method, over all resumes; 0: until its own end
    threads: int | None = None


def work_off(
    plan: Plan, dataset: Dataset, questions: Questions, limits: Limits, watcher: Watcher, interruption: Interruption
) -> list[Outcome]:
    """All entries trained and ranked, in the order of the plan.

    Raises ``InterruptionError`` if it was asked to stop; the same call goes on from there.
    """
    filters = Filters.of(dataset)
    outcomes = []
    for entry in plan.entries:
        if entry.folder is not None and not entry.given:
            _train(entry, dataset, plan.dataset, limits, watcher, interruption)
        outcome = _rank(entry, plan, dataset, questions, filters, watcher, interruption)
        watcher.done(entry, outcome)
        outcomes.append(outcome)
    return outcomes


def _train(
    entry: Entry, dataset: Dataset, name: str, limits: Limits, watcher: Watcher, interruption: Interruption
) -> None:
    folder = entry.folder
    assert folder is not None, "only runs are trained"
    config = entry.config(name)
    limit = {"training.max_minutes": limits.minutes}
    if not folder.config_file.exists():
        config = config.with_values(limit)
        create_run(folder.path, config, dataset, limits.threads)
    folder.check_dataset(dataset)
    with folder.locked():
        if _is_trained(folder.report(), limits):
            return
        after = resumed_config(folder, config, limit)
        if config.changes(after):
            folder.write_config(after)
        trained = train(after, dataset, folder=folder, listeners=[watcher.training(entry)], interruption=interruption)
    if trained.reason == "interrupted":
        raise InterruptionError


def _is_trained(report: dict[str, Any], limits: Limits) -> bool:
    """Whether a run has come to its end, or to that of its time."""
    if report.get("status") in ("finished", "patience"):
        return True
    return report.get("status") == "time" and 0 < 60 * limits.minutes <= report["seconds"]


def _rank(
    entry: Entry,
    plan: Plan,
    dataset: Dataset,
    questions: Questions,
    filters: Filters,
    watcher: Watcher,
    interruption: Interruption,
) -> Outcome:
    config = entry.config(plan.dataset)
    report = entry.folder.report() if entry.folder is not None else {}
    path, digest = plan.ranks_file(entry), digest_of(entry, dataset, questions)
    kept = None if is_own(entry.name) else read_ranks(path, entry, dataset, questions, filters, digest)
    if kept is not None:
        return Outcome(entry, config, report, kept)
    tell = watcher.scoring(entry)

    def progress(done: int, total: int) -> None:
        interruption.check()
        tell(done, total)

    evaluation = evaluate(
        _scorer(entry, config, dataset),
        dataset,
        questions.split,
        batch_size=config.evaluation.batch_size,
        limit=questions.limit,
        seed=questions.seed,
        filters=filters,
        progress=progress,
    )
    write_ranks(path, evaluation, digest)
    named = replace(evaluation, report=replace(evaluation.report, scorer=entry.title))  # a variant has its own title
    return Outcome(entry, config, report, named)


def _scorer(entry: Entry, config: RunConfig, dataset: Dataset) -> Scorer:
    return make_scorer(config, dataset) if entry.folder is None else load_scorer(entry.folder.path).scorer


def best_first(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes by their headline MRR, the highest first."""
    return sorted(outcomes, key=lambda outcome: -outcome.evaluation.report.headline.mrr)
