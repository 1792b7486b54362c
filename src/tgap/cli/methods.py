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
    from tgap.cli.terminal import make_console, plain_table
    from tgap.methods import METHODS, find_method

    table = plain_table("Method", "Learns", "Presets", "What it does", flowing=("Presets", "What it does"))
    for name in METHODS:
        method = find_method(name)
        table.add_row(name, "yes" if method.learn else "no", ", ".join(method.presets), method.summary)
    make_console().print(table)
