"""The audit on files made by hand: an honest one passes, each planted fault is found and called by its name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.evaluation.audit.planted import Program, honest, town
from tgap.data.known_splits import XERTE, KnownSplit, fingerprint
from tgap.errors import EvaluationError
from tgap.evaluation import Filters, evaluate
from tgap.evaluation.audit import CHECKS, Finding, audit_json, audit_scores, read_scores, run_checks
from tgap.evaluation.audit.measure import Audit
from tgap.evaluation.queries import queries_of
from tgap.evaluation.ranks import rank_answers
from tgap.evaluation.true_answers import TrueAnswers
from tgap.scorer import IntArray, QueryBatch, ScoreKind


def audited(path: Path, rest: float | None = None) -> Audit:
    return audit_scores(read_scores(path, town()), town(), rest=rest)


def findings(path: Path, rest: float | None = None) -> dict[str, Finding]:
    return run_checks(audited(path, rest))


def faults(found: dict[str, Finding]) -> set[str]:
    return {name for name, finding in found.items() if finding.verdict == "fault"}


def raw_ranks(program: Program) -> IntArray:
    ranks: IntArray = 1 + (program.scores > program.own[:, None]).sum(axis=1)
    return ranks


class TableScorer:
    """The honest program as a scorer of ours."""

    name, kind = "table", ScoreKind.ORDER

    def __init__(self) -> None:
        self.num_entities, self.num_relations = town().num_entities, town().num_relations

    def score(self, queries: QueryBatch) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        keys = zip(queries.subject.tolist(), queries.relation.tolist(), queries.time.tolist(), strict=True)
        return np.stack([np.random.default_rng(key).normal(size=self.num_entities) for key in keys])


def test_an_honest_file_passes_every_check(tmp_path: Path) -> None:
    program = honest()
    path = program.npz(tmp_path / "honest.npz", answer_score=program.own, rank=raw_ranks(program))
    found = findings(path)
    assert list(found) == [check.name for check in CHECKS]
    assert {name: finding.verdict for name, finding in found.items()} == dict.fromkeys(found, "ok")
    assert found["siblings"].values["compared"] > 50
    assert found["ranks"].values["rank"]["protocol"] == "raw"


def test_metrics_are_those_of_our_own_evaluation(tmp_path: Path) -> None:
    order = np.random.default_rng(3).permutation(len(honest().answer))  # the file may be in any order
    audit = audited(honest().take(order).npz(tmp_path / "shuffled.npz"))
    ours = evaluate(TableScorer(), town())  # type: ignore[arg-type]  # double precision
    assert audit.evaluation.report.metrics == ours.report.metrics
    assert audit.evaluation.report.breakdowns == ours.report.breakdowns
    np.testing.assert_array_equal(audit.evaluation.ranks.better, ours.ranks.better)


def test_a_constant_at_the_answers_is_found_in_the_claimed_score(tmp_path: Path) -> None:
    program = honest()
    lifted = program.own + 1.5
    rank = 1 + (program.scores > lifted[:, None]).sum(axis=1)
    found = findings(program.npz(tmp_path / "lifted.npz", answer_score=lifted, rank=rank))
    assert faults(found) == {"target", "ranks"}
    assert "+1.5, the same everywhere: a term that candidates lack" in found["target"].sentence
    assert found["target"].values["mrr_claimed"] > 2 * found["target"].values["mrr"]
    assert "the raw rank of answer_score, not of the answer's own score" in found["ranks"].sentence


def test_a_constant_at_the_answers_is_found_in_the_rows_themselves(tmp_path: Path) -> None:
    program = honest()
    program.scores[np.arange(len(program.answer)), program.answer] += 1.5
    found = findings(program.npz(tmp_path / "baked.npz"))
    assert "siblings" in faults(found)
    assert "+1.5, the same everywhere" in found["siblings"].sentence


def test_an_offset_that_varies_is_told_apart_from_a_constant(tmp_path: Path) -> None:
    program = honest()
    noise = np.random.default_rng(0).normal(size=len(program.answer))
    sentence = findings(program.npz(tmp_path / "noisy.npz", answer_score=program.own + noise))["target"].sentence
    assert "the same everywhere" not in sentence
    assert "on average" in sentence


def test_a_claimed_score_may_be_missing(tmp_path: Path) -> None:
    program = honest()
    some = np.where(program.head, np.nan, program.own)
    found = findings(program.npz(tmp_path / "some.npz", answer_score=some))["target"]
    assert (found.verdict, found.values["compared"]) == ("ok", len(town().test))


def test_rounding_is_no_fault(tmp_path: Path) -> None:
    program = honest()
    rounded = program.own.astype(np.float32).astype(np.float64)
    assert not np.array_equal(rounded, program.own)
    assert findings(program.npz(tmp_path / "rounded.npz", answer_score=rounded))["target"].verdict == "ok"


def test_scores_that_change_from_row_to_row_are_a_fault(tmp_path: Path) -> None:
    program = honest()
    program.scores += np.random.default_rng(0).normal(size=program.scores.shape)
    found = findings(program.npz(tmp_path / "dropout.npz"))
    assert "differ everywhere" in found["siblings"].sentence
    assert "siblings" in faults(found)


def test_ranks_under_another_filter_than_they_say(tmp_path: Path) -> None:
    program = honest()
    queries = queries_of(town().test, town().num_relations)
    line = np.arange(len(queries))
    ranks = rank_answers(program.scores, queries.batch, line, queries.answer, Filters.of(town()))
    found = findings(program.npz(tmp_path / "named.npz", rank_time=ranks.of("static"), rank_raw=ranks.of("raw")))
    assert faults(found) == {"ranks"}
    assert "rank_time: not the time but the static rank" in found["ranks"].sentence
    assert "rank_raw: the raw rank" in found["ranks"].sentence


def test_ranks_that_no_scores_have(tmp_path: Path) -> None:
    program = honest()
    better = np.maximum(1, raw_ranks(program) // 2)
    found = findings(program.npz(tmp_path / "halved.npz", rank=better))["ranks"]
    assert found.verdict == "fault"
    assert "no rank of these scores" in found.sentence


@pytest.mark.parametrize(
    ("table", "words"), [("at_that_time", "raw ranks are time-filtered"), ("at_any_time", "static")]
)
def test_rows_that_were_filtered_before_they_were_written(tmp_path: Path, table: str, words: str) -> None:
    program = honest()
    batch = queries_of(town().test, town().num_relations).batch
    row, entity = getattr(TrueAnswers.of(town()), table)().rows(batch).pairs()
    others = entity != program.answer[row]
    program.scores[row[others], entity[others]] = -np.inf
    found = findings(program.npz(tmp_path / "filtered.npz"))["filter"]
    assert found.verdict == "note"
    assert words in found.sentence


def test_the_wrong_split_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"none about a fact of the test split.*they are the valid split of town"):
        audited(honest("valid").npz(tmp_path / "valid.npz"))


def test_a_published_split_of_another_name_is_recognised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Part of test and part of valid, as another division of the same facts would have it."""
    one, two = honest().take(np.arange(100)), honest("valid").take(np.arange(30))
    mixed = Program(
        one.dataset,
        type(one.facts).concatenate([one.facts, two.facts]),
        np.concatenate([one.head, two.head]),
        np.concatenate([one.answer, two.answer]),
        np.concatenate([one.scores, two.scores]),
    )
    path = mixed.npz(tmp_path / "mixed.npz")
    found = findings(path)
    assert faults(found) == {"split", "coverage"}
    assert "no split that is known" in found["split"].sentence
    assert found["coverage"].values == {
        "rows": 130,
        "missing": len(honest().answer) - 100,
        "foreign": 30,
        "repeated": 0,
    }

    known = KnownSplit("town as others divide it", "test", 130, fingerprint(town(), mixed.facts))
    monkeypatch.setattr("tgap.data.known_splits.KNOWN_SPLITS", (known,))
    assert "the test split of town as others divide it" in findings(path)["split"].sentence
    monkeypatch.setattr("tgap.data.known_splits.KNOWN_SPLITS", (KnownSplit(XERTE, "test", 130),))
    assert (
        "as many as those of the test split of the ICEWS14 forecasting data of xERTE"
        in findings(path)["split"].sentence
    )


