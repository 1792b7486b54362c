"""A process that serves a scorer whose answers wait: to be stopped in the middle of one.

It prints its address. Every line on its standard input lets one answer go; without one they take for ever. Whoever asks
for /stuck holds up the event loop itself.
"""

from __future__ import annotations

import sys
import time

from tests.server.slow import SlowScorer, slow_service
from tgap.scorer import FloatArray, QueryBatch
from tgap.server.app import create_app
from tgap.server.limits import Limits
from tgap.server.log import structured_log
from tgap.server.serving import address_of, listen, serve


def main() -> None:
    scorer, service = slow_service()
    quick = scorer.score

    def slow(queries: QueryBatch) -> FloatArray:
        if not sys.stdin.readline():
            time.sleep(3600)
        return quick(queries)

    async def stuck() -> None:
        time.sleep(3600)  # in the event loop's own thread

    bound = listen("127.0.0.1", 0)
    app = create_app(
        service,
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
