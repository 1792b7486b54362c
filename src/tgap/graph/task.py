"""Task: what a model is asked for, as a value: which facts it knows, and what of them a question sees.

* completion   a fact is missing somewhere in the known time: what happened before and after it may be seen.
* forecast     what happens next: a question sees only what lies strictly before its own time. When nothing is learned,
               facts of valid and test belong to the past of the questions after them, as in life.

A task is a setting of a run; a method says which ones it can do (``tgap.learner.Method``).
"""

from __future__ import annotations

from dataclasses import dataclass

from tgap.errors import ConfigError
from tgap.graph.setting import CONTEXTS, DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import View


@dataclass(frozen=True)
class Task:
    """What is asked for."""

    name: str  # in settings and on the command line
    summary: str  # one line for people who choose
    setting: EvaluationSetting  # once nothing is learned; its limits hold while learning too

    @property
    def limits(self) -> View:
        """What of the known facts a question sees."""
        return self.setting.limits


COMPLETION = Task("completion", "a fact is missing; what is known before and after it is seen", DEFAULT_SETTING)
FORECAST = Task(
    "forecast", "what happens next; only what lies before is seen", EvaluationSetting(CONTEXTS["all"]).past_only()
)
TASKS = {task.name: task for task in (COMPLETION, FORECAST)}


def find_task(name: str) -> Task:
    """A task by its name."""
    if name not in TASKS:
        raise ConfigError(f"unknown task {name!r}; expected one of {', '.join(TASKS)}")
    return TASKS[name]