def test_tails_alone_are_told(tmp_path: Path) -> None:
    program = honest()
    audit = audited(program.take(np.flatnonzero(~program.head)).npz(tmp_path / "tails.npz"))
    found = run_checks(audit)
    assert faults(found) == {"coverage"}
    assert "there is no head query at all" in found["coverage"].sentence
    part = findings(program.take(np.arange(20)).npz(tmp_path / "part.npz"))
    assert part["split"].sentence == "the facts are a part of the test split of town"
    assert found["split"].verdict == "ok"
    assert audit.evaluation.report.counts == {"both": len(town().test), "tail": len(town().test)}


def test_answers_that_nobody_can_know(tmp_path: Path) -> None:
    program = honest()
    program.scores[np.arange(len(program.answer)), program.answer] = 9.0
    found = findings(program.npz(tmp_path / "trained_on_test.npz"))["leaks"]
    assert found.verdict == "fault"
    assert "was the split itself trained on" in found.sentence
    assert found.values["unseen"] >= 20


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_best_few_give_bounds(tmp_path: Path, ending: str) -> None:
    """Where the answer is listed above the last, its rank is the same as in full rows; else the tie rules hold it."""
    program = honest()
    path = tmp_path / f"top.{ending}"
    audit = audited(program.parquet(path, 8) if ending == "parquet" else program.csv(path, 8))
    full = audited(program.npz(tmp_path / "full.npz"))
    ours, theirs = full.evaluation.ranks, audit.evaluation.ranks
    listed = raw_ranks(program) < 8
    np.testing.assert_array_equal(audit.placed, listed)
    for protocol in ours.protocols:
        np.testing.assert_array_equal(theirs.of(protocol)[listed], ours.of(protocol)[listed])
        assert (theirs.of(protocol, "optimistic") <= ours.of(protocol)).all()
        assert (ours.of(protocol) <= theirs.of(protocol, "pessimistic")).all()
    found = run_checks(audit)
    assert faults(found) == set()
    assert found["ties"].verdict == "note"
    assert f"{int((~listed).sum())} queries" in found["ties"].sentence


