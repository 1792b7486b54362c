"""What the words of a command line mean: the parts of a question, and settings as KEY=VALUE."""

from __future__ import annotations

from collections.abc import Sequence

from tgap.errors import ConfigError, QueryError

PARTS = "SUBJECT RELATION [OBJECT] TIME"


def split_parts(parts: tuple[str, ...], object_name: str | None) -> tuple[str, str, str | None, str]:
    """Subject, relation, object and time from three or four words on the command line."""
    if len(parts) not in (3, 4):
        raise QueryError(
            f"a question has three or four parts ({PARTS}), {len(parts)} were given; quote names that hold spaces"
        )
    if len(parts) == 4 and object_name is not None:
        raise QueryError("the object is given twice, as a part and by --object; leave one out")
    obj = parts[2] if len(parts) == 4 else object_name
    return parts[0], parts[1], obj, parts[-1]


def parse_settings(settings: Sequence[str]) -> dict[str, str]:
    """Pairs of ``--set key=value``."""
    pairs = {}
    for text in settings:
        key, sign, value = text.partition("=")
        if not sign or not key:
            raise ConfigError(f"--set {text!r} is not KEY=VALUE; write for instance --set training.epochs=3")
        pairs[key.strip()] = value.strip()
    return pairs
