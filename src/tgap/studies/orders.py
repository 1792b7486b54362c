"""Ways to choose the facts that explain an answer, best first: what is to be proved better is one of them.

    effect     by measured effect: of the facts of highest share, taken away one at a time, the one that cost most first
    share      by share in the flow to this answer
    attention  by attention in all steps, whatever answer it led to
    recent     events of the entity that is asked about, nearest in time first, the past before the future
    random     events of the entity that is asked about, in random order

Recent and random take only events of the entity itself: what a careful person would look at without the model. Any fact
of the graph would be far too easy to beat. A list is as long as it can be: those who use it cut it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.edges import mean_attention
from tgap.explain.evidence import Evidence
from tgap.graph import TemporalGraph
from tgap.scorer import IntArray, Trace

ORDER_WORDS = {
    "effect": "measured effect",
    "share": "share of the flow to the answer",
    "attention": "strongest attention",
    "recent": "most recent events of the entity",
    "random": "random events of the entity",
}
ORDERS = tuple(ORDER_WORDS)


def ordered_facts(flow: AnswerFlow, evidence: Evidence, random: np.random.Generator) -> dict[str, list[int]]:
    """All facts (ids as in ``graph.fact``) that each order knows of; by effect those that were measured."""
    trace, graph = flow.trace, flow.graph
    attention, _ = attended_facts(graph, trace)
    subject = trace.query.subject
    own = np.unique(graph.fact[graph.row[subject] : graph.row[subject + 1]])
    own = own[own >= 0]
    own = own[flow.visible[own]]
    away = graph.time[flow.stored_edge[own]].astype(np.int64) - trace.query.time
    mixed = random.permutation(len(own))
    recent = np.lexsort((mixed, away > 0, np.abs(away)))
    return {
        "effect": [found.facts[0] for found in evidence.facts],
        "share": flow.strongest_facts(flow.graph.num_facts).tolist(),
        "attention": attention.tolist(),
        "recent": own[recent].tolist(),
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
