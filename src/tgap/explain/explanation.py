"""One explanation: the document of ``schema`` together with the trace it was read from, in every form it is wanted in.

``make_explanation`` is the way from a trace to all findings; CLI, server and notebooks go through it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tgap.capabilities import Walker
from tgap.data.display import shown
from tgap.evaluation.calibration import Calibration
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.chains import heaviest_chains
from tgap.explain.counterfactual import Counterfactual
from tgap.explain.edges import masses, mean_attention, strongest_edges
from tgap.explain.evidence import measure_evidence
from tgap.explain.evidence_schema import CalibrationRow, EvidenceRow
from tgap.explain.evidence_tables import (
    calibrated_answer,
    chain_table,
    couple_rows,
    evidence_rows,
    flip_row,
    group_rows,
    removal_rows,
    reranked_row,
    share_table,
    sufficient_table,
)
from tgap.explain.flips import removal, smallest_flip, sufficiency_curve
from tgap.explain.naming import Names
from tgap.explain.options import ExplainOptions
from tgap.explain.paths import heaviest_walks
from tgap.explain.profile import query_profile
from tgap.explain.reach import reach
from tgap.explain.reranking import reranked_part
from tgap.explain.schema import Answer, Document, Question, ReachRow, plain
from tgap.explain.tables import flow_table, path_table, profile_table, step_tables
from tgap.explain.verdict import verdict
from tgap.explain.wording import reach_sentence
from tgap.scorer import Trace

if TYPE_CHECKING:
    import polars as pl

    from tgap.drawing.shapes import Drawing


@dataclass(frozen=True)
class Explanation:
    """Why the model gives ``document.answer`` its probability."""

    document: Document
    flow: AnswerFlow = field(repr=False)
    names: Names = field(repr=False)

    @property
    def trace(self) -> Trace:
        """The forward pass that everything was read from."""
        return self.flow.trace

    def __str__(self) -> str:
        """Why, in one sentence."""
        return shown(self.document.sentence or self.document.question.text)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document (docs/json-schema.md)."""
        return self.document.to_dict()

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_frame(self) -> pl.DataFrame:
        """Strongest edges of all steps, one row an edge."""
        import polars as pl  # noqa: PLC0415  importing tgap.explain stays quick

        rows = [{"step": step.step, **vars(edge)} for step in self.document.steps for edge in step.edges]
        return pl.DataFrame(rows, infer_schema_length=None)

    def evidence_frame(self) -> pl.DataFrame:
        """The facts that were taken away one at a time, strongest effect first."""
        import polars as pl  # noqa: PLC0415

        return pl.DataFrame([vars(row) for row in self.document.evidence], infer_schema_length=None)

    def paths_frame(self) -> pl.DataFrame:
        """The heaviest walks, one row a walk."""
        import polars as pl  # noqa: PLC0415

        rows = [(row.share, len(row.edges), row.sentence) for row in self.document.paths.walks]
        return pl.DataFrame(rows, schema=["share", "edges", "sentence"], orient="row")

    def profile_frame(self) -> pl.DataFrame:
        """Attention and base by displacement."""
        import polars as pl  # noqa: PLC0415

        return pl.DataFrame([vars(row) for row in self.document.profile.displacements], infer_schema_length=None)

    def trace_frame(self) -> pl.DataFrame:
        """Every edge that carried attention in any step, self-loops included: the whole trace by name."""
        import polars as pl  # noqa: PLC0415

        entities = np.array(self.names.dataset.entities.names, dtype=object)
        labels = np.array([self.names.label(r) for r in range(2 * self.names.num_relations + 1)], dtype=object)
        frames = []
        for number, (step, held) in enumerate(zip(self.trace.steps, masses(self.trace), strict=False), start=1):
            times, place = np.unique(step.time, return_inverse=True)
            dates = np.array([self.names.date(int(time)) for time in times], dtype=object)
            frames.append(
                pl.DataFrame(
                    {
                        "step": np.full(len(step.edge), number),
                        "subject": pl.Series(entities[step.subject], dtype=pl.String),
                        "relation": pl.Series(labels[step.relation], dtype=pl.String),
                        "object": pl.Series(entities[step.object], dtype=pl.String),
                        "time": pl.Series(dates[place], dtype=pl.String),
                        "displacement": step.time - self.trace.query.time,
                        "before": held[step.subject],
                        "attention": mean_attention(step),
                    }
                )
            )
        return pl.concat(frames)

    def drawing(self) -> Drawing:
        """The flow picture of this answer."""
        from tgap.drawing.flow_picture import flow_drawing, flow_picture  # noqa: PLC0415  only for those who draw

        return flow_drawing(flow_picture(self.names, self.flow, self.document.question.text))

    def to_svg(self) -> str:
        """The flow picture as an SVG file's text, with details on hover."""
        from tgap.drawing.svg import drawing_svg  # noqa: PLC0415

        return drawing_svg(self.drawing(), alone=True)

    def draw(self, file_format: str = "png") -> bytes:
        """The flow picture as the bytes of a PNG, SVG or PDF file."""
        if file_format == "svg":
            return self.to_svg().encode()
        from tgap.drawing.rendering import drawing_figure, render  # noqa: PLC0415

        return render(drawing_figure(self.drawing()), file_format)

    def draw_profile(self, file_format: str = "png") -> bytes:
        """The displacement profile as the bytes of a PNG, SVG or PDF file."""
        from tgap.drawing.profile_figure import Panel, profile_figure  # noqa: PLC0415
        from tgap.drawing.rendering import render  # noqa: PLC0415

        panel = Panel(f"{self.document.question.text}: 1 question", self.document.profile)
        return render(profile_figure([panel]), file_format)

    def to_html(self) -> str:
        """A page that stands alone: tables and the flow picture, without network access."""
        from tgap.drawing.report import report_page  # noqa: PLC0415

        return report_page(self.document, self.drawing())

    def _repr_html_(self) -> str:
        from tgap.drawing.report import report_body  # noqa: PLC0415

        return report_body(self.document, self.drawing())


