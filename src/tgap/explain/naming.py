"""Ids back to names: an edge as people read it, with its date and how far that lies from the question's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from tgap.data import Dataset
from tgap.graph import TemporalGraph

INVERSE = " (inverse)"  # how an inverse relation is printed; nobody ever has to type it
SELF_LOOP = "(stays)"
_KEPT = 1 << 16  # texts of instants and displacements kept ready


@dataclass(frozen=True)
class NamedEdge:
    """An edge in the direction it was walked. With ``inverse`` the stored fact is (object, relation, subject, time)."""

    subject: str
    relation: str  # plain name, whichever way the edge was walked
    object: str
    inverse: bool
    time: str
    displacement: int  # t_e - t_q in units of the timeline
    words: str  # the displacement in words: "7 days before"
    sign: str  # of the displacement: past, present or future

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

    subject: str
    relation: str
    object: str
    time: str
    displacement: int  # its time minus the question's, in units of the timeline
    words: str  # the displacement in words: "7 days before"
    sign: str  # of the displacement: past, present or future

    @property
    def arrow(self) -> str:
        """Who did what to whom, without the date."""
        return f"{self.subject} —{self.relation}→ {self.object}"

    @property
    def clause(self) -> str:
        """The fact with its date."""
        return f"{self.arrow} ({self.time}, {self.words})"


def sign_of(displacement: int) -> str:
    """Which side of the question's time a displacement lies on."""
    return "past" if displacement < 0 else "future" if displacement > 0 else "present"


class Names:
    """The words for a dataset's ids."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.num_relations = dataset.num_relations
        self._date = lru_cache(_KEPT)(dataset.timeline.format)  # a walk names the same days thousands of times
        self._words = lru_cache(_KEPT)(dataset.timeline.describe)

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

    def words(self, displacement: int) -> str:
        """A displacement in words."""
        return self._words(displacement)

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
            words=self.words(displacement),
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
            words=self.words(time - query_time),
            sign=sign_of(time - query_time),
        )
