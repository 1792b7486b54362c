from __future__ import annotations

import json

import numpy as np
import pytest

from tests.explain.oracle_explainer import OracleExplainer, tiny_explainer
from tests.tiny import from_facts, tiny_config
from tgap.drawing.rendering import render
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.evidence import SIZES, measure_evidence
from tgap.explain.flips import facts_touching, removal
from tgap.graph import View
from tgap.scorer import Query
from tgap.studies.faithfulness_curves import CurveRow, question_curves, summarise
from tgap.studies.faithfulness_figure import faithfulness_figure
from tgap.studies.orders import ORDERS, REMEASURED, ordered_facts

QUERY = Query(0, 1, 4)


def test_orders_are_what_they_say() -> None:
    explainer = tiny_explainer(5, entities=8, facts=30)
    graph = explainer.graph
    trace = explainer.trace(QUERY)
    flow = AnswerFlow.of(graph, trace, int(trace.scores.argmax()))
    evidence = measure_evidence(Counterfactual(explainer, trace, flow.answer), flow, 6)
    found = ordered_facts(flow, evidence, np.random.default_rng(0))
    assert set(found) == set(ORDERS)
    assert found["effect"] == [effect.facts[0] for effect in evidence.facts]
    assert sorted(found["effect"]) == sorted(found["share"][:6])
    assert found["share"] == flow.strongest_facts(graph.num_facts).tolist()
    own = set(facts_touching(graph, QUERY.subject).tolist())
    assert set(found["recent"]) == set(found["random"]) == own
    away = [int(graph.time[flow.stored_edge[fact]]) - QUERY.time for fact in found["recent"]]
    assert away == sorted(away, key=lambda days: (abs(days), days > 0))
    assert len(found["recent"]) == len(found["random"]) == len(own)
    answers = set(facts_touching(graph, flow.answer).tolist()) & own
    assert set(found["pair"][: len(answers)]) == answers
    assert sorted(found["pair"]) == sorted(found["recent"])
    removed = removal(Counterfactual(explainer, trace, flow.answer), evidence, 3)
    anew = ordered_facts(flow, evidence, np.random.default_rng(0), removed)["effect"]
    assert tuple(anew[:3]) == removed.stages[-1].facts
    assert sorted(anew) == sorted(found["effect"])


def test_the_first_answer_is_no_fact_that_is_in_sight() -> None:
    facts = [(0, 1, 1, 4), (0, 1, 2, 3), (2, 1, 0, 4)]
    explainer = OracleExplainer(from_facts(4, 2, facts), tiny_config(), span=12)
    scores = explainer.trace(QUERY).scores.copy()
    row = question_curves(explainer, QUERY, View.all())
    assert row.answer != 1  # (0, 1, 1, 4) is told by the graph
    assert row.led == bool(scores[row.answer] > np.delete(scores, row.answer).max())
    scores[1] = 0
    assert row.answer == scores.argmax()


@pytest.mark.parametrize("chosen", [None, 3])
def test_curves_are_measured_one_by_one(chosen: int | None) -> None:
    explainer = tiny_explainer(4, entities=8, facts=24)
    row = question_curves(explainer, QUERY, View.all(), chosen, seed=2)
    trace = explainer.trace(QUERY)
    answer = row.answer if chosen is None else chosen
    assert (row.answer, row.probability) == (answer, float(trace.scores[answer]))
    assert row.bare == 0
    flow = AnswerFlow.of(explainer.graph, trace, answer)
    asked = Counterfactual(explainer, trace, answer)
    evidence = measure_evidence(asked, flow, 20, 0)
    facts = ordered_facts(flow, evidence, np.random.default_rng([2, *QUERY]), removal(asked, evidence, REMEASURED))
    touching = facts_touching(explainer.graph, answer)
    for name in ORDERS:
        own = [fact for fact in facts[name] if fact in touching]
        for place, size in enumerate(SIZES):
            without = asked.without(facts[name][:size])
            assert (row.deletion[name][place], row.leads[name][place]) == (without.probability, without.leads)
            only = asked.without(np.setdiff1d(touching, own[:size]))
            assert row.sufficiency[name][place] == only.probability
    assert CurveRow.of(json.loads(json.dumps(row.to_dict()))) == row


def line(value: float) -> dict[str, list[float]]:
    return {name: [value] * len(SIZES) for name in ORDERS}


def test_means_and_areas() -> None:
    leads = {name: [True, False, False, False, False, False] for name in ORDERS}
    rows = [
        CurveRow(0, 0, 1, 1, 0.8, True, 0.0, line(0.2), leads, line(0.4)),
        CurveRow(0, 0, 2, 1, 0.2, True, 0.1, line(0.3), leads, line(0.1)),
        CurveRow(0, 0, 3, 1, 0.0, False, 0.0, line(0.0), leads, line(0.0)),  # nothing arrived: left out
    ]
    found = summarise(rows)
    assert (found.questions, found.possible) == (2, 2)
    assert found.probability == pytest.approx(0.5)
    curves = found.orders["effect"]
    assert curves.deletion == pytest.approx([0.5] * 6)
    assert curves.sufficiency == pytest.approx([0.5] * 6)
    assert curves.still_first == pytest.approx([1, 0, 0, 0, 0, 0])
    assert curves.lowered == pytest.approx([0.5] * 6)
    assert curves.deletion_area == pytest.approx((0.75 + 19 * 0.5) / 20)  # from 1 down to 0.5, then level
    assert curves.sufficiency_area == pytest.approx((0.3 + 19 * 0.5) / 20)  # from 0.1 up to 0.5
    assert render(faithfulness_figure("curves", found), "png").startswith(b"\x89PNG")


def test_no_question_gives_empty_curves() -> None:
    found = summarise([])
    assert (found.questions, found.orders["effect"].deletion, found.orders["effect"].deletion_area) == (0, [], 0.0)


def test_the_only_way_removed_leaves_nothing_and_alone_is_enough() -> None:
    explainer = OracleExplainer(from_facts(3, 2, [(0, 1, 1, 4)]), tiny_config(), span=12)
    row = question_curves(explainer, QUERY, View.all(), 1)
    assert row.deletion["effect"] == [0.0] * 6
    assert row.sufficiency["effect"] == [row.probability] * 6
