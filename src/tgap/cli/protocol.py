"""The name of a ranking protocol on the command line. The table of protocols is read only when it is needed."""

from __future__ import annotations

from typing import Any

import click

ALL = "all"


class ProtocolName(click.ParamType[str]):
    """A name out of ``tgap.evaluation.PROTOCOLS``, or ``all``."""

    name = "protocol"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:  # noqa: ARG002
        """The names, for ``--help``."""
        return f"[{'|'.join(_names())}]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a protocol."""
        if value not in _names():
            self.fail(f"{value!r} is not one of {', '.join(_names())}", param, ctx)
        return str(value)


def _names() -> list[str]:
    from tgap.evaluation.protocols import PROTOCOLS

    return [ALL, *PROTOCOLS]
