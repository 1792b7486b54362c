"""Evaluation of a model beside the untrained baselines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tgap.capabilities import under_setting
from tgap.data import Dataset
from tgap.evaluation import (
    Bootstrap,
    Evaluation,
    Filters,
    Ranks,
    Report,
    evaluate,
    report_csv,
    report_dict,
    with_intervals,
)
from tgap.evaluation.predictions import predictions_frame
from tgap.methods import BESIDE, config_for, find_method, make_scorer
from tgap.scorer import Scorer

if TYPE_CHECKING:
    import polars as pl

    from tgap.asking.model import Model
    from tgap.asking.operation import Progress
    from tgap.asking.operations.evaluate import EvaluateOptions

_BATCH = 64  # queries scored at a time where no run says otherwise


@dataclass(frozen=True, repr=False)
class EvaluationResult:
    """Ranks and reports: the model's first, then those of the baselines."""

    evaluations: tuple[Evaluation, ...]
    reports: tuple[Report, ...]
    dataset: Dataset
    filters: Filters

    @property
    def report(self) -> Report:
        """The model's metrics."""
        return self.reports[0]

    @property
    def ranks(self) -> Ranks:
        """The rank of every answer under every protocol."""
        return self.evaluations[0].ranks

    def __repr__(self) -> str:
        return repr(self.evaluations[0])

    def to_frame(self) -> pl.DataFrame:
        """One row per method and protocol."""
        import polars as pl  # noqa: PLC0415  only for those who want a table

        frames = [
            one.to_frame().insert_column(0, pl.lit(one.report.scorer).alias("method")) for one in self.evaluations
        ]
        return pl.concat(frames)

    def to_dict(self) -> dict[str, Any]:
        """Every metric (docs/evaluation.md)."""
        return report_dict(self.reports[0], self.reports[1:])

    def to_json(self) -> str:
        """Every metric as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def csv(self) -> str:
        """Every metric of every method in long form."""
        return report_csv(self.reports)

    def predictions_frame(self) -> pl.DataFrame:
        """Every query with its rank and best answers; needs an evaluation with ``top``."""
        return predictions_frame(self.evaluations[0], self.dataset, self.filters)

    def predictions(self) -> bytes:
        """The same as a Parquet file."""
        content = io.BytesIO()
        self.predictions_frame().write_parquet(content)
        return content.getvalue()


def evaluate_model(model: Model, options: EvaluateOptions, progress: Progress | None = None) -> EvaluationResult:
    """Rank the true answers of a split under all protocols."""
    setting = model.setting.chosen(model.dataset, options.context, options.as_of, options.past_only, options.window)
    asked = model.under(setting)
    filters = Filters.of(model.dataset)
    scorers = [asked.scorer, *(_baselines(asked) if options.baselines else ())]
    size = _BATCH if model.config is None else model.config.evaluation.batch_size
    evaluations = tuple(
        evaluate(
            scorer,
            model.dataset,
            options.split,
            batch_size=size,
            limit=options.limit,
            seed=options.seed,
            top=options.top if scorer is asked.scorer else 0,
            filters=filters,
            progress=progress,
        )
        for scorer in scorers
    )
    reports = [evaluation.report for evaluation in evaluations]
    if options.bootstrap is not None:
        reports = list(with_intervals(evaluations, Bootstrap(samples=options.bootstrap, seed=options.seed)))
    return EvaluationResult(evaluations, tuple(reports), model.dataset, filters)


def _baselines(model: Model) -> Iterator[Scorer]:
    """The untrained methods that stand beside a model's task, under the same setting."""
    task = "completion" if model.config is None else model.config.task
    for name in BESIDE[task]:
        if find_method(name).title != model.scorer.name:
            scorer = make_scorer(config_for(name, model.dataset.name, task=task), model.dataset)
            yield under_setting(scorer, model.dataset, model.setting)
