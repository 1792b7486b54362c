"""Text as data: what a result prints, free of any terminal.

A result gives a list of blocks. The command line prints them with colours, ``markdown`` writes them for a page, and a
notebook shows the same words. So an operation says what it has to say once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Heading:
    """A short title."""

    text: str


@dataclass(frozen=True)
class Line:
    """A sentence, or several."""

    text: str
    style: Literal["plain", "strong", "result", "warning"] = "plain"


@dataclass(frozen=True)
class Item:
    """An entry of a list."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something the reader should know."""

    text: str


@dataclass(frozen=True)
class Blank:
    """An empty line."""


@dataclass(frozen=True)
class Table:
    """Cells as text, with a letter for each column in ``align``.

    ``r``: a number, to the right, never broken; ``l``: text that may be broken into lines; ``w``: text that is not.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    title: str = ""
    block: int = 0  # rows that belong together; 0: no blocks
    narrow: Table | None = None  # stands in its place in a narrow window, with fewer columns

    def __post_init__(self) -> None:
        assert len(self.align) == len(self.columns), f"{self.align!r} does not fit {len(self.columns)} columns"

    @classmethod
    def numbers(
        cls, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], numbers_from: int, block: int = 0
    ) -> Table:
        """A table whose columns from ``numbers_from`` on are numbers."""
        align = "l" * numbers_from + "r" * (len(columns) - numbers_from)
        return cls(tuple(columns), tuple(tuple(row) for row in rows), align, title, block)

    @property
    def numbers_from(self) -> int:
        """How many columns at the beginning are no numbers: they are repeated where a table is cut."""
        return len(self.align) - len(self.align.lstrip("lw"))

    def markdown(self) -> str:
        """The table, its title as a heading."""
        marks = ["---:" if letter == "r" else "---" for letter in self.align]
        lines = [self.columns, marks, *self.rows]
        body = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        return f"## {self.title}\n\n{body}\n" if self.title else f"{body}\n"


Block: TypeAlias = Heading | Line | Item | Note | Blank | Table


def markdown(blocks: Iterable[Block]) -> str:
    """Blocks as a Markdown page.

    >>> print(markdown([Heading("Answers"), Line("One is known."), Item("Japan"), Table(("rank",), (("1",),), "r")]))
    ## Answers
    <BLANKLINE>
    One is known.
    <BLANKLINE>
    - Japan
    <BLANKLINE>
    | rank |
    | ---: |
    | 1 |
    <BLANKLINE>
    """
    written = {Heading: "## {}", Line: "{}", Item: "- {}", Note: "Note: {}"}
    parts = []
    for block in blocks:
        if isinstance(block, Table):
            parts.append(block.markdown().rstrip("\n"))
        elif not isinstance(block, Blank):
            parts.append(written[type(block)].format(block.text))
    return "\n\n".join(parts) + "\n"
