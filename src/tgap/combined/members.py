"""Runs that another method is built on."""

from __future__ import annotations

from pathlib import Path

from tgap.config import RunConfig
from tgap.errors import ConfigError


def check_member(setting: str, name: str, config: RunConfig) -> None:
    """Refuse a run that was made for another dataset or task, or that is not found from any folder."""
    from tgap.runs import find_run, shipped_runs  # noqa: PLC0415  only where such a method is used

    run = find_run(name)
    made, wanted = (f"{one.dataset} ({one.task})" for one in (run.config(), config))
    if made != wanted:
        raise ConfigError(f"{setting} {name} was made for {made}, not for {wanted}; name a run made for that")
    if name not in shipped_runs() and not Path(name).is_absolute():
        raise ConfigError(f"{setting} {name} is not found from other folders; write {run.path.resolve()}")
