"""Options that the commands share which ask questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_SIGHT = (
    click.option("--past-only", is_flag=True, help="A question sees only what lies strictly before its time."),
    click.option("--as-of", metavar="TIME", help="A question sees nothing later than this."),
)

dataset_option = click.option(
    "--dataset",
    metavar="NAME",
    help="Dataset for what is no run (recency, frequency, package.module:Class), or another one than the run learned "
    "from, whose relations have the same names.",
)
evidence_option = click.option(
    "--evidence",
    type=click.IntRange(min=0),
    metavar="K",
    default=0,
    help="Add to each best answer the K events that carried most of the way to it, with their measured effects.",
)


def sight_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --past-only and --as-of."""
    for option in _SIGHT:
        command = option(command)
    return command
