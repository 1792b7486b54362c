"""tgap methods: what can be trained and asked."""

from __future__ import annotations

import click


@click.command("methods")
def methods() -> None:
    """List the methods: their names for --method, the tasks they can do, and one line about each.

    \b
    Example:
      tgap train --dataset icews14 --method recency
    """
    from tgap.cli.terminal import make_console, plain_table
    from tgap.methods import find_method, method_names

    flowing = ("Tasks", "Presets", "What it does")
    table = plain_table("Method", "Learns", *flowing, flowing=flowing)
    for name in method_names():
        method = find_method(name)
        learns = "yes" if method.learn else "no"
        table.add_row(name, learns, ", ".join(method.tasks), ", ".join(method.presets), method.summary)
    make_console().print(table)
