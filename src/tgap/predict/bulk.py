"""Many questions from a file, their answers to a file: in order, in parts that survive a stop.

Questions are a CSV, Parquet or JSON lines file with the columns subject, relation, object and time; the side that is
asked for is empty or ``?``, and a column that is asked for in every row may be missing. Answers are one row each:

    question                          number of the question in its file, from 0
    subject, relation, object, time   the question, as it was written
    rank, answer, score               the answers, best first
    known, known_in                   whether the dataset has that fact, and in which splits
    evidence                          where asked for, in the row of the best answer: the events that carried most of
                                      the way, with share and measured effect (in CSV as JSON text)
    error                             why the question could not be answered (then there is one row, without an answer)

Finished parts lie in a folder beside the answers until all are there; a second call with the same questions, model and
settings goes on with the parts that are missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from tgap.data.atomic import write_atomically
from tgap.errors import DataError, QueryError
from tgap.explain.evidence_schema import EvidenceRow
from tgap.predict.prediction import Prediction
from tgap.predict.predictor import Predictor

PART = 1000  # questions per part
_COLUMNS = ("subject", "relation", "object", "time")
_EVENT = pl.Struct(
    {
        **dict.fromkeys(_COLUMNS, pl.String),
        "share": pl.Float64,  # of all moves on the way to the answer, the part that took this event
        "effect": pl.Float64,  # probability with it minus without it
    }
)
_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "question": pl.Int64,
    **dict.fromkeys(_COLUMNS, pl.String),
    "rank": pl.Float64,
    "answer": pl.String,
    "score": pl.Float64,
    "known": pl.String,
    "known_in": pl.String,
    "evidence": pl.List(_EVENT),
    "error": pl.String,
}
Row = dict[str, Any]


def read_questions(path: Path) -> pl.DataFrame:
    """The questions of a file as text, one row each."""
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        ".csv": lambda file: pl.read_csv(file, infer_schema=False),
        ".parquet": pl.read_parquet,
        ".jsonl": pl.read_ndjson,
    }
    if path.suffix not in readers:
        raise DataError(f"{path} ends in {path.suffix!r}; expected questions as {', '.join(readers)}")
    try:
        frame = readers[path.suffix](path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"cannot read {path}: {str(error).splitlines()[0]}") from error
    missing = [name for name in ("relation", "time") if name not in frame.columns]
    if missing or not {"subject", "object"} & set(frame.columns):
        wanted = "columns relation and time, and subject or object"
        raise DataError(f"{path} has the columns {', '.join(frame.columns)}; expected {wanted}")
    absent = [pl.lit(None, dtype=pl.String).alias(name) for name in _COLUMNS if name not in frame.columns]
    return frame.with_columns(absent).select(pl.col(name).cast(pl.String) for name in _COLUMNS)


def answer_file(
    predictor: Predictor,
    questions: Path,
    out: Path,
    *,
    top: int = 10,
    evidence: int = 0,
    model: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Answer the questions of a file; returns how many could not be answered.

    ``model`` identifies what answers, so that parts of another model are not taken for this one's.
    """
    asked = read_questions(questions)
    if out.suffix not in _WRITERS:
        raise DataError(f"{out} ends in {out.suffix!r}; expected answers as {', '.join(_WRITERS)}")
    parts = out.with_name(f".{out.name}.parts")
    digest = hashlib.sha256(asked.write_csv().encode()).hexdigest()
    settings = {"data": predictor.dataset.checksum, "top": top, "evidence": evidence}
    _prepare(parts, {"questions": digest, "model": model, **settings})
    files = []
    for number, begin in enumerate(range(0, max(len(asked), 1), PART)):
        file = parts / f"part-{number:06d}.parquet"
        if not file.exists():
            rows = list(_answer_rows(predictor, asked[begin : begin + PART], begin, top, evidence))
            write_atomically(file, _bytes(pl.DataFrame(rows, schema=_SCHEMA), ".parquet"))
        files.append(file)
        if progress is not None:
            progress(min(begin + PART, len(asked)), len(asked))
    answers = pl.concat([pl.read_parquet(file) for file in files])
    write_atomically(out, _bytes(answers, out.suffix))
    shutil.rmtree(parts)
    return answers.filter(pl.col("error").is_not_null()).height


def _prepare(parts: Path, identity: Row) -> None:
    """A folder for the parts; those of other questions or of another model are refused, not mixed."""
    manifest = parts / "manifest.json"
    if manifest.exists():
        if json.loads(manifest.read_text(encoding="utf-8")) != identity:
            raise DataError(f"{parts} holds answers to other questions or of another model; remove it to begin anew")
        return
    write_atomically(manifest, json.dumps(identity, indent=1).encode())


def _answer_rows(predictor: Predictor, asked: pl.DataFrame, first: int, top: int, evidence: int) -> Iterator[Row]:
    rows = asked.rows()
    answers = predictor.predict_many(rows, top=top, evidence=evidence)
    for number, (row, found) in enumerate(zip(rows, answers, strict=True), start=first):
        question = {"question": number, **dict(zip(_COLUMNS, row, strict=True))}
        if isinstance(found, QueryError):
            yield {**question, "error": str(found)}
        else:
            yield from ({**question, **answer} for answer in _answers(found))


def _answers(found: Prediction) -> Iterator[Row]:
    for place, answer in enumerate(found.answers):
        known_in = ", ".join(answer.known_in)
        yield {
            "rank": answer.rank,
            "answer": answer.name,
            "score": answer.score,
            "known": answer.known,
            "known_in": known_in,
            "evidence": [_event(row) for row in found.evidence] if found.evidence and place == 0 else None,
        }


def _event(row: EvidenceRow) -> Row:
    return {name: getattr(row, name) for name in (*_COLUMNS, "share", "effect")}


def _bytes(frame: pl.DataFrame, suffix: str) -> bytes:
    content = io.BytesIO()
    _WRITERS[suffix](frame, content)
    return content.getvalue()


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    """The evidence as JSON text: a cell of a CSV file holds no list."""
    texts = [
        None if events is None else json.dumps(events, ensure_ascii=False) for events in frame["evidence"].to_list()
    ]
    return frame.with_columns(pl.Series("evidence", texts, dtype=pl.String))


_WRITERS: dict[str, Callable[[pl.DataFrame, io.BytesIO], object]] = {
    ".parquet": lambda frame, file: frame.write_parquet(file),
    ".csv": lambda frame, file: _flat(frame).write_csv(file),
    ".jsonl": lambda frame, file: frame.write_ndjson(file),
}
