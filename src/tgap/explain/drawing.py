"""A drawing as a list of plain shapes, back to front: what a picture is made of, whoever draws it.

Pictures are composed here once; ``svg`` and ``figures`` (matplotlib, for PNG and PDF) each know how to put these few
shapes on paper, and nothing about pictures. Places are pixels from the upper left corner.
"""

from __future__ import annotations

from dataclasses import dataclass

from tgap.explain.curves import BADGE, Cubic, Key, Point
from tgap.explain.palette import COLOURS, GRID, INK, MUTED


@dataclass(frozen=True)
class Text:
    """One line of text; ``y`` is its baseline, ``anchor`` is start, middle or end."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: str = "start"
    bold: bool = False
    colour: str = INK
    halo: bool = False  # white around the letters, where they stand on lines
    title: str = ""  # told when the mouse rests on it


@dataclass(frozen=True)
class Stroke:
    """A cubic curve."""

    points: Cubic
    colour: str = GRID
    width: float = 1.0
    dash: str = "solid"  # solid, dashed or dotted
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Ring:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str
    width: float
    title: str = ""


Shape = Text | Stroke | Ring


@dataclass(frozen=True)
class Drawing:
    """Shapes on white."""

    width: int
    height: int
    title: str
    shapes: tuple[Shape, ...]


def straight(left: Point, right: Point, colour: str = GRID, width: float = 1.0, dash: str = "solid") -> Stroke:
    """A straight line."""
    return Stroke((left, left, right, right), colour, width, dash)


def badge(place: Point, number: int, kind: str, title: str = "") -> list[Shape]:
    """The number of an edge."""
    x, y = place
    ring = Ring(x, y, BADGE, COLOURS[kind], "#FFFFFF", 1.5, title)
    return [ring, Text(x, y + 3.6, str(number), size=10, anchor="middle", bold=True, colour="#FFFFFF", title=title)]


def key_lines(x: float, y: float, key: Key) -> list[Shape]:
    """What a numbered edge is, on two lines."""
    return [
        *badge((x + BADGE, y - 4), key.number, key.kind),
        Text(x + 24, y - 2, key.relation, size=11),
        Text(x + 24, y + 12, key.details, size=10, colour=MUTED),
    ]
