"""Questions from a file: order, errors in their place, parts that survive a stop."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from tests.explain.small_dataset import small_dataset, small_explainer
from tgap.asking import bulk
from tgap.asking.bulk import Wanted, answer_folder, answering_here, identity_of
from tgap.asking.bulk import answer_file as answer_questions
from tgap.asking.model import Model
from tgap.asking.prediction import Prediction
from tgap.asking.questions import FileQuestions, RelationQuestions
from tgap.errors import DataError, QueryError
from tgap.methods import config_for, make_scorer


def read_questions(path: Path) -> list[tuple[str | None, str, str | None, str]]:
    return FileQuestions(path).rows(0, 1000)


def answer_file(
    loaded: Model,
    path: Path,
    out: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    **wanted: int,
) -> int:
    """As ``tgap predict --file`` does it."""
    asked = Wanted(**wanted)
    here = answering_here(loaded, asked)
    return answer_questions(FileQuestions(path), out, here, identity_of(loaded, asked), progress)


@pytest.fixture(scope="module")
def loaded() -> Model:
    dataset = small_dataset()
    return Model(small_explainer(dataset), dataset)


@pytest.fixture
def questions(loaded: Model, tmp_path: Path) -> Path:
    data = loaded.dataset
    names, relation = data.entities.names, data.relations.names[0]
    rows: list[tuple[str | None, ...]] = [(name, relation, "?", data.timeline.format(0)) for name in names[:5]]
    rows += [("nobody at all", relation, None, data.timeline.format(0)), (None, relation, names[0], "no date")]
    rows += [(None, relation, names[1], data.timeline.format(1))]
    path = tmp_path / "questions.csv"
    pl.DataFrame(rows, schema=["subject", "relation", "object", "time"], orient="row").write_csv(path)
    return path


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_answers_are_those_of_single_questions_in_order(
    loaded: Model, questions: Path, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "PART", 3)
    out = tmp_path / f"answers.{suffix}"
    assert answer_file(loaded, questions, out, top=2) == 2
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        "parquet": pl.read_parquet,
        "csv": pl.read_csv,
        "jsonl": pl.read_ndjson,
    }
    answers = readers[suffix](out)
    assert answers["question"].is_sorted()
    assert set(answers["question"]) == set(range(8))
    for number, row in enumerate(read_questions(questions)):
        mine = answers.filter(pl.col("question") == number)
        if number in (5, 6):
            assert mine.height == 1
            assert mine["error"][0]
            continue
        alone = loaded.predict(*row, top=2)
        assert mine["answer"].to_list() == [answer.name for answer in alone.answers]
        assert mine["score"].to_list() == pytest.approx([answer.score for answer in alone.answers], rel=1e-5)
    assert not list(tmp_path.glob(".*.parts"))


def test_a_stopped_run_goes_on_with_the_missing_parts(
    loaded: Model, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "PART", 3)
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts.parquet"
    answer_file(loaded, questions, whole)

    class StoppedError(Exception):
        """Somebody pulled the plug."""

    def stop(done: int, _total: int) -> None:
        if done == 6:
            raise StoppedError

    with pytest.raises(StoppedError):
        answer_file(loaded, questions, parts, progress=stop)
    asked: list[int] = []
    real = loaded.predict_many

    def counted(rows: list[object], **options: int) -> object:
        asked.append(len(rows))
        return real(rows, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(loaded, "predict_many", counted)
    with pytest.raises(DataError, match="other questions or of another model; remove it"):
        answer_file(loaded, questions, parts, top=3)
    answer_file(loaded, questions, parts)
    assert asked == [2]
    assert whole.read_bytes() == parts.read_bytes()


def test_many_questions_in_python(loaded: Model) -> None:
    data = loaded.dataset
    good = (data.entities.names[0], data.relations.names[0], None, data.timeline.format(0))
    found = list(loaded.predict_many([good, ("nobody at all", *good[1:]), good], batch_size=2))
    assert isinstance(found[0], Prediction)
    assert isinstance(found[1], QueryError)
    assert found[2] == found[0]


def test_evidence_stands_with_the_best_answers(loaded: Model, questions: Path, tmp_path: Path) -> None:
    frames = []
    for suffix, read in (("parquet", pl.read_parquet), ("jsonl", pl.read_ndjson), ("csv", pl.read_csv)):
        out = tmp_path / f"answers.{suffix}"
        answer_file(loaded, questions, out, top=2, evidence=3)
        frames.append(read(out))
    texts = [None if text is None else json.loads(text) for text in frames[2]["evidence"]]
    for frame in frames[:2]:
        found = frame["evidence"].to_list()
        assert [events or None for events in found] == texts
        assert all(rank == 1 for rank, events in zip(frame["rank"], found, strict=True) if events)
    first = loaded.predict(*read_questions(questions)[0], evidence=3)
    explained = loaded.explain(*read_questions(questions)[0], effects=3)
    assert first.evidence == explained.document.evidence
    assert texts[0] == [
        {name: getattr(row, name) for name in ("subject", "relation", "object", "time", "share", "effect")}
        for row in first.evidence
    ]


def test_evidence_needs_a_walk(loaded: Model) -> None:
    data = loaded.dataset
    counter = Model(make_scorer(config_for("recency", "world"), data), data)
    with pytest.raises(QueryError, match="recency gives answers without reasons"):
        next(counter.predict_many([(data.entities.names[0], data.relations.names[0], None, "2014-04-29")], evidence=1))


def test_bad_files_are_named(loaded: Model, questions: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ends in '\.xlsx'; expected answers as \.parquet, \.csv, \.jsonl"):
        answer_file(loaded, questions, tmp_path / "answers.xlsx")
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="has the columns a, b; expected columns relation and time"):
        read_questions(wrong)
    with pytest.raises(DataError, match="cannot read"):
        read_questions(tmp_path / "absent.csv")


def test_a_folder_holds_every_question_once_and_goes_on_where_it_stopped(
    loaded: Model, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "PART", 3)
    wanted = Wanted(top=3, at_least=0.2)
    identity, here = identity_of(loaded, wanted), answering_here(loaded, wanted)
    out = tmp_path / "answers"
    assert answer_folder(FileQuestions(questions), out, here, identity) == 2
    answers = pl.read_parquet(out / "part-*.parquet")
    assert answers["question"].is_sorted()
    assert set(answers["question"]) == set(range(8))
    for number, row in enumerate(read_questions(questions)):
        mine = answers.filter(pl.col("question") == number)
        if number in (5, 6):
            continue
        alone = [answer for answer in loaded.predict(*row, top=3).answers if answer.score >= 0.2]
        assert [name for name in mine["answer"] if name is not None] == [answer.name for answer in alone]
        assert mine.height == max(1, len(alone))
    first = (out / "part-000000.parquet").read_bytes()
    (out / "part-000001.parquet").unlink()
    (out / ".part-000001.parquet.xyz.tmp").touch()
    told: list[tuple[int, int]] = []
    answer_folder(FileQuestions(questions), out, here, identity, lambda *at: told.append(at))
    assert told == [(5, 8), (8, 8)]
    assert pl.read_parquet(out / "part-*.parquet").equals(answers)
    assert (out / "part-000000.parquet").read_bytes() == first
    assert not list(out.glob("*.tmp"))


def test_a_folder_of_others_is_left_alone(loaded: Model, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    identity, here = identity_of(loaded, Wanted()), answering_here(loaded, Wanted())
    with pytest.raises(DataError, match="is not empty and holds no answers of ours"):
        answer_folder(FileQuestions(questions), tmp_path, here, identity)


def test_two_processes_do_not_share_a_folder(loaded: Model, questions: Path, tmp_path: Path) -> None:
    out, asked = tmp_path / "answers", FileQuestions(questions)
    identity = identity_of(loaded, Wanted())

    def answering(parts: Iterator[bulk.Part]) -> Iterator[bulk.AnsweredPart]:
        with pytest.raises(DataError, match="another process is writing answers to"):
            answer_folder(asked, out, answering_here(loaded, Wanted()), identity)
        yield from answering_here(loaded, Wanted())(parts)

    answer_folder(asked, out, answering, identity)
    assert (out / "part-000000.parquet").exists()


def test_all_about_a_relation(loaded: Model) -> None:
    data = loaded.dataset
    number = int(data.train.relation[0])
    name = data.relations.name(number)
    first, last = data.timeline.format(1), data.timeline.format(3)
    mine = data.train[data.train.relation == number]
    subjects = {data.entities.name(entity) for entity in mine.subject.tolist()}
    objects = {data.entities.name(entity) for entity in mine.object.tolist()}
    asked = RelationQuestions(data, name, first, last, "both")
    rows = asked.rows(0, len(asked) + 5)
    assert len(rows) == len(asked) == 3 * (len(subjects) + len(objects))
    assert len(set(rows)) == len(rows)
    assert {row[0] for row in rows} == subjects | {None}
    assert {row[2] for row in rows} == objects | {None}
    assert [row[3] for row in rows] == sorted(row[3] for row in rows)
    assert rows[4:6] == asked.rows(4, 6)
    assert asked.digest != RelationQuestions(data, name, first, last).digest
    with pytest.raises(QueryError, match="ends before it begins"):
        RelationQuestions(data, name, last, first)
