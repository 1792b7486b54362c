"""Settings as the command line writes them: KEY=VALUE."""

from __future__ import annotations

from collections.abc import Sequence

from tgap.errors import ConfigError


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """Pairs of ``--set key=value``."""
    pairs = {}
    for text in settings:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise ConfigError(f"--set {text!r} is not KEY=VALUE; write for instance --set training.epochs=3")
        pairs[key.strip()] = value.strip()
    return pairs
