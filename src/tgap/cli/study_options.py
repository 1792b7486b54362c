"""Options that several studies have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])

split_option = click.option(
    "--split",
    type=click.Choice(["train", "valid", "test"]),
    default="test",
    show_default=True,
    help="Facts to ask about.",
)
json_option = click.option(
    "--json", "json_file", metavar="FILE", help="Write every number as JSON; - prints JSON and nothing else."
)


def side_option(default: str) -> Callable[[Function], Function]:
    """Which side of the facts is asked for."""
    sides = click.Choice(["tail", "head", "both"])
    return click.option(
        "--side", type=sides, default=default, show_default=True, help="Side of the facts that is asked for."
    )


def seed_option(what: str) -> Callable[[Function], Function]:
    """A seed; ``what`` says of what."""
    return click.option(
        "--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help=f"Seed of {what}."
    )
