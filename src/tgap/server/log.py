"""The log: one JSON object a line, so that programs can read what people can, too.

Whatever is said while the server runs goes through it: requests, our own bugs, warnings of libraries, notices of the
kernels, exceptions that nobody caught.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType

from tgap.data.display import shown_lines

_log = logging.getLogger("tgap.server")


class JsonLines(logging.Formatter):
    """A record as one line that cannot act on a terminal; ``extra={"fields": {...}}`` adds its entries."""

    def format(self, record: logging.LogRecord) -> str:
        """Encode a record."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return shown_lines(json.dumps(line, ensure_ascii=False, default=str))


@contextmanager
def structured_log(access: bool) -> Iterator[None]:
    """Inside, all records of the process go to stderr; ``access`` decides about the line for every request."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root, ours, requests = (logging.getLogger(name) for name in (None, "tgap", "tgap.server.access"))
    before = (root.handlers, root.level, ours.level, requests.disabled, sys.excepthook, threading.excepthook)
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    ours.setLevel(logging.INFO)
    requests.disabled = not access
    sys.excepthook = _uncaught
    threading.excepthook = lambda hook: _uncaught(hook.exc_type, hook.exc_value, hook.exc_traceback)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.handlers, root.level, ours.level, requests.disabled, sys.excepthook, threading.excepthook = before


def say(message: str, **fields: object) -> None:
    """A line about the server itself: that it listens, that it ends."""
    _log.info(message, extra={"fields": fields})


def _uncaught(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> None:
    _log.critical("an exception that nobody caught", exc_info=(kind, error or kind(), trace))
