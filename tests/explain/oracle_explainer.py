"""A real, small explainer for tests: the slow oracle behind the ``Walker`` protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.oracle import Oracle, OracleStep
from tests.tiny import random_parameters, tiny_config, tiny_graph
from tgap.capabilities import Capabilities
from tgap.data import Dataset
from tgap.graph import TemporalGraph, View
from tgap.graph.resolve import visible_graph
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.graph.view import WHOLE
from tgap.model.settings import TGAPSettings
from tgap.scorer import FloatArray, Query, QueryBatch, ScoreKind, StepTrace, Trace


class OracleExplainer:
    """T-GAP with random parameters on one graph, walked by the oracle."""

    name = "oracle"
    kind = ScoreKind.PROBABILITY

    def __init__(
        self,
        graph: TemporalGraph,
        config: TGAPSettings,
        span: int,
        seed: int = 0,
        setting: EvaluationSetting = DEFAULT_SETTING,
    ) -> None:
        self.graph = graph
        self.setting = setting
        self.config = config
        self.span = span
        self.seed = seed
        self.parameters = random_parameters(config, graph.num_entities, graph.num_relations, span, seed)

    @property
    def num_entities(self) -> int:
        return self.graph.num_entities

    @property
    def num_relations(self) -> int:
        return self.graph.num_relations

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(walks=self)

    def with_context(self, dataset: Dataset, setting: EvaluationSetting) -> OracleExplainer:
        return OracleExplainer(TemporalGraph.of(dataset, setting.context), self.config, self.span, self.seed, setting)

    def restricted_to(self, limits: View) -> OracleExplainer:
        return OracleExplainer(self.graph, self.config, self.span, self.seed, replace(self.setting, limits=limits))

    def score(self, queries: QueryBatch, view: View = WHOLE) -> FloatArray:
        rows = zip(queries.subject.tolist(), queries.relation.tolist(), queries.time.tolist(), strict=True)
        return np.stack([self.trace(Query(*row), view).scores for row in rows])

    def score_each(self, query: Query, views: Sequence[View]) -> FloatArray:
        return np.stack([self.trace(query, view).scores for view in views])

    def trace(self, query: Query, view: View = WHOLE) -> Trace:
        view = view.within(self.setting.limits)
        mask = visible_graph(self.graph, view.at(query.time)).mask
        oracle = Oracle(self.config, self.parameters, self.graph, 0, self.span, mask, self.seed, answering=True)
        result = oracle.run(query.subject, query.relation, query.time)
        steps = tuple(self._step(step, query.time) for step in result.steps)
        return Trace(query, view, steps, result.scores.astype(np.float32))

    def _step(self, step: OracleStep, query_time: int) -> StepTrace:
        graph = self.graph
        edge = np.array([index for index, mass in step.attention.items() if mass.sum() > 0], dtype=np.int64)
        entities = np.array([entity for entity, mass in step.mass.items() if mass.sum() > 0], dtype=np.int64)
        return StepTrace(
            edge=edge,
            subject=graph.source[edge].astype(np.int64),
            relation=graph.relation[edge].astype(np.int64),
            object=graph.neighbour[edge].astype(np.int64),
            time=np.where(graph.fact[edge] < 0, query_time, graph.time[edge]).astype(np.int64),
            transition=np.array([step.transition[index] for index in edge]).astype(np.float32),
            attention=np.array([step.attention[index] for index in edge]).astype(np.float32),
            entities=entities,
            mass=np.array([step.mass[entity] for entity in entities]).astype(np.float32),
            core=np.array(step.core, dtype=np.int64),
            candidates=np.array(step.candidates, dtype=np.int64),
            added=np.array(step.added, dtype=np.int64),
            subgraph=np.array(step.entities, dtype=np.int64),
        )


def tiny_explainer(
    seed: int, steps: int = 3, flows: bool = True, entities: int = 6, facts: int = 12
) -> OracleExplainer:
    """Random graph with repeated facts, random parameters; walked in ``steps`` steps by three flows or one."""
    graph = tiny_graph(seed, entities=entities, relations=2, facts=facts)
    return OracleExplainer(graph, tiny_config(steps=steps, flow_heads=flows), span=12, seed=seed)
