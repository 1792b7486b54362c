"""Ids back to names: an edge as people read it, with its date and how far that lies from the question's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from pydantic import Field

from tgap.data import Dataset
from tgap.explain.phrases import clause
from tgap.graph import TemporalGraph

INVERSE = " (inverse)"  # how an inverse relation is printed; nobody ever has to type it
SELF_LOOP = "(stays)"
_KEPT = 1 << 16  # texts of instants and displacements kept ready


@dataclass(frozen=True)
class NamedEdge:
    """An edge in the direction it was walked. With ``inverse`` the stored fact is (object, relation, subject, time)."""

    subject: Annotated[str, Field(description="where the edge was left")]
    relation: Annotated[str, Field(description="plain name, whichever way the edge was walked")]
    object: Annotated[str, Field(description="where it leads")]
    inverse: Annotated[
        bool, Field(description="walked against the stored fact, which is then (object, relation, subject, time)")
    ]
    time: Annotated[str, Field(description="date of the fact")]
    displacement: Annotated[
        int, Field(description="time of the fact minus the question's time, in units of the timeline")
    ]
    relative_time: Annotated[str, Field(description='the displacement in words: "7 days before"')]
    sign: Annotated[str, Field(description='sign of the displacement: "past", "present" or "future"')]

    @property
    def label(self) -> str:
        """Relation as a table prints it."""
        return self.relation + (INVERSE if self.inverse else "")

    @property
    def fact(self) -> tuple[str, str, str, str]:
        """The stored fact behind the edge."""
        ends = (self.object, self.subject) if self.inverse else (self.subject, self.object)
        return (ends[0], self.relation, ends[1], self.time)


@dataclass(frozen=True)
class NamedFact:
    """A stored fact."""

    subject: Annotated[str, Field(description="of the stored fact")]
    relation: Annotated[str, Field(description="of the stored fact")]
    object: Annotated[str, Field(description="of the stored fact")]
    time: Annotated[str, Field(description="of the stored fact")]
    displacement: Annotated[int, Field(description="its time minus the question's, in units of the timeline")]
    relative_time: Annotated[str, Field(description='the displacement in words: "7 days before"')]
    sign: Annotated[str, Field(description="of the displacement: past, present or future")]

    @property
    def arrow(self) -> str:
        """Who did what to whom, without the date."""
        return f"{self.subject} —{self.relation}→ {self.object}"

    @property
    def clause(self) -> str:
        """The fact with its date."""
        return f"{self.arrow} ({self.time}, {self.relative_time})"

    @property
    def words(self) -> str:
        """Who did what to whom, in plain English."""
        return clause(self.subject, self.relation, self.object)

    @property
    def told(self) -> str:
        """The same with its date."""
        return f"{self.words} ({self.time}, {self.relative_time})"


def sign_of(displacement: int) -> str:
    """Which side of the question's time a displacement lies on."""
    return "past" if displacement < 0 else "future" if displacement > 0 else "present"


class Names:
    """The words for a dataset's ids."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.num_relations = dataset.num_relations
        self._date = lru_cache(_KEPT)(dataset.timeline.format)  # a walk names the same days thousands of times
        self._relative_time = lru_cache(_KEPT)(dataset.timeline.describe)

    def entity(self, index: int) -> str:
        """Name of an entity."""
        return self.dataset.entities.name(index)

    def relation(self, index: int) -> tuple[str, bool]:
        """Plain name of a relation, and whether ``index`` is its inverse."""
        if index == 2 * self.num_relations:
            return SELF_LOOP, False
        inverse = index >= self.num_relations
        return self.dataset.relations.name(index - self.num_relations * inverse), inverse

    def label(self, index: int) -> str:
        """Relation as a table prints it."""
        name, inverse = self.relation(index)
        return name + (INVERSE if inverse else "")

    def date(self, instant: int) -> str:
        """Text of an instant."""
        return self._date(instant)

    def relative_time(self, displacement: int) -> str:
        """A displacement in words."""
        return self._relative_time(displacement)

    def fact(self, graph: TemporalGraph, fact: int, query_time: int) -> NamedFact:
        """A fact of the graph (id as in ``graph.fact``) in its stored direction."""
        edge = int(graph.fact_edge[graph.fact_row[fact]])
        displacement = int(graph.time[edge]) - query_time
        return NamedFact(
            subject=self.entity(int(graph.source[edge])),
            relation=self.label(int(graph.relation[edge])),
            object=self.entity(int(graph.neighbour[edge])),
            time=self.date(int(graph.time[edge])),
            displacement=displacement,
            relative_time=self.relative_time(displacement),
            sign=sign_of(displacement),
        )

    def edge(self, ends: tuple[int, int], relation: int, time: int, query_time: int) -> NamedEdge:
        """The edge from ``ends[0]`` to ``ends[1]``."""
        name, inverse = self.relation(relation)
        return NamedEdge(
            subject=self.entity(ends[0]),
            relation=name,
            object=self.entity(ends[1]),
            inverse=inverse,
            time=self.date(time),
            displacement=time - query_time,
            relative_time=self.relative_time(time - query_time),
            sign=sign_of(time - query_time),
        )
