"""Carrying a plan out: train what is missing, rank everything, and write the comparison in all its forms."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tgap.data import LeakWarning, load_dataset
from tgap.evaluation.bootstrap import Bootstrap
from tgap.kernels import flush_denormals, num_threads
from tgap.runs.environment import describe_environment
from tgap.runs.files import write_text
from tgap.studies.comparison.document import Comparison, compare
from tgap.studies.comparison.page import comparison_page
from tgap.studies.comparison.plan import Entry, Plan
from tgap.studies.comparison.ranks_file import Questions
from tgap.studies.comparison.session import Limits, Outcome, Watcher, work_off
from tgap.studies.options import TrainOptions
from tgap.training.events import Listener
from tgap.training.interruption import Interruption

Watch = Callable[[Plan], AbstractContextManager[Watcher]]  # makes what watches a plan while it is carried out


class SilentWatcher:
    """Hears everything and shows nothing."""

    def training(self, entry: Entry) -> Listener:  # noqa: ARG002
        """A listener that does nothing."""
        return Listener()

    def scoring(self, entry: Entry) -> Callable[[int, int], None]:  # noqa: ARG002
        """A function that does nothing."""
        return lambda _done, _total: None

    def done(self, entry: Entry, outcome: Outcome) -> None:
        """Nothing is told."""


@contextmanager
def silently(plan: Plan) -> Iterator[Watcher]:  # noqa: ARG001
    """A ``Watch`` that shows nothing."""
    yield SilentWatcher()


def carry_out(
    plan: Plan, options: TrainOptions, watch: Watch | None = None, interruption: Interruption | None = None
) -> Comparison:
    """Work a plan off and write Markdown, CSV, JSON and a page to its folder.

    What is trained and ranked already is not done again. Raises ``InterruptionError`` where ``interruption`` asks for
    a stop, with everything saved.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # the notes under the table say it about these very queries
        data = load_dataset(plan.dataset).base
    limits = Limits(options.minutes, num_threads())
    with (watch or silently)(plan) as watcher, flush_denormals():
        outcomes = work_off(
            plan, data, Questions(options.split, options.limit), limits, watcher, interruption or Interruption()
        )
    found = compare(outcomes, data, Bootstrap(), describe_environment(data, num_threads()))
    forms = {"md": found.markdown(), "csv": found.csv(), "json": found.to_json() + "\n", "html": comparison_page(found)}
    for ending, text in forms.items():
        write_text(plan.out / f"comparison.{ending}", text)
    return found
