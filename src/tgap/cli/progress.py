"""Progress bars for work that is counted in queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tgap.evaluation.scoring import Progress


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Progress]]:
    """Bars by name, on the error stream, with rate and time left; nothing where that is not a terminal."""
    from rich import progress as bars

    from tgap.cli.terminal import make_console

    console = make_console(stderr=True)
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TextColumn("{task.fields[rate]}"),
        bars.TimeRemainingColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:

        def track(name: str) -> Progress:
            task = progress.add_task(name, total=None, rate="")

            def update(done: int, total: int) -> None:
                speed = progress.tasks[task].speed
                rate = f"{speed:,.0f} queries/s" if speed else ""
                progress.update(task, completed=done, total=total, rate=rate)

            return update

        yield track
