from __future__ import annotations

import numpy as np
import pytest

from tests.explain.oracle_explainer import OracleExplainer
from tests.explain.small_dataset import small_dataset, small_explainer
from tests.tiny import from_facts, tiny_config
from tgap.evaluation.queries import queries_of
from tgap.explain.answer_flow import AnswerFlow
from tgap.scorer import Query
from tgap.studies.pattern_counts import BOUNDS, WAYS, PatternCounts, _keys, _pattern, count_patterns

FACTS = [(0, 0, 1, 4), (1, 1, 0, 3), (0, 1, 2, 9), (2, 0, 1, 30), (2, 1, 3, 4), (3, 0, 1, 1)]


def ways_of(query: Query, answer: int) -> dict[tuple[int, int, int, int], tuple[str, int, int | None]]:
    """Way and range of every fact that brought the answer."""
    explainer = OracleExplainer(from_facts(4, 2, FACTS), tiny_config(), span=40)
    flow = AnswerFlow.of(explainer.graph, explainer.trace(query), answer)
    keys, shares = _keys(flow, 2)
    assert shares.sum() == pytest.approx(1 - flow.self_loops, abs=1e-5)
    found = {}
    for fact, key in zip(np.flatnonzero(flow.facts).tolist(), keys.tolist(), strict=True):
        edge = int(flow.stored_edge[fact])
        graph = explainer.graph
        row = tuple(int(column[edge]) for column in (graph.source, graph.relation, graph.neighbour, graph.time))
        pattern = _pattern(key, 0.5, 2, 1)
        assert pattern.relation == row[1]
        assert (pattern.share, pattern.leads, pattern.right) == (0.5, 2, 0.5)
        found[row] = (pattern.way, pattern.nearest, pattern.farthest)
    return found  # type: ignore[return-value]


def test_facts_are_sorted_by_their_ends_and_their_time() -> None:
    found = ways_of(Query(0, 0, 4), 1)  # (0, 0, ?, 4) answered 1
    assert found[0, 0, 1, 4] == ("same", 0, 0)
    assert found[1, 1, 0, 3] == ("inverse", -1, -1)
    assert found[0, 1, 2, 9] == ("given", 2, 7)
    assert found[2, 0, 1, 30] == ("answer", 8, 30)
    assert found[3, 0, 1, 1] == ("answer", -2, -7)
    assert found[2, 1, 3, 4] == ("elsewhere", 0, 0)


def test_a_question_for_the_head_turns_the_pair_round() -> None:
    found = ways_of(Query(1, 2, 4), 0)  # (?, 0, 1, 4) answered 0: the fact is (0, 0, 1, 4)
    assert found[0, 0, 1, 4][0] == "same"
    assert found[1, 1, 0, 3][0] == "inverse"
    assert found[2, 0, 1, 30][0] == "given"
    assert found[0, 1, 2, 9][0] == "answer"


def test_every_displacement_has_a_range_of_its_own() -> None:
    seen = {}
    for side in range(2 * len(BOUNDS) + 1):
        pattern = _pattern(side, 0, 0, 0)
        seen[side] = (pattern.nearest, pattern.farthest)
        assert pattern.right == 0.0
    assert len(set(seen.values())) == len(seen)
    assert seen[len(BOUNDS)] == (0, 0)
    assert seen[0] == (-366, None)
    assert seen[2 * len(BOUNDS)] == (366, None)


def test_shares_over_a_split_sum_to_one_and_right_answers_are_counted() -> None:
    dataset = small_dataset()
    explainer = small_explainer(dataset)
    asked = queries_of(dataset.test, dataset.num_relations)
    heard: list[tuple[int, int]] = []
    counts = count_patterns(explainer, dataset, asked, "test", lambda done, total: heard.append((done, total)))
    found = counts.strongest(range(dataset.num_relations), 1000, None)
    assert found.questions == len(asked) == 4
    assert heard[-1] == (4, 4)
    assert sum(pattern.share for pattern in found.patterns) + found.self_loops == pytest.approx(1, abs=1e-5)
    assert found.rest == pytest.approx(0, abs=1e-9)
    walks = [explainer.trace(Query(*map(int, row))).scores for row in zip(*vars(asked.batch).values(), strict=True)]
    japan = dataset.entities.id("Japan")  # valid knows Japan for the first question: it steps aside
    walks[0][japan] = -1
    right = [int(scores.argmax()) == answer for scores, answer in zip(walks, asked.answer.tolist(), strict=True)]
    assert found.right == np.mean(right)
    led = [pattern for pattern in found.patterns if pattern.leads]
    assert sum(pattern.leads for pattern in led) == 3  # from the Lonely Island no event leads anywhere
    assert sum(pattern.leads * pattern.right for pattern in led) == pytest.approx(sum(right))
    few = counts.strongest([2], 1, 2)
    assert (few.relation, len(few.patterns)) == (2, 1)
    assert few.patterns[0].way in WAYS
    assert few.patterns[0].share + few.rest + few.self_loops == pytest.approx(1, abs=1e-5)


def test_no_question_no_pattern() -> None:
    found = PatternCounts(3).strongest([0], 5, 0)
    assert (found.questions, found.patterns, found.right) == (0, (), 0.0)
