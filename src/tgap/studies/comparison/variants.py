"""Variants of T-GAP that are compared with each other: the paper's ablations, and the sizes of its sample."""

from __future__ import annotations

from tgap.studies.comparison.plan import Variant

ABLATIONS = (
    Variant("full", "T-GAP", {}),
    Variant(
        "no-displacement",
        "no displacement (time as a date, no sign)",
        {"model.displacement": "absolute", "model.flow_displacement": "absolute"},
    ),
    Variant("no-subgraph", "no subgraph (all entities have features)", {"model.subgraph": False}),
    Variant("no-pgnn", "no PGNN", {"model.pgnn_layers": 0}),
    Variant("two-layer-pgnn", "PGNN of two layers", {"model.pgnn_layers": 2}),
    Variant("two-steps", "T = 2 steps", {"model.steps": 2}),
    Variant("four-steps", "T = 4 steps", {"model.steps": 4}),
)
SLOW = ("no-subgraph",)  # every row of the graph is scored for every query: hours per epoch

# x, y, z from a handful to the paper's for ICEWS14; the dial between accuracy and cost.
SIZES = ((5, 50, 50), (10, 100, 100), (20, 200, 200), (50, 200, 200), (100, 500, 500))


def size_values(size: tuple[int, int, int]) -> dict[str, int]:
    """The settings of a size (x, y, z), for training and for answers."""
    return {**asked_values(size), "model.sampled_edges": size[1]}


def asked_values(size: tuple[int, int, int]) -> dict[str, int]:
    """The settings of a size for weights that are there already."""
    x, y, z = size
    return {"model.core_nodes": x, "evaluation.hub_edges": y, "model.added_edges": z}


def size_name(size: tuple[int, int, int]) -> str:
    """``x10-y100-z100``."""
    return "-".join(f"{letter}{number}" for letter, number in zip("xyz", size, strict=True))


def trained_sizes() -> tuple[Variant, ...]:
    """T-GAP trained and asked with each size."""
    return tuple(Variant(size_name(size), f"x={size[0]} y={size[1]} z={size[2]}", size_values(size)) for size in SIZES)


def trained_for(variant: Variant, epochs: float) -> Variant:
    """A variant that is trained for some epochs."""
    return Variant(variant.name, variant.title, {**variant.values, "training.epochs": epochs})
