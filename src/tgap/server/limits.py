"""Limits of a running server. What a single request may ask for is bounded by its options (``tgap.asking``)."""

from __future__ import annotations

from dataclasses import dataclass

from tgap.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Settings of a running server."""

    body_bytes: int = 256 * 1024  # largest request body; beyond it 413
    waiting: int = 256  # requests that may compute or wait for it; beyond it 503 with Retry-After
    seconds: float = 30.0  # longest wait for an answer; beyond it 504
    cache_megabytes: int = 64  # bound on answers kept ready to be sent again
    connections: int = 1024  # open connections; a further one is told 503 and closed
    head_seconds: float = 10.0  # longest time without a request, from the connection or the last answer on
    body_seconds: float = 20.0  # longest time for a request's body; beyond it 408
    write_seconds: float = 20.0  # longest time in which a client reads nothing of its answer
    stop_seconds: float = 3.0  # after SIGTERM, for answers that were begun; then whoever waits is refused
    leave_seconds: float = 7.0  # after SIGTERM, the latest end of the process, whatever is still under way

    def __post_init__(self) -> None:
        seconds = ("seconds", "head_seconds", "body_seconds", "write_seconds", "stop_seconds", "leave_seconds")
        for name in ("body_bytes", "waiting", "connections", *seconds):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} of the server is {getattr(self, name)}; expected more than 0")
        if self.cache_megabytes < 0:
            raise ConfigError(f"cache_megabytes of the server is {self.cache_megabytes}; expected at least 0")
