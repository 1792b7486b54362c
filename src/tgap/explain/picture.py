"""The parts of a layered picture: ``layered`` decides where everything goes, ``svg`` and ``figures`` only draw."""

from __future__ import annotations

from dataclasses import dataclass

from tgap.explain.curves import Curve, Key


@dataclass(frozen=True)
class Lane:
    """An entity's row."""

    y: float
    label: str
    title: str
    role: str  # "start", "answer" or ""
    final: str  # probability after the last step


@dataclass(frozen=True)
class Dot:
    """An entity after a step."""

    x: float
    y: float
    radius: float
    text: str
    title: str
    answer: bool


@dataclass(frozen=True)
class Link(Curve):
    """An edge between two columns."""

    width: float
    dashed: bool
    title: str


@dataclass(frozen=True)
class Picture:
    """Everything to draw, in pixels of the default size."""

    width: int
    height: int
    title: str
    subtitle: str
    columns: tuple[tuple[float, str], ...]  # x and heading
    lanes: tuple[Lane, ...]
    dots: tuple[Dot, ...]
    links: tuple[Link, ...]
    keys: tuple[tuple[float, tuple[Key, ...]], ...]  # x of each step's list
    keys_top: float
    legend_top: float
