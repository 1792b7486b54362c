"""Short texts that tables and pictures share: percentages, shortened names."""

from __future__ import annotations

from tgap.explain.naming import INVERSE

# What the controls of a deletion check are called.
CONTROL_WORDS = (("random", "random facts that carried attention"), ("nearby", "random facts of the entity itself"))


def percent(share: float) -> str:
    """A share as a short percentage: 31 %, 4.2 %, 0.03 %, < 0.01 %."""
    value = 100 * share
    if 0 < value < 0.01:
        return "< 0.01 %"
    digits = 0 if value >= 9.95 or value == 0 else 1 if value >= 0.995 else 2
    return f"{value:.{digits}f} %"


def percent_change(drop: float) -> str:
    """A drop as a signed change: -31 %, +4.2 %; less than a hundredth of a percent is none."""
    if abs(drop) < 0.0001:
        return "0 %"
    return f"{'−' if drop >= 0 else '+'}{percent(abs(drop))}"


def counted(number: int, word: str) -> str:
    """A number with its noun: 1 edge, 1,200 edges."""
    return f"{number:,} {word}{'s' if number != 1 else ''}"


def shorten(text: str, most: int) -> str:
    """At most ``most`` letters, the end replaced by an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def short_label(relation: str, inverse: bool, most: int) -> str:
    """A relation in at most ``most`` letters; that it is inverse stays to be read."""
    mark = INVERSE if inverse else ""
    return shorten(relation, most - len(mark)) + mark
