"""What the command line gives to long operations: a bar, a table of trainings, and an end on Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tgap.asking.operation import Operation
    from tgap.cli.compare_display import PlanDisplay
    from tgap.studies.comparison.plan import Plan


@contextmanager
def hooks_of(operation: Operation[Any, Any]) -> Iterator[dict[str, Any]]:
    """The arguments that ``operation.hooks`` names."""
    from tgap.cli.progress import progress_bars

    hooks: dict[str, Any] = {}
    with ExitStack() as bar:
        if operation.long:
            hooks["progress"] = bar.enter_context(progress_bars())(operation.title)
        if not operation.trains:
            yield hooks
            return
        with _training(bar) as more:
            yield {**hooks, **more}


@contextmanager
def _training(bar: ExitStack) -> Iterator[dict[str, Any]]:
    """A table of what is trained, in place of the bar; Ctrl-C ends the program with everything saved."""
    from tgap.cli.train import tell_stopping
    from tgap.training.interruption import Interruption, InterruptionError

    interruption, places = Interruption(), [""]

    def watch(plan: Plan) -> PlanDisplay:
        from tgap.cli.compare_display import PlanDisplay
        from tgap.cli.terminal import make_console

        bar.close()  # one thing at a time is drawn anew in a terminal
        places.append(f" in {plan.out}")
        return PlanDisplay(plan, make_console(stderr=True))  # standard output has results alone

    with interruption.on_signals(tell_stopping):
        try:
            yield {"watch": watch, "interruption": interruption}
        except InterruptionError:
            click.echo(f"Stopped; everything is saved{places[-1]}. The same command goes on from here.")
            raise SystemExit(128 + (interruption.signal_number or 0)) from None
