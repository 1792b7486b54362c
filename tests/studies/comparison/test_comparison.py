"""A whole comparison on the world: planned, trained for a second, interrupted, gone on with, written down."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from tests.studies.comparison.recorder import Recorder
from tgap.data import CATALOG, load_dataset
from tgap.errors import ConfigError, RunError
from tgap.evaluation import evaluate
from tgap.evaluation.bootstrap import Bootstrap
from tgap.methods import METHODS, find_method
from tgap.runs.folder import create_run, find_run, shipped_runs
from tgap.runs.load import load_scorer
from tgap.studies.comparison.document import (
    Comparison,
    compare,
    footnotes,
    main_table,
    short_table,
)
from tgap.studies.comparison.page import comparison_page
from tgap.studies.comparison.plan import Plan, make_plan
from tgap.studies.comparison.published import published, quoted
from tgap.studies.comparison.ranks_file import Questions
from tgap.studies.comparison.session import Limits, Outcome, work_off
from tgap.studies.comparison.variants import ABLATIONS
from tgap.training.interruption import Interruption, InterruptionError

WORLD = load_dataset("world")
METHODS_SHOWN = ["distmult", "recency", "frequency"]
QUESTIONS = Questions("test", 200)
SECOND = Limits(minutes=0.02, threads=1)


def run_plan(plan: Plan, recorder: Recorder, questions: Questions = QUESTIONS) -> list[Outcome]:
    return work_off(plan, WORLD, questions, SECOND, recorder, Interruption())


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    plan = make_plan("world", tmp_path_factory.mktemp("comparison"), METHODS_SHOWN, {})
    [trained] = [entry for entry in plan.entries if entry.folder is not None]
    assert trained.folder is not None
    endless = trained.config("world").with_values({"training.epochs": 100_000, "training.patience": 0})
    create_run(trained.folder.path, endless, WORLD, 1)  # however fast the machine is, the time ends it
    return plan


@pytest.fixture(scope="module")
def outcomes(plan: Plan) -> list[Outcome]:
    """Interrupted when the first method is ranked, then gone on with."""
    interruption = Interruption()
    recorder = Recorder(interruption, stop_at="distmult")
    with pytest.raises(InterruptionError):
        work_off(plan, WORLD, QUESTIONS, SECOND, recorder, interruption)
    assert recorder.heard == [
        *("score recency", "done recency", "score frequency", "done frequency"),
        *("train distmult", "score distmult"),
    ]
    again = Recorder()
    found = run_plan(plan, again)
    assert again.heard == ["done recency", "done frequency", "score distmult", "done distmult"]  # nothing is done twice
    return found


@pytest.fixture(scope="module")
def comparison(outcomes: list[Outcome]) -> Comparison:
    return compare(outcomes, WORLD, Bootstrap(samples=200), {"tgap": "test"})


def test_ranks_are_those_of_an_evaluation(plan: Plan, outcomes: list[Outcome]) -> None:
    by_name = {outcome.entry.name: outcome for outcome in outcomes}
    folder = by_name["distmult"].entry.folder
    assert folder is not None
    assert by_name["distmult"].run_report["status"] == "time"
    report = evaluate(load_scorer(folder.path).scorer, WORLD, "test", limit=200).report
    assert by_name["distmult"].evaluation.report.metrics == report.metrics
    kept = run_plan(plan, Recorder())
    for outcome in kept:  # read from the files
        assert outcome.evaluation.report.metrics == by_name[outcome.entry.name].evaluation.report.metrics
        assert outcome.evaluation.report.breakdowns == by_name[outcome.entry.name].evaluation.report.breakdowns


def test_other_questions_are_ranked_anew_and_more_minutes_are_trained(plan: Plan, outcomes: list[Outcome]) -> None:
    trained = next(outcome.run_report["seconds"] for outcome in outcomes if outcome.entry.name == "distmult")
    recorder = Recorder()
    limits = Limits(trained / 60 + 0.01, threads=1)
    work_off(plan, WORLD, Questions("valid", 50), limits, recorder, Interruption())
    assert recorder.heard == [
        *("score recency", "done recency", "score frequency", "done frequency"),
        *("train distmult", "score distmult", "done distmult"),
    ]


def test_methods_stand_best_first_and_their_distance_is_paired(comparison: Comparison) -> None:
    values = [row.report.headline.mrr for row in comparison.rows]
    assert values == sorted(values, reverse=True)
    best, *others = comparison.rows
    assert best.behind is None
    for row in others:
        assert row.behind is not None
        assert row.behind.value == pytest.approx(values[0] - row.report.headline.mrr)
        assert row.behind.low <= row.behind.value <= row.behind.high
        assert row.interval.low <= row.report.headline.mrr <= row.interval.high


def test_all_forms_tell_the_same_numbers(comparison: Comparison) -> None:
    document = json.loads(comparison.to_json())
    assert document["format"] == "tgap-comparison"
    lines = list(csv.DictReader(io.StringIO(comparison.csv())))
    page, markdown = comparison_page(comparison), comparison.markdown()
    assert [method["title"] for method in document["methods"]] == [row.report.scorer for row in comparison.rows]
    for method in document["methods"]:
        mrr = method["report"]["time"]["mrr"]
        line = next(
            line
            for line in lines
            if (line["scorer"], line["breakdown"], line["direction"], line["ties"], line["filter"])
            == (method["title"], "all", "both", "mean", "time")
        )
        assert float(line["mrr"]) == pytest.approx(mrr)
        assert f"| {method['title']} | {mrr:.3f} |" in markdown
        assert f"<td>{method['title']}</td><td>{mrr:.3f}</td>" in page
    assert document["methods"][0]["behind"] is None
    table = main_table(comparison)
    assert set(short_table(comparison).columns) < set(table.columns)
    place = table.columns.index("New facts")
    for row, cells in zip(comparison.rows, table.rows, strict=True):
        (bucket,) = [bucket for bucket in row.report.breakdowns["distance"] if bucket.label == "never"]
        assert cells[place] == f"{bucket.metrics['time'].mrr:.3f}"
        assert cells[place] < f"{row.report.headline.mrr:.3f}"  # harder than the rest
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert any("order is not sure" in line for line in footnotes(comparison))


class _Checker(HTMLParser):
    """Counts elements and refuses ones that are closed wrongly."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        assert not any(name == "src" or (value or "").startswith("http") for name, value in attrs)  # asks no network
        if tag not in ("meta", "line", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag: str) -> None:
        if tag != "line":
            assert self.open.pop() == tag


