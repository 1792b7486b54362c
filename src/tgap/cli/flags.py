"""The library speaks of arguments (`skip_bad`), the command line of flags (--skip-bad)."""

from __future__ import annotations

import re

_ARGUMENT = re.compile(r"`([a-z]+(?:_[a-z]+)*)`")


def as_flags(text: str) -> str:
    """A sentence of the library with the arguments that it names in backquotes written as flags.

    >>> as_flags("mend them or skip them with `skip_bad`; fetch it with `tgap data download x`")
    'mend them or skip them with --skip-bad; fetch it with `tgap data download x`'
    """
    return _ARGUMENT.sub(lambda match: "--" + match.group(1).replace("_", "-"), text)
