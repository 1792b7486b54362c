"""T-GAP on a graph that it was not trained on, without training: the same maps, with embeddings found by name.

What T-GAP has learned lies in its maps, relations and displacements far more than in entities (docs/study-transfer.md),
so another graph whose relations have the same names can be walked as it is. A relation or an entity of the same name
keeps its embedding, others get what ``unseen`` gives. Displacements beyond those of training share one embedding:
the mean of the longest eighth.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tgap.data import Dataset
from tgap.errors import ConfigError, Option
from tgap.graph import TemporalGraph
from tgap.model.tgap import TGAP

_LONGEST = 8  # one in so many of the displacements of training stands for longer ones


def transferred(model: TGAP, own: Dataset, other: Dataset, graph: TemporalGraph) -> TGAP:
    """The model for ``graph``, made of ``other``; ``own`` is what it was trained on."""
    _check(model, own, other)
    fresh = TGAP(model.config, graph, other.timeline.span).to(model.entity.dtype)
    known = model.state_dict()
    given = {
        "entity": _chosen(known["entity"], own.entities.ids(other.entities)),
        "relation": relations_by_name(known["relation"], own, other),
        "displacement.size": for_longer(known["displacement.size"], fresh.displacement.buckets.count),
    }
    if "displacement.flow" in known:
        after, before = _halves(known["displacement.flow"], fresh.displacement.flow_buckets.count)
        given["displacement.flow"] = torch.cat([before[1:].flip(0), after])
    fresh.load_state_dict({**known, **given})
    return fresh.eval()


def relations_by_name(rows: Tensor, own: Dataset, other: Dataset) -> Tensor:
    """[2R+1, d] rows of another dataset's relations, their inverses and the self-loop, from those of ``own``."""
    plain, inverse, loop = torch.split_with_sizes(rows, [own.num_relations, own.num_relations, 1])
    ids = own.relations.ids(other.relations)
    return torch.cat([_chosen(plain, ids), _chosen(inverse, ids), loop])


def for_longer(rows: Tensor, count: int) -> Tensor:
    """[count, d]: embeddings of displacements 0, 1, ..., beyond the given ones all alike."""
    far = rows[-max(len(rows) // _LONGEST, 1) :].mean(0, keepdim=True)
    return torch.cat([rows[:count], far.expand(max(count - len(rows), 0), -1)])


def _check(model: TGAP, own: Dataset, other: Dataset) -> None:
    if "absolute" in (model.config.displacement, model.config.flow_displacement):
        raise ConfigError("a model that reads dates instead of displacements knows those of its own dataset only")
    if own.timeline.unit != other.timeline.unit:
        raise ConfigError(
            f"{other.name} counts in {other.timeline.unit}s, the model learned from {own.timeline.unit}s of "
            f"{own.name}; import the file with ",
            Option("unit"),
            f" {own.timeline.unit}, or train on {other.name}",
        )
    if all(found is None for found in own.relations.ids(other.relations)):
        few = ", ".join(repr(name) for name in own.relations.names[:3])
        raise ConfigError(
            f"no relation of {other.name} is known to the model, which learned {few} and others of {own.name}; "
            f"name yours as there, or train on {other.name}"
        )


def _chosen(rows: Tensor, ids: list[int | None]) -> Tensor:
    """The rows with these ids; the mean of all where there is none."""
    mean = len(rows)
    return torch.cat([rows, rows.mean(0, keepdim=True)])[[mean if one is None else one for one in ids]]


def _halves(rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Embeddings of displacements 0, 1, ... and 0, -1, ... of a table from the most negative to the most positive."""
    middle = len(rows) // 2
    return for_longer(rows[middle:], count), for_longer(rows[: middle + 1].flip(0), count)
