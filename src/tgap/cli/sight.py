"""What a question may see: the options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_OPTIONS = (
    click.option("--past-only", is_flag=True, help="A question sees only what lies strictly before its time."),
    click.option("--as-of", metavar="TIME", help="A question sees nothing later than this."),
)


def sight_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --past-only and --as-of."""
    for option in _OPTIONS:
        command = option(command)
    return command