def test_the_page_is_whole_and_alone(comparison: Comparison) -> None:
    checker = _Checker()
    checker.feed(comparison_page(comparison))
    assert checker.open == []
    assert checker.count["rect"] == len(METHODS_SHOWN)
    assert checker.count["table"] == 4
    assert "script" not in checker.count


def test_a_plan_takes_shipped_runs_and_trains_the_rest(tmp_path: Path) -> None:
    plan = make_plan("world", tmp_path, [], {})
    entries = {entry.name: entry for entry in plan.entries}
    alone = [name for name in METHODS if not find_method(name).built_on]  # of the others none is shipped
    assert list(entries) == alone
    with pytest.raises(ConfigError, match="judged is built on another run"):
        make_plan("world", tmp_path, ["judged"], {})
    assert entries["tgap"].given
    assert entries["recency"].folder is None
    folder = entries["tntcomplex"].folder
    assert folder is not None
    assert folder.path == tmp_path / "runs" / "tntcomplex"
    assert not entries["tntcomplex"].given


def test_a_smaller_one_than_recommended_does_not_stand_for_its_method(tmp_path: Path) -> None:
    assert find_run("icews14-tntcomplex").config().model.rank == 140  # type: ignore[attr-defined]
    entries = {entry.name: entry for entry in make_plan("icews14", tmp_path, ["tgap", "tntcomplex"], {}).entries}
    assert entries["tgap"].given
    assert not entries["tntcomplex"].given