@dataclass(frozen=True)
class Reason:
    """Why, in short: the sentence of an explanation with what was measured for it, and nothing else."""

    VERSION: ClassVar[str] = "tgap.reason/1"

    answer: Answer
    sentence: str
    kind: str  # as in ``Document``
    evidence: tuple[EvidenceRow, ...]  # facts taken away one at a time, strongest effect first
    asked_fact_hidden: bool
    calibration: CalibrationRow | None

    def __str__(self) -> str:
        return shown(self.sentence)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found


def make_explanation(
    explainer: Walker,
    names: Names,
    question: Question,
    answer: tuple[int, Answer],
    trace: Trace,
    *,
    options: ExplainOptions = ExplainOptions(),  # noqa: B008  frozen
    notes: tuple[str, ...] = (),
    asked_fact_hidden: bool = False,
    calibration: Calibration | None = None,
) -> Explanation:
    """All that can be said about ``answer`` (its id and how it stands) from the trace of its question."""
    index, row = answer
    graph = explainer.graph
    flow = AnswerFlow.of(graph, trace, index)
    steps = strongest_edges(trace, graph.loop_relation, options.edges, flow)
    walks = heaviest_walks(trace, index, graph.loop_relation, options.paths)
    found = reach(graph, trace, index)
    document = Document(
        question=question,
        instant=trace.query.time,
        answer=row,
        **_measured(explainer, names, flow, options, asked_fact_hidden),
        calibration=_calibrated(names, calibration, trace, index),
        asked_fact_hidden=asked_fact_hidden,
        chains=chain_table(names, flow, heaviest_chains(flow, options.chains)),
        shares=share_table(names, flow),
        reach=ReachRow(found.steps, found.distance, found.reachable, reach_sentence(question.start, row.name, found)),
        steps=step_tables(names, trace, steps),
        paths=path_table(names, trace, walks),
        profile=profile_table(names, query_profile(graph, trace)),
        flow=flow_table(names, flow, walks.walks, options.bundles) if options.bundles else None,
        notes=notes,
    )
    return Explanation(document, flow, names)


def make_reason(
    explainer: Walker,
    names: Names,
    answer: tuple[int, Answer],
    trace: Trace,
    *,
    effects: int = 20,
    asked_fact_hidden: bool = False,
    calibration: Calibration | None = None,
) -> Reason:
    """The sentence alone, the same as in an explanation that measures as many effects; several times as quick."""
    index, row = answer
    options = ExplainOptions(effects=effects, groups=0, flips=False, sufficient=False)
    flow = AnswerFlow.of(explainer.graph, trace, index)
    found = _measured(explainer, names, flow, options, asked_fact_hidden)
    return Reason(
        answer=row,
        sentence=found["sentence"],
        kind=found["kind"],
        evidence=found["evidence"],
        asked_fact_hidden=asked_fact_hidden,
        calibration=_calibrated(names, calibration, trace, index),
    )


def _calibrated(names: Names, found: Calibration | None, trace: Trace, answer: int) -> CalibrationRow | None:
    if found is None:
        return None
    return calibrated_answer(found, names.dataset, trace.query, trace.scores, answer)


def _measured(
    explainer: Walker, names: Names, flow: AnswerFlow, options: ExplainOptions, hidden: bool
) -> dict[str, Any]:
    """The parts of the document for which facts are taken away."""
    if not options.effects:
        return {
            "sentence": None, "kind": None, "evidence": (), "groups": (), "couples": (), "removals": (), "flips": None,
            "flip_tried": 0, "sufficient": None, "reranked": None, "spread": None,
        }  # fmt: skip
    asked = Counterfactual(explainer, flow.trace, flow.answer)
    evidence = measure_evidence(asked, flow, options.effects, times=options.groups)
    removed = removal(asked, evidence) if options.flips else None
    flip = smallest_flip(asked, evidence, removed) if removed else None
    curve = sufficiency_curve(asked, evidence.support) if options.sufficient else ()
    part = reranked_part(explainer, flow)
    why = verdict(names, flow, evidence, hidden=hidden, reranked=part)
    return {
        "sentence": why.sentence,
        "kind": why.kind,
        "evidence": evidence_rows(names, flow, evidence),
        "groups": group_rows(names, flow, evidence),
        "couples": couple_rows(names, flow, evidence),
        "removals": removal_rows(names, flow, removed) if removed else (),
        "flips": None if flip is None else flip_row(names, flow, flip),
        "flip_tried": evidence.tried if removed and evidence.before.leads else 0,
        "sufficient": sufficient_table(flow, evidence, curve) if curve else None,
        "reranked": None if part is None else reranked_row(names, flow, part),
        "spread": evidence.spread or None,
    }
