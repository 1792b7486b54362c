"""Kernels: array in, array out. ``backend("compiled")`` is the fast one, ``backend("reference")`` the definition."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tgap.errors import ConfigError
from tgap.kernels.backend import Backend

__all__ = ["Backend", "backend", "flush_denormals", "num_threads", "set_threads"]


def backend(name: str = "compiled") -> Backend:
    """The implementation called ``name``; numba is loaded only for the compiled one."""
    if name == "compiled":
        from tgap.kernels.compiled import CompiledBackend  # noqa: PLC0415
        from tgap.kernels.notice import announce_compilation  # noqa: PLC0415

        announce_compilation()
        return CompiledBackend()
    if name == "reference":
        from tgap.kernels.reference import ReferenceBackend  # noqa: PLC0415

        return ReferenceBackend()
    raise ConfigError(f"unknown backend {name!r}; expected compiled or reference")


def set_threads(count: int | None, whole_process: bool = False) -> int:
    """See ``threads.set_threads``."""
    from tgap.kernels import threads  # noqa: PLC0415

    return threads.set_threads(count, whole_process)


def num_threads() -> int:
    """Threads in use."""
    from tgap.kernels import threads  # noqa: PLC0415

    return threads.num_threads()


def flush_denormals() -> AbstractContextManager[None]:
    """See ``threads.flush_denormals``."""
    from tgap.kernels import threads  # noqa: PLC0415

    return threads.flush_denormals()
