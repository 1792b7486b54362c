"""Ways to choose the facts that explain an answer, best first: what is to be proved better is one of them.

    effect     by measured effect: of the facts of highest share the one that costs most, then, measured anew without
               it, the one that then costs most, and so on for the first ten; after them by effect alone
    share      by share in the flow to this answer
    attention  by attention in all steps, whatever answer it led to
    pair       events of the entity that is asked about with the answer, nearest in time first, then as recent
    recent     events of the entity that is asked about, nearest in time first, the past before the future
    random     events of the entity that is asked about, in random order

Pair, recent and random take only events of the entity itself: what a careful person would look at without the model.
Any fact of the graph would be far too easy to beat. A list is as long as it can be: those who use it cut it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.edges import mean_attention
from tgap.explain.evidence import Evidence
from tgap.explain.flips import Removal
from tgap.graph import TemporalGraph
from tgap.scorer import IntArray, Trace

ORDER_WORDS = {
    "effect": "effect, measured anew",
    "share": "share of the flow to the answer",
    "attention": "strongest attention",
    "pair": "most recent events of the pair",
    "recent": "most recent events of the entity",
    "random": "random events of the entity",
}
ORDERS = tuple(ORDER_WORDS)
REMEASURED = 10  # facts of the order by effect that are measured anew


def ordered_facts(
    flow: AnswerFlow, evidence: Evidence, random: np.random.Generator, removed: Removal | None = None
) -> dict[str, list[int]]:
    """All facts (ids as in ``graph.fact``) that each order knows of; by effect those that were measured.

    Without ``removed`` the order by effect is that of the facts one at a time.
    """
    trace, graph = flow.trace, flow.graph
    attention, _ = attended_facts(graph, trace)
    subject = trace.query.subject
    own = np.unique(graph.fact[graph.row[subject] : graph.row[subject + 1]])
    own = own[own >= 0]
    own = own[flow.visible[own]]
    away = graph.time[flow.stored_edge[own]].astype(np.int64) - trace.query.time
    mixed = random.permutation(len(own))
    recent = np.lexsort((mixed, away > 0, np.abs(away)))
    recently = own[recent]
    edge = flow.stored_edge[recently]
    other = np.where(graph.source[edge] == subject, graph.neighbour[edge], graph.source[edge])
    first = removed.stages[-1].facts if removed and removed.stages else ()
    return {
        "effect": [*first, *(found.facts[0] for found in evidence.facts if found.facts[0] not in first)],
        "share": flow.strongest_facts(flow.graph.num_facts).tolist(),
        "attention": attention.tolist(),
        "pair": [*recently[other == flow.answer].tolist(), *recently[other != flow.answer].tolist()],
        "recent": recently.tolist(),
        "random": own[mixed].tolist(),
    }


def attended_facts(graph: TemporalGraph, trace: Trace) -> tuple[IntArray, NDArray[np.float64]]:
    """Facts that carried attention, most of it first, with the attention that crossed them over all steps."""
    used = np.zeros(graph.num_facts)
    for step in trace.steps:
        fact = graph.fact[step.edge]
        moved = fact >= 0
        used += np.bincount(fact[moved], weights=mean_attention(step)[moved], minlength=graph.num_facts)
    carried = np.flatnonzero(used)
    order = carried[np.argsort(-used[carried], kind="stable")].astype(np.int64)
    return order, used[order]