def test_claims_about_the_best_few_are_compared_where_the_rank_is_certain(tmp_path: Path) -> None:
    program = honest()
    claims = {"rank": raw_ranks(program), "answer_score": program.own}
    found = findings(program.parquet(tmp_path / "top.parquet", 8, **claims))
    assert faults(found) == set()
    assert found["ranks"].values["rank"]["compared"] == (raw_ranks(program) < 8).sum()
    wrong = np.where(raw_ranks(program) == 3, 1, raw_ranks(program))
    assert "ranks" in faults(findings(program.parquet(tmp_path / "wrong.parquet", 8, rank=wrong)))


def test_a_stated_rest_is_a_score_like_any_other(tmp_path: Path) -> None:
    program = honest()
    counted = np.where(program.scores > 1.0, program.scores, 0.0)  # most entities were never seen with the subject
    program.scores = counted
    path = program.parquet(tmp_path / "sparse.parquet", 15)
    audit = audited(path, rest=0.0)
    full = audited(program.npz(tmp_path / "full.npz"))
    assert audit.evaluation.report.metrics == full.evaluation.report.metrics
    assert audit.placed.all()


def test_ties_that_decide_are_noted(tmp_path: Path) -> None:
    program = honest()
    program.scores = np.round(program.scores)
    found = findings(program.npz(tmp_path / "coarse.npz"))["ties"]
    assert found.verdict == "note"
    assert found.values["pessimistic"] < found.values["optimistic"]


def test_a_query_that_is_said_twice_counts_once(tmp_path: Path) -> None:
    program = honest()
    again = program.take(np.append(np.arange(len(program.answer)), 0))
    audit = audited(again.npz(tmp_path / "again.npz"))
    assert audit.coverage.repeated == 1
    assert audit.evaluation.report.queries == len(program.answer)


def test_json_has_findings_and_the_report(tmp_path: Path) -> None:
    program = honest()
    audit = audited(program.npz(tmp_path / "lifted.npz", answer_score=program.own + 1))
    document = json.loads(audit_json(audit.file, None, run_checks(audit), audit.evaluation.report))
    assert (document["format"], document["version"], document["faults"]) == ("tgap-audit", 1, 1)
    assert document["scores"] == {"file": "lifted.npz", "shape": "full rows of 40 entities", "rest": "behind"}
    assert document["findings"]["target"]["values"]["mean"] == pytest.approx(1.0)
    assert document["report"]["time"]["mrr"] == audit.evaluation.report.headline.mrr
