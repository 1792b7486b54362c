"""A process that serves a scorer which takes a second: to be stopped in the middle of an answer.

It prints its address, and "begun" when an answer is being computed.
"""

from __future__ import annotations

import time

from tests.server.slow import SlowScorer, slow_service
from tgap.scorer import FloatArray, QueryBatch
from tgap.server.app import create_app
from tgap.server.log import set_up_log
from tgap.server.serving import address_of, listen, serve


def main() -> None:
    scorer, service = slow_service()
    quick = scorer.score

    def slow(queries: QueryBatch) -> FloatArray:
        print("begun", flush=True)  # noqa: T201
        time.sleep(1)
        return quick(queries)

    bound = listen("127.0.0.1", 0)
    app = create_app(service, initialise=lambda: setattr(scorer, "score", _after_the_first(slow, scorer)))
    set_up_log(access=True)
    serve(app, bound, patience=20, started=lambda: print(address_of(bound), flush=True))  # noqa: T201


def _after_the_first(slow: object, scorer: SlowScorer) -> object:
    """The first answer warms the server up and is quick."""
    quick = scorer.score

    def first(queries: QueryBatch) -> FloatArray:
        scorer.score = slow  # type: ignore[assignment, method-assign]
        return quick(queries)

    return first


if __name__ == "__main__":
    main()
