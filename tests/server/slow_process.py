"""Processes that serve a scorer whose answers wait: to be stopped in the middle of one.

Everything is imported once. For every folder that is named on the standard input a process is forked that serves until
it is stopped; its number, and in the end its exit code, are printed. The folder holds two pipes and gets a log: the
address comes out of ``out``, every line into ``in`` lets one answer go (without one they take for ever). Whoever asks
for /stuck holds up the event loop itself.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.server.slow import SlowScorer, slow_model
from tgap.scorer import FloatArray, QueryBatch
from tgap.server.app import create_app
from tgap.server.limits import Limits
from tgap.server.log import structured_log
from tgap.server.serving import address_of, listen, serve


def main() -> None:
    while folder := sys.stdin.readline().strip():
        number = os.fork()
        if not number:
            _serve(Path(folder))
            return
        print(number, flush=True)  # noqa: T201
        _, status = os.waitpid(number, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


def _serve(folder: Path) -> None:
    for name, flags, standard in (
        ("in", os.O_RDONLY, 0),
        ("out", os.O_WRONLY, 1),
        ("log", os.O_WRONLY | os.O_CREAT, 2),
    ):
        os.dup2(os.open(folder / name, flags), standard)
    scorer, model = slow_model()
    quick = scorer.score

    def slow(queries: QueryBatch) -> FloatArray:
        if not sys.stdin.readline():
            time.sleep(3600)
        return quick(queries)

    async def stuck() -> None:
        time.sleep(3600)  # in the event loop's own thread

    bound = listen("127.0.0.1", 0)
    app = create_app(
        model,
        limits=Limits(stop_seconds=1.0, leave_seconds=4.0),
        initialise=lambda: setattr(scorer, "score", _after_the_first(slow, scorer)),
    )
    app.add_api_route("/stuck", stuck)
    with structured_log(access=True):
        serve(app, bound, started=lambda: print(address_of(bound), flush=True))  # noqa: T201


def _after_the_first(slow: object, scorer: SlowScorer) -> object:
    """The first answer warms the server up and is quick."""
    quick = scorer.score

    def first(queries: QueryBatch) -> FloatArray:
        scorer.score = slow  # type: ignore[assignment, method-assign]
        return quick(queries)

    return first


if __name__ == "__main__":
    main()
