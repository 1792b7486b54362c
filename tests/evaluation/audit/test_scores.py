"""Files of scores: three kinds of file, three shapes, the same rows; and what is wrong is said in one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.evaluation.audit.planted import honest, town, write_npz
from tgap.errors import EvaluationError
from tgap.evaluation.audit.npz import read_npz
from tgap.evaluation.audit.scores import read_scores

ROWS = np.array([3, 0, 7])


def test_full_rows_of_an_npz(tmp_path: Path) -> None:
    program = honest()
    file = read_scores(program.npz(tmp_path / "full.npz", rank=np.arange(len(program.answer))), town())
    np.testing.assert_array_equal(file.read(ROWS), program.scores[ROWS])
    np.testing.assert_array_equal(file.facts.subject, program.facts.subject)
    np.testing.assert_array_equal(file.facts.time, program.facts.time)
    np.testing.assert_array_equal(file.head, program.head)
    assert file.claims["rank"][5] == 5
    assert file.shape == "full rows of 40 entities"


def test_columns_may_be_in_any_order_and_miss_entities(tmp_path: Path) -> None:
    program = honest()
    order = np.random.default_rng(0).permutation(40)[:35]
    names = {name: np.array(values, dtype=str) for name, values in program.columns().items()}
    listed = np.array(town().entities.names, dtype=str)[order]
    write_npz(tmp_path / "some.npz", {"scores": program.scores[:, order], "entities": listed, **names})
    found = read_scores(tmp_path / "some.npz", town()).read(ROWS)
    np.testing.assert_array_equal(found[:, order], program.scores[ROWS][:, order])
    assert np.isnan(found).sum() == 5 * len(ROWS)


def test_positions_in_lists_of_names(tmp_path: Path) -> None:
    """As a program has it that numbers entities by itself, here backwards."""
    program = honest()
    facts, data = program.facts, town()
    np.savez(
        tmp_path / "ids.npz",
        scores=program.scores[:, ::-1],
        entities=np.array(data.entities.names[::-1], dtype=str),
        relations=np.array(data.relations.names, dtype=str),
        times=np.array([data.timeline.format(t) for t in range(10)], dtype=str),
        subject=39 - facts.subject,
        relation=facts.relation,
        object=39 - facts.object,
        time=facts.time,
        direction=np.where(program.head, "head", "tail"),
    )
    file = read_scores(tmp_path / "ids.npz", data)
    for ours, theirs in zip(file.facts.columns, facts.columns, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(file.read(ROWS), program.scores[ROWS])


def test_full_rows_of_a_parquet_need_the_names_of_their_columns(tmp_path: Path) -> None:
    program = honest()
    path = tmp_path / "full.parquet"
    pl.DataFrame({**program.columns(), "scores": program.scores.tolist()}).write_parquet(path)
    with pytest.raises(EvaluationError, match="does not say whose they are"):
        read_scores(path, town())
    found = read_scores(path, town(), town().entities.names).read(ROWS)
    np.testing.assert_array_equal(found, program.scores[ROWS])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_best_few(tmp_path: Path, ending: str) -> None:
    program = honest()
    path = tmp_path / f"top.{ending}"
    file = read_scores(program.parquet(path, 5) if ending == "parquet" else program.csv(path, 5), town())
    found = file.read(ROWS)
    for row, scores in zip(found, program.scores[ROWS], strict=True):
        best = np.argsort(-scores)[:5]
        np.testing.assert_allclose(row[best], scores[best])
        assert np.isnan(np.delete(row, best)).all()
    assert file.shape == "the best 5 entities of each query"


def test_names_of_digits_and_other_spellings(tmp_path: Path) -> None:
    frame = pl.read_csv(honest().csv(tmp_path / "top.csv", 2))
    frame.with_columns(pl.col("subject").str.replace(" ", "_").str.to_uppercase()).write_csv(tmp_path / "odd.csv")
    file = read_scores(tmp_path / "odd.csv", town())
    np.testing.assert_array_equal(file.facts.subject, honest().facts.subject)


def test_large_arrays_of_an_npz_stay_on_the_disk(tmp_path: Path) -> None:
    large, small = np.arange(300_000, dtype=np.float64).reshape(3, -1), np.array(["ä", "b"])
    np.savez(tmp_path / "plain.npz", large=large, small=small)
    np.savez_compressed(tmp_path / "packed.npz", large=large, small=small)
    plain, packed = read_npz(tmp_path / "plain.npz"), read_npz(tmp_path / "packed.npz")
    assert isinstance(plain["large"], np.memmap)
    assert not isinstance(packed["large"], np.memmap)
    for arrays in (plain, packed):
        np.testing.assert_array_equal(arrays["large"], large)
        np.testing.assert_array_equal(arrays["small"], small)


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    for count in (2, 200_000):  # read, and mapped
        np.savez(tmp_path / "objects.npz", entities=np.array([{}] * count, dtype=object))
        with pytest.raises(EvaluationError, match="cannot read"):
            read_scores(tmp_path / "objects.npz", town())


def broken(**changes: Any) -> dict[str, Any]:
    program = honest()
    names = {name: np.array(values, dtype=str) for name, values in program.columns().items()}
    arrays = {**names, "scores": program.scores, "entities": np.array(town().entities.names, dtype=str), **changes}
    return {name: value for name, value in arrays.items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"direction": None}, "has no direction; expected the columns subject, relation, object, time, direction"),
        ({"scores": None}, "has no scores; expected"),
        ({"scores": honest().scores[:5]}, r"scores have shape \(5, 40\); expected \(\d+, 40\)"),
        ({"scores": np.where(honest().scores > 2, np.nan, honest().scores)}, "scores are nan, which cannot be ranked"),
        ({"direction": np.full(len(honest().answer), "up")}, "direction 'up' is unknown; expected tail or head"),
        ({"time": np.full(len(honest().answer), "someday")}, "time: 'someday' is not a time of this dataset"),
        ({"subject": np.full(len(honest().answer), "nobody")}, "subject: unknown entity 'nobody'.*another dataset"),
        ({"entities": np.array(["person 00"] * 40)}, "an entity has more than one column"),
    ],
)
def test_what_is_wrong_is_one_clear_line(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    write_npz(tmp_path / "broken.npz", broken(**changes))
    with pytest.raises(EvaluationError, match=message) as caught:
        read_scores(tmp_path / "broken.npz", town()).read(np.arange(5, 60))
    assert "\n" not in str(caught.value)


def test_lists_that_do_not_fit(tmp_path: Path) -> None:
    frame = pl.read_parquet(honest().parquet(tmp_path / "top.parquet", 3))
    cut = frame.with_columns(pl.col("top_scores").list.head(2))
    twice = frame.with_columns(pl.col("top").list.eval(pl.element().first().repeat_by(3).explode()))
    for made, message in (
        (cut, "differ in length"),
        (twice, "lists an entity twice"),
        (frame.drop("top_scores"), "both"),
    ):
        made.write_parquet(tmp_path / "made.parquet")
        with pytest.raises(EvaluationError, match=message):
            read_scores(tmp_path / "made.parquet", town())


@pytest.mark.parametrize("name", ["missing.npz", "missing.csv", "scores.txt", "text.npz", "text.parquet"])
def test_files_that_are_none(tmp_path: Path, name: str) -> None:
    if name.startswith("text"):
        (tmp_path / name).write_text("no such thing")
    with pytest.raises(EvaluationError, match=r"cannot read|no known ending"):
        read_scores(tmp_path / name, town())