@pytest.mark.parametrize(("method", "run"), [("tgap", "icews14"), ("judged", "icews14-aside-judged")])
def test_of_several_shipped_runs_the_nearest_to_the_recommended_settings_is_taken(
    tmp_path: Path, method: str, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tgap.studies.comparison.plan.shipped_runs", lambda: sorted(shipped_runs(), reverse=True))
    (entry,) = make_plan("icews14", tmp_path, [method], {}).entries
    assert entry.folder is not None
    assert entry.folder.path.name == run


@pytest.mark.parametrize(
    ("methods", "given", "error", "message"),
    [
        (["transformer"], {}, ConfigError, "unknown method 'transformer'; expected one of tgap, "),
        (
            [],
            {"distmult": "world"},
            RunError,
            "world is a run of tgap on world for completion, not of distmult on world",
        ),
        ([], {"recency": "world"}, ConfigError, "recency needs no training and no run"),
        ([], {"distmult": "no/such/run"}, RunError, "no run 'no/such/run'"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(
    methods: list[str], given: dict[str, str], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        make_plan("world", tmp_path / "out", methods, given)
    assert not (tmp_path / "out").exists()


def test_what_the_paper_quotes_is_told_with_its_source() -> None:
    assert quoted("world", "transe") is None
    assert quoted("wikidata11k-clean", "transe") is None  # the paper knows the published split only
    line, source = quoted("icews14", "tntcomplex") or (None, None)
    assert line is not None
    assert source is not None
    assert (line.mrr, source.paper) == (0.56, "Lacroix et al. 2020")
    line, source = quoted("wikidata11k", "tntcomplex") or (None, None)
    assert source is not None
    assert (source.paper, source.by_way_of) == ("Jung et al. (T-GAP)", "the T-GAP paper")  # measured by its authors
    line, source = quoted("icews14", "no-pgnn") or (None, None)
    assert line is not None
    assert line.mrr == 0.590
    line, source = quoted("yago-forecast", "recurrency") or (None, None)
    assert line is not None
    assert source is not None
    assert (line.mrr, source.protocol) == (0.909, "single step, time-filtered")


def test_published_figures_are_about_datasets_and_methods_that_there_are() -> None:
    known = {*METHODS, *(variant.name for variant in ABLATIONS)}
    figures = published()
    assert len(figures) > 50
    for figure in figures:
        assert figure.dataset in CATALOG
        assert figure.split == "test"
        assert (figure.name in known) != bool(figure.title)
        assert figure.source.paper
        assert figure.source.protocol
        assert 0 < figure.line.mrr < 1
        assert (figure.line.hits1 or 0) < 100 * figure.line.mrr < (figure.line.hits10 or 100)
    places = [(figure.dataset, figure.name or figure.title) for figure in figures]
    assert len(set(places)) == len(places)


def test_figures_of_methods_that_are_not_here_stand_below_the_table(comparison: Comparison) -> None:
    assert "not here" not in comparison.markdown()
    forecast = replace(comparison, dataset="icews14-forecast")
    page = forecast.markdown()
    assert "not here (the papers of the methods; single step, time-filtered): xERTE 0.408" in page
    assert "LogCL 0.489 (its public code reads all questions of the asked day)" in page
    larger = replace(comparison, dataset="icews14").markdown()
    assert "TNTComplEx, ten times the rank 0.620" in larger
    assert json.loads(forecast.to_json())["elsewhere"]["LogCL"]["mrr"] == 0.489
    assert json.loads(comparison.to_json())["elsewhere"] == {}


def test_equal_ranks_have_no_distance(outcomes: list[Outcome]) -> None:
    alone = compare([outcomes[0]], WORLD, Bootstrap(samples=50), {})
    assert alone.rows[0].behind is None
    assert np.isfinite(alone.rows[0].interval.low)
