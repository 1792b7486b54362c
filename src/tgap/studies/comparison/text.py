"""What is printed of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tgap.studies.comparison.document import Comparison, footnotes, main_table, short_table
from tgap.text import Block, Line


def comparison_text(found: Comparison, out: Path) -> Iterator[Block]:
    """The table, what must be known to read it, and where it lies."""
    yield replace(main_table(found), narrow=short_table(found))
    yield from map(Line, footnotes(found))
    yield Line(f"wrote {out}/comparison.{{md,csv,json,html}}")
