"""Paths and reach as sentences. Plain and unambiguous: arrows show which way a fact was stored, dates stand beside it.

    North Korea —Threaten→ Japan (2014-05-12, 13 days after),
    then Japan ←Consult— South Korea (2014-04-28, 1 day before)

reads: North Korea threatened Japan on 12 May, 13 days after the day that is asked about; South Korea consulted Japan.
"""

from __future__ import annotations

from collections.abc import Sequence

from tgap.explain.evidence_schema import ChainLink
from tgap.explain.naming import NamedEdge
from tgap.explain.reach import Reach


def edge_arrow(edge: NamedEdge) -> str:
    """One edge without its date, the arrow pointing from the fact's subject to its object."""
    arrow = f"←{edge.relation}—" if edge.inverse else f"—{edge.relation}→"
    return f"{edge.subject} {arrow} {edge.object}"


def edge_clause(edge: NamedEdge) -> str:
    """One edge as a clause with its date."""
    return f"{edge_arrow(edge)} ({edge.time}, {edge.words})"


def path_sentence(start: str, edges: Sequence[NamedEdge]) -> str:
    """A folded walk from ``start`` as one sentence."""
    if not edges:
        return f"attention stays at {start}"
    return ", then ".join(edge_clause(edge) for edge in edges)


def chain_sentence(start: str, links: Sequence[ChainLink]) -> str:
    """A chain from ``start``: entity after entity, each with what led there; ← where against the stored facts."""
    if not links:
        return f"attention stays at {start}"
    return f"{start} {' '.join(_link_clause(link) for link in links)}"


def _link_clause(link: ChainLink) -> str:
    best = link.relations[0]
    arrow = "←" if best.inverse else "→"
    if best.share >= 0.5:
        when = best.since if best.since == best.until else f"{best.events} events, {best.since} to {best.until}"
        return f"{arrow} {link.object} ({best.relation}, {when})"
    named = list(dict.fromkeys(entry.relation for entry in link.relations))[:2]
    return f"{arrow} {link.object} ({link.events} events: {', '.join(named)}, …)"


def reach_sentence(start: str, answer: str, found: Reach) -> str:
    """Whether and how the answer can be reached."""
    if found.arrived and found.distance == 0:
        return f"{answer} is the entity that is asked about: attention can stay there or come back."
    if found.arrived:
        return f"{answer} is {_edges(found.distance)} from {start}; the walk takes {_steps(found.steps)}."
    if found.distance is None:
        return f"{answer} is not reachable: no chain of facts leads there from {start}, so no attention can arrive."
    if found.reachable:
        return (
            f"No attention arrived at {answer}, though it is {_edges(found.distance)} from {start}: "
            "what flowed there is too small for the computer's numbers or was left out by a cap."
        )
    return (
        f"{answer} is not reachable: it is {_edges(found.distance)} from {start} and the walk takes "
        f"{_steps(found.steps)}, so no attention can arrive."
    )


def _edges(count: int | None) -> str:
    return f"{count} edge{'s' if count != 1 else ''} away"


def _steps(count: int) -> str:
    return f"{count} step{'s' if count != 1 else ''}"
