"""Show the model card: data, settings and measured figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tgap.asking.operation import Operation, Web
from tgap.asking.options import Options
from tgap.text import Block, Heading, Line, Table

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.asking.model_card import ModelCard


def card(model: Model, options: Options) -> ModelCard:  # noqa: ARG001
    """What answers: dataset, settings, measured metrics and their protocol."""
    from tgap.asking.model_card import model_card

    return model_card(model)


def text(found: ModelCard, options: Options) -> Iterator[Block]:  # noqa: ARG001
    """Sizes and figures."""
    data = found.dataset
    yield Heading(f"{found.scorer} on {data.name}")
    yield Line(
        f"{data.entities:,} entities, {data.relations:,} relations, {data.timeline.first} to {data.timeline.last}"
    )
    yield Line(", ".join(f"{split} {count:,}" for split, count in data.facts.items()))
    rows = tuple(
        (split, name, f"{metrics['mrr']:.3f}", *(f"{100 * metrics[key]:.1f}" for key in ("hits1", "hits3", "hits10")))
        for split, protocols in found.metrics.items()
        if isinstance(protocols, dict)
        for name, metrics in protocols.items()
        if isinstance(metrics, dict) and "mrr" in metrics
    )
    if rows:
        yield Table(("split", "filter", "MRR", "Hits@1", "Hits@3", "Hits@10"), rows, "llrrrr")
    yield Line(found.protocol)


OPERATION = Operation(
    name="card",
    summary="Show the model card: data, settings and measured figures.",
    options=Options,
    run=card,
    reply="tgap.asking.model_card:ModelCard",
    text=text,
    examples=("card icews14",),
    web=Web(path="model", method="GET", at_once=True),
)
