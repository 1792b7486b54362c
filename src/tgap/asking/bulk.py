"""Answers to many questions, to files: in order, in parts that survive a stop. Each answer is a row:

    question                          number of the question, from 0
    subject, relation, object, time   the question, as it was written
    rank, answer, score               the answers, best first; a question without any has one row without these
    known, known_in                   whether the dataset has that fact, and in which splits
    evidence                          where asked for, in the row of the best answer: the events that carried most of
                                      the way, with share and measured effect (in CSV as JSON text)
    error                             why the question could not be answered (then there is one row, without an answer)

A part is ``PART`` questions in a row. It is computed anywhere (here, in other processes, on other machines) and written
here, whole or not at all, under the name that its number gives it: so every question is answered exactly once however
often the work was stopped, and the rows do not depend on who computed them. ``answer_folder`` leaves the parts as they
are, ``answer_file`` joins them to one file. A second call with the same questions, model and settings goes on with the
parts that are missing.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tgap.asking.model import Model
from tgap.asking.prediction import Prediction
from tgap.asking.questions import COLUMNS, QuestionRow, Questions
from tgap.data.atomic import write_atomically
from tgap.errors import DataError, QueryError
from tgap.explain.evidence_schema import EvidenceRow
from tgap.locks import one_process

PART = 1000  # questions per part
_EVENT = pl.Struct(
    {
        **dict.fromkeys(COLUMNS, pl.String),
        "share": pl.Float64,  # of all moves on the way to the answer, the part that took this event
        "effect": pl.Float64,  # probability with it minus without it
    }
)
_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "question": pl.Int64,
    **dict.fromkeys(COLUMNS, pl.String),
    "rank": pl.Float64,
    "answer": pl.String,
    "score": pl.Float64,
    "known": pl.String,
    "known_in": pl.String,
    "evidence": pl.List(_EVENT),
    "error": pl.String,
}
Row = dict[str, Any]
Progress = Callable[[int, int], None]  # hears how many questions of how many are answered


@dataclass(frozen=True)
class Wanted:
    """What is asked of every question."""

    top: int = 10  # answers at most
    at_least: float | None = None  # lowest score of an answer that is kept
    evidence: int = 0  # events to be named for the best answer


class Part(NamedTuple):
    """Questions to be answered together."""

    number: int
    first: int  # number of the first question
    rows: list[QuestionRow]


class AnsweredPart(NamedTuple):
    """The answers to a part, in the order of its questions."""

    number: int
    questions: int
    rows: list[Row]


# Answers parts, in whatever order they get done. How many processes or machines do it is its own affair.
Answering = Callable[[Iterator[Part]], Iterable[AnsweredPart]]


def answer_part(model: Model, part: Part, wanted: Wanted) -> AnsweredPart:
    """The answers to one part."""
    rows: list[Row] = []
    answers = model.predict_many(part.rows, top=wanted.top, evidence=wanted.evidence)
    for number, (row, found) in enumerate(zip(part.rows, answers, strict=True), start=part.first):
        question = {"question": number, **dict(zip(COLUMNS, row, strict=True))}
        if isinstance(found, QueryError):
            rows.append({**question, "error": str(found)})
        else:
            rows += [{**question, **answer} for answer in _answers(found, wanted.at_least)] or [question]
    return AnsweredPart(part.number, len(part.rows), rows)


def answering_here(model: Model, wanted: Wanted) -> Answering:
    """One part after the other, in this process."""
    return lambda parts: (answer_part(model, part, wanted) for part in parts)


def answer_folder(
    questions: Questions, out: Path, answering: Answering, identity: Row, progress: Progress | None = None
) -> int:
    """Answer questions to ``out/part-NNNNNN.parquet``; returns how many could not be answered.

    ``identity`` tells what answers (see ``identity_of``), so that parts of another model are not taken for this one's.
    """
    with _locked(out):
        _prepare(out, {"questions": questions.digest, **identity})
        parts = range(-(-len(questions) // PART) or 1)  # no question at all still gives a file with the columns
        files = {number: out / f"part-{number:06d}.parquet" for number in parts}
        missing = [number for number in parts if not files[number].exists()]
        done = sum(min(PART, len(questions) - PART * number) for number in parts if number not in set(missing))
        waiting = (
            Part(number, PART * number, questions.rows(PART * number, PART * (number + 1))) for number in missing
        )
        if progress is not None:
            progress(done, len(questions))
        for answered in answering(waiting):
            content = _bytes(pl.DataFrame(answered.rows, schema=_SCHEMA), ".parquet")
            write_atomically(files[answered.number], content)
            done += answered.questions
            if progress is not None:
                progress(done, len(questions))
        failed = pl.scan_parquet(list(files.values())).filter(pl.col("error").is_not_null())
        return int(failed.select(pl.len()).collect().item())


def answer_file(
    questions: Questions, out: Path, answering: Answering, identity: Row, progress: Progress | None = None
) -> int:
    """Answer questions to one file, whose name says its form; finished parts lie beside it until all are there."""
    if out.suffix not in FORMS:
        raise DataError(f"{out} ends in {out.suffix!r}; expected answers as {', '.join(FORMS)}")
    parts = out.with_name(f".{out.name}.parts")
    failed = answer_folder(questions, parts, answering, identity, progress)
    answers = pl.concat([pl.read_parquet(file) for file in sorted(parts.glob("part-*.parquet"))])
    write_atomically(out, _bytes(answers, out.suffix))
    shutil.rmtree(parts)
    return failed


def identity_of(model: Model, wanted: Wanted, name: str = "") -> Row:
    """What makes the answers what they are, besides the questions; ``name`` tells what answers."""
    return {"model": name, "data": model.dataset.checksum, **asdict(wanted)}


def _prepare(folder: Path, identity: Row) -> None:
    """A folder for the parts; those of other questions or of another model are refused, not mixed."""
    manifest = folder / "manifest.json"
    if manifest.exists():
        if json.loads(manifest.read_text(encoding="utf-8")) != identity:
            raise DataError(f"{folder} holds answers to other questions or of another model; remove it to begin anew")
        for draft in folder.glob(".part-*.tmp"):
            draft.unlink()  # of a process that was killed while it wrote
        return
    if any(entry.name != ".lock" for entry in folder.iterdir()):
        raise DataError(f"{folder} is not empty and holds no answers of ours; choose another folder")
    write_atomically(manifest, json.dumps(identity, indent=1).encode())


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep a second process from the same folder; the lock ends with the process, even a killed one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error
    busy = DataError(f"another process is writing answers to {folder}; wait for it or stop it")
    with one_process(folder / ".lock", busy):
        yield


def _answers(found: Prediction, at_least: float | None) -> Iterator[Row]:
    for place, answer in enumerate(found.answers):
        if at_least is not None and answer.score < at_least:
            return
        yield {
            "rank": answer.rank,
            "answer": answer.name,
            "score": answer.score,
            "known": answer.known,
            "known_in": ", ".join(answer.known_in),
            "evidence": [_event(row) for row in found.evidence] if found.evidence and place == 0 else None,
        }


def _event(row: EvidenceRow) -> Row:
    return {name: getattr(row, name) for name in (*COLUMNS, "share", "effect")}


def _bytes(frame: pl.DataFrame, suffix: str) -> bytes:
    content = io.BytesIO()
    FORMS[suffix](frame, content)
    return content.getvalue()


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The evidence as JSON text: a cell of a CSV file holds no list."""
    texts = [
        None if events is None else json.dumps(events, ensure_ascii=False) for events in frame["evidence"].to_list()
    ]
    return frame.with_columns(pl.Series("evidence", texts, dtype=pl.String))


FORMS: dict[str, Callable[[pl.DataFrame, io.BytesIO], object]] = {
    ".parquet": lambda frame, file: frame.write_parquet(file),
    ".csv": lambda frame, file: _flat(frame).write_csv(file),
    ".jsonl": lambda frame, file: frame.write_ndjson(file),
}
