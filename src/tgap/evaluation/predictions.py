"""Every query with its rank and the scorer's best answers, as a Parquet file.

One row a query, in the order of the split: all tails, then all heads. The fact is written as it stands in the data;
``direction`` says which end was asked for.

    direction                        "tail" or "head"
    subject, relation, object, time  the fact, by name
    answer, answer_score             the end that was asked for, and the score it got
    rank_raw, rank_static, rank_time                 mean ties, a column for each protocol
    optimistic_raw ..., pessimistic_raw ...          the other two tie rules
    true_answers                     entities that are true for the query at that time (all splits)
    top, top_scores                  the best entities, best first, nobody filtered; equal scores by entity id
    top_true                         which of them are true answers at that time
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import polars as pl

from tgap.data import Dataset
from tgap.data.atomic import write_atomically
from tgap.errors import EvaluationError
from tgap.evaluation.protocols import Filters
from tgap.evaluation.ranks import TIES
from tgap.evaluation.scoring import Evaluation


def predictions_frame(evaluation: Evaluation, dataset: Dataset, filters: Filters) -> pl.DataFrame:
    """The table described above; needs an evaluation that kept its top answers."""
    if evaluation.top is None:
        raise EvaluationError("this evaluation kept no predictions; call evaluate with top=10 or so")
    queries, top, ranks = evaluation.queries, evaluation.top, evaluation.ranks
    batch, head = queries.batch, queries.head
    entities = np.array(dataset.entities.names, dtype=object)
    relations = np.array(dataset.relations.names, dtype=object)
    times, when = np.unique(batch.time, return_inverse=True)
    dates = np.array([dataset.timeline.format(int(time)) for time in times], dtype=object)
    group = evaluation.grouping.group
    true = filters.answers.at_that_time().rows(evaluation.grouping.batch)
    is_true = true.contain(top.entity.astype(np.int64), dataset.num_entities)
    columns = {
        "direction": np.where(head, "head", "tail"),
        "subject": entities[np.where(head, queries.answer, batch.subject)],
        "relation": relations[batch.relation % dataset.num_relations],
        "object": entities[np.where(head, batch.subject, queries.answer)],
        "time": dates[when.reshape(-1)],
        "answer": entities[queries.answer],
    }
    frame = pl.DataFrame({name: pl.Series(values.tolist(), dtype=pl.String) for name, values in columns.items()})
    return frame.with_columns(
        pl.Series("answer_score", evaluation.answer_score),
        *(pl.Series(f"rank_{protocol}", ranks.of(protocol)) for protocol in ranks.protocols),
        *(
            pl.Series(f"{ties}_{protocol}", ranks.of(protocol, ties).astype(np.int32))
            for ties in TIES
            if ties != "mean"
            for protocol in ranks.protocols
        ),
        pl.Series("true_answers", true.count[group]),
        pl.Series("top", entities[top.entity[group]].tolist(), dtype=pl.List(pl.String)),
        pl.Series("top_scores", top.score[group].tolist(), dtype=pl.List(pl.Float32)),
        pl.Series("top_true", is_true[group].tolist(), dtype=pl.List(pl.Boolean)),
    )


def write_predictions(path: Path, evaluation: Evaluation, dataset: Dataset, filters: Filters) -> None:
    """Write the table as Parquet, atomically."""
    content = io.BytesIO()
    predictions_frame(evaluation, dataset, filters).write_parquet(content)
    write_atomically(path, content.getvalue())
