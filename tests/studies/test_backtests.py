"""Backtests: windows of time, each asked from what lies before it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tgap.capabilities import setting_of
from tgap.cli.main import run as tgap
from tgap.data import Dataset, Facts, load_dataset
from tgap.data.facts import in_order
from tgap.errors import EvaluationError
from tgap.evaluation import evaluate
from tgap.graph import View
from tgap.graph.task import FORECAST
from tgap.methods import config_for, make_scorer
from tgap.runs import load_scorer
from tgap.scorer import Scorer
from tgap.studies.backtests import (
    PASTS,
    Window,
    backtest_table,
    draw_backtest,
    make_windows,
    run_backtest,
    setting_at,
)

FIRST, LAST = 600, 700


def by_time() -> Dataset:
    """The world cut by time: train before FIRST, test until LAST."""
    world = load_dataset("world")
    facts = in_order(Facts.concatenate(list(world.splits.values())))
    cut = [
        facts[(facts.time >= low) & (facts.time < high)] for low, high in ((0, 590), (590, FIRST), (FIRST, LAST + 1))
    ]
    return replace(world, name="cut world", train=cut[0], valid=cut[1], test=cut[2])


DATASET = by_time()


def counter(name: str = "recency") -> Scorer:
    return make_scorer(config_for(name, "world", task="forecast"), DATASET)


def test_windows_cover_the_time_once() -> None:
    windows = make_windows(DATASET, FIRST, LAST, 30)
    assert windows == [Window(600, 629), Window(630, 659), Window(660, 689), Window(690, 700)]
    assert windows[0].name(DATASET) == "2013-08-23 to 2013-09-21"
    assert Window(3, 3).name(DATASET) == "2012-01-04"
    with pytest.raises(EvaluationError, match="swap them"):
        make_windows(DATASET, LAST, FIRST, 7)
    with pytest.raises(EvaluationError, match="begin later, or divide the dataset by time"):
        make_windows(DATASET, 100, LAST, 7)


@pytest.mark.parametrize("past", PASTS)
def test_no_kind_of_past_sees_the_asked_time(past: str) -> None:
    known = setting_at(past, Window(630, 659))
    seen = known.limits.at(640)
    assert seen == View.all().until({"single step": 639, "origin": 629, "frozen": 639}[past])
    assert known.context == (() if past == "frozen" else ("valid", "test"))


def test_single_step_over_all_windows_is_the_evaluation_of_the_split() -> None:
    scorer = counter()
    found = run_backtest([scorer], DATASET, make_windows(DATASET, FIRST, LAST, 20), ["single step"])
    whole = evaluate(scorer, DATASET, "test").report
    assert whole.known.name == "single step"
    assert sum(found.queries) == whole.queries
    weights = np.array(found.queries)
    mrr = [0.0 if metrics is None else metrics.mrr for metrics in found.lines[0].metrics]
    assert (weights * mrr).sum() / weights.sum() == pytest.approx(whole.headline.mrr, abs=1e-6)
    assert backtest_table(found).rows[-1][1:] == (f"{whole.queries:,}", f"{whole.headline.mrr:.3f}")


def test_a_fresh_past_is_worth_something_and_everything_is_written() -> None:
    windows = make_windows(DATASET, FIRST, LAST, 51)
    heard: list[tuple[int, int]] = []
    found = run_backtest(
        [counter(), load_scorer("world").scorer],
        DATASET,
        windows,
        PASTS,
        limit=60,
        progress=lambda done, total: heard.append((done, total)),
    )
    assert [line.title for line in found.lines[:3]] == ["recency, single step", "recency, origin", "recency, frozen"]
    assert heard[-1][0] == heard[-1][1]
    document = json.loads(found.to_json())
    assert document["format"] == "tgap-backtest"
    assert len(document["lines"]) == 6
    assert document["lines"][0]["all"]["mrr"] > document["lines"][2]["all"]["mrr"]
    assert draw_backtest(found, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["recency", "recurrency", "typed-pair"])
def test_counters_of_the_forecasting_task_know_its_past(name: str) -> None:
    assert setting_of(counter(name)) == FORECAST.setting


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "cut"
    folder.mkdir()
    for split, facts in DATASET.splits.items():
        rows = [
            f"{DATASET.entities.name(s)}\t{DATASET.relations.name(r)}\t{DATASET.entities.name(o)}\t{DATASET.timeline.format(t)}"
            for s, r, o, t in facts
        ]
        (folder / f"{split}.txt").write_text("\n".join(rows) + "\n")
    begin = ["backtest", str(folder), "--step", "60", "--methods", "recency", "--limit", "30", "--from", "2013-08-23"]
    assert tgap([*begin, "--figure", str(tmp_path / "ages.png"), "--json", str(tmp_path / "b.json")]) == 0
    out = capsys.readouterr().out
    assert "2013-08-23 to 2013-10-21" in out
    assert (tmp_path / "ages.png").exists()
    assert tgap([*begin[:-1], "2012-01-05"]) == 2
    assert "train goes on until" in capsys.readouterr().err
    assert tgap(["backtest", str(folder), "--methods", ""]) == 2
    assert "there is nobody to ask; give --run or --methods" in capsys.readouterr().err
    assert tgap([*begin, "--run", "world"]) == 2
    assert "world was made with world, not with cut" in capsys.readouterr().err
