"""What people read: tables with the protocol, the tie rule and the oddities of the data stated."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tgap.data import Dataset
from tgap.evaluation import Report, evaluate, markdown_page
from tgap.evaluation.breakdown import BREAKDOWNS
from tgap.evaluation.tables import breakdown_table, directions_table, notes, results_table

if TYPE_CHECKING:
    from tests.evaluation.conftest import FunctionScorer


@pytest.fixture
def report(dataset: Dataset, random_scorer: FunctionScorer) -> Report:
    return evaluate(random_scorer, dataset).report


def test_results_show_every_scorer_under_every_filter(report: Report) -> None:
    table = results_table([report, dataclasses.replace(report, scorer="recency")])
    assert table.title == "village, test: 6 queries"
    assert [row[:2] for row in table.rows] == [
        ("function", "raw"),
        ("", "static"),
        ("", "time"),
        ("recency", "raw"),
        ("", "static"),
        ("", "time"),
    ]
    assert table.rows[2][2] == f"{report.headline.mrr:.3f}"
    assert table.rows[2][3] == f"{100 * report.headline.hits1:.1f}"


def test_one_filter_only(report: Report) -> None:
    table = results_table([report], ["time"])
    assert [row[:2] for row in table.rows] == [("function", "time")]
    assert not any("raw" in line for line in notes([report], ["time"]))


def test_a_direction_without_queries_is_a_dash(dataset: Dataset, random_scorer: FunctionScorer) -> None:
    report = evaluate(random_scorer, dataset, limit=1).report
    assert "-" in directions_table([report]).rows[0]
    assert "a random sample" in results_table([report]).title


def test_notes_state_ties_unseen_and_leaks(report: Report) -> None:
    text = " ".join(notes([report]))
    assert "mean rule" in text
    assert "2 queries hold an entity that train lacks" in text
    assert "Leak" not in text
    leaky = dataclasses.replace(report, leaked=4, dataset="wikidata11k")
    assert "wikidata11k-clean" in " ".join(notes([leaky]))


def test_breakdown_puts_scorers_side_by_side(report: Report) -> None:
    table = breakdown_table([report, dataclasses.replace(report, scorer="other")], "distance")
    assert table.columns == ("Distance", "Queries", "Share", "function", "other")
    assert table.rows[0][:3] == ("2-3", "4", "66.7%")
    assert "days to the nearest" in table.title


def test_markdown_page_is_whole(report: Report) -> None:
    odd = dataclasses.replace(report, scorer="a|b")
    page = markdown_page([odd])
    assert page.startswith("# village, test: 6 queries\n\n| Method | Filter | MRR |")
    assert "a\\|b" in page
    assert page.count("\n## ") == len(BREAKDOWNS)  # "end" needs intervals
    assert "- Ties: " in page
