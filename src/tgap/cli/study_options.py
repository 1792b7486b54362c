"""Options that several studies have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
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


limit_option = click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Ask a random sample of so many queries."
)
minutes_option = click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="N",
    help="Longest training of each, over all resumes. [default: until its own end]",
)
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]"
)


def out_option(default: str) -> Callable[[Function], Function]:
    """The folder that everything goes to."""
    folder = click.Path(path_type=Path, file_okay=False)
    return click.option("--out", type=folder, metavar="FOLDER", help=f"[default: {default}]")
