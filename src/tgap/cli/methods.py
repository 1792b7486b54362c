"""tgap methods: what can be trained and asked."""

from __future__ import annotations

import click


@click.command("methods")
def methods() -> None:
    """List the methods: their names for --method, and one line about each.

    \b
    Example:
      tgap train --dataset icews14 --method recency
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from tgap.methods import METHODS, find_method

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("Method", "Learns", "Presets", "What it does"):
        table.add_column(column, no_wrap=column == "Method")
    for name in METHODS:
        method = find_method(name)
        table.add_row(name, "yes" if method.learn else "no", ", ".join(method.presets), method.summary)
    Console().print(table)
