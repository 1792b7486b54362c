"""Ranks of every query, kept so that a comparison can go on, or be written anew, without scoring again.

A file belongs to the weights, settings, dataset and queries that it was made with: their digest is kept beside the
numbers, and a file of other ones is passed over.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import torch

from tgap.data import Dataset
from tgap.evaluation.protocols import Filters
from tgap.evaluation.queries import group
from tgap.evaluation.ranks import Ranks
from tgap.evaluation.report import build_report
from tgap.evaluation.scoring import Evaluation, split_queries
from tgap.graph.task import find_task
from tgap.runs.files import read_tensors, write_tensors
from tgap.studies.comparison.plan import Entry


@dataclass(frozen=True)
class Questions:
    """Which queries are asked: a split, or a random sample of it."""

    split: str = "test"
    limit: int | None = None
    seed: int = 0


def digest_of(entry: Entry, dataset: Dataset, questions: Questions) -> str:
    """What an entry's ranks depend on, as one text."""
    weights = ""
    if entry.folder is not None:
        weights = hashlib.sha256(entry.folder.weights_file.read_bytes()).hexdigest()
    model = entry.config(dataset.name).model.model_dump()
    asked = {"task": entry.task, **vars(questions)}
    parts = {"data": dataset.checksum, "weights": weights, "model": model, "questions": asked}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def write_ranks(path: Path, evaluation: Evaluation, digest: str) -> None:
    """Keep the ranks of an evaluation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {
        "better": evaluation.ranks.better,
        "equal": evaluation.ranks.equal,
        "answer_score": evaluation.answer_score,
    }
    metadata = {
        "digest": digest,
        "protocols": json.dumps(evaluation.ranks.protocols),
        "seconds": repr(evaluation.report.seconds),
    }
    write_tensors(path, {name: torch.from_numpy(array) for name, array in arrays.items()}, metadata)


def read_ranks(
    path: Path, entry: Entry, dataset: Dataset, questions: Questions, filters: Filters, digest: str
) -> Evaluation | None:
    """The evaluation that was kept; None if there is none, or if it is of something else."""
    if not path.exists():
        return None
    tensors, metadata = read_tensors(path)
    if metadata["digest"] != digest or json.loads(metadata["protocols"]) != list(filters.protocols):
        return None
    queries = split_queries(dataset, questions.split)
    if questions.limit is not None:
        queries = queries.sample(questions.limit, questions.seed)
    ranks = Ranks(filters.protocols, tensors["better"].numpy(), tensors["equal"].numpy())
    grouping = group(queries.batch)
    report = build_report(
        scorer=entry.title,
        setting=find_task(entry.task).setting,
        dataset=dataset,
        split=questions.split,
        queries=queries,
        seed=questions.seed,
        distinct=len(grouping),
        seconds=float(metadata["seconds"]),
        ranks=ranks,
        answers=filters.answers,
    )
    return Evaluation(queries, grouping, ranks, tensors["answer_score"].numpy(), None, report)
