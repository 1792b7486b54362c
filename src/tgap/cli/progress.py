"""Progress bars for work that is counted in queries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tgap.evaluation.scoring import Progress

_QUIET_SECONDS = 60.0


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


@contextmanager
def long_progress(name: str) -> Iterator[Progress]:
    """A bar for work of hours; where there is no terminal, a plain line a minute with rate and time left."""
    from tgap.cli.terminal import make_console
    from tgap.cli.train_display import duration

    console = make_console(stderr=True)
    begun = told = time.monotonic()
    before: int | None = None  # done by an earlier call

    def tell(done: int, total: int) -> None:
        nonlocal before, told
        now = time.monotonic()
        before = done if before is None else before
        if now - told >= _QUIET_SECONDS and done > before:
            told, rate = now, (done - before) / (now - begun)
            left = f"{duration((total - done) / rate)} left"
            console.print(f"{name} {done:,}/{total:,}  {rate:,.0f} queries/s  {left}", highlight=False)

    if not console.is_terminal:
        yield tell
        return
    with progress_bars() as track:
        yield track(name)
