"""Faithfulness curves of many questions, kept in a file from which a study goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tgap.data.atomic import write_atomically
from tgap.errors import Option, QueryError
from tgap.evaluation.queries import SplitQueries
from tgap.evaluation.scoring import Progress
from tgap.graph import View
from tgap.runs.folder import RunFolder
from tgap.scorer import Query
from tgap.studies.faithfulness_curves import CurveRow, question_curves

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.studies.faithfulness_study import FaithfulnessOptions

_SCHEMA = "tgap.curves/2"  # the first line of a file says what its rows are of


def curve_rows(
    model: Model, asked: SplitQueries, options: FaithfulnessOptions, progress: Progress | None = None
) -> list[CurveRow]:
    """Curves of all questions; those that a file already holds are read from it, the others are added to it."""
    file, walker = options.rows, model.walker
    rows = [] if file is None else _stored(file, _made(model, options), asked)
    for place in range(len(rows), len(asked)):
        query = Query(*(int(column[place]) for column in (asked.batch.subject, asked.batch.relation, asked.batch.time)))
        answer = int(asked.answer[place]) if options.answers == "true" else None
        rows.append(question_curves(walker, query, View.all(), answer, options.seed))
        if file is not None:
            with file.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(rows[-1].to_dict()) + "\n")
        if progress is not None:
            progress(place + 1, len(asked))
    return rows


def _made(model: Model, options: FaithfulnessOptions) -> dict[str, Any]:
    """How rows are made."""
    if model.folder is None:
        raise QueryError(f"{model!r} has no run folder that ", Option("rows"), " could name; save it first")
    identity = RunFolder(model.folder).identity()
    return {"schema": _SCHEMA, "run": identity, "answers": options.answers, "seed": options.seed}


def _stored(file: Path, made: dict[str, Any], asked: SplitQueries) -> list[CurveRow]:
    """The rows of a file, which is begun if need be; refuses those of other questions or another model."""
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []  # what follows the last newline is unfinished
    try:
        head, *rows = [json.loads(line) for line in lines] or [made]
        found = [CurveRow.of(row) for row in rows][: len(asked)] if head == made else None
    except (ValueError, TypeError) as error:
        raise QueryError(f"{file} holds no rows of this study ({error}); name another file") from error
    wanted = zip(asked.batch.subject.tolist(), asked.batch.relation.tolist(), asked.batch.time.tolist(), strict=True)
    if found is None or any(
        (row.subject, row.relation, row.time) != query for row, query in zip(found, wanted, strict=False)
    ):
        raise QueryError(
            f"the rows of {file} were made with another model, split, side, limit, seed or kind of answers; "
            "name another file"
        )
    write_atomically(file, b"".join(line + b"\n" for line in lines or [json.dumps(made).encode()]))
    return found
