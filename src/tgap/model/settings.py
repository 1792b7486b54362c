"""Settings of T-GAP: sizes, the paper's ablations, variants, limits for large graphs, and how its batches are made."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from tgap.config import Settings


class TGAPSettings(Settings):
    """T-GAP. The paper's symbols stand in brackets."""

    # Sizes.
    dimension: int = Field(100, ge=1, description="[d] width of embeddings and features")
    heads: int = Field(5, ge=1, le=16, description="[K] attention heads; d need not be divisible by K")
    steps: int = Field(3, ge=1, description="[T] steps that attention flows")
    core_nodes: int = Field(
        20, ge=1, le=1_000_000, description="[x] entities of highest attention that the subgraph grows from, per step"
    )
    sampled_edges: int = Field(
        200,
        ge=1,
        le=1_000_000,
        description="[y] training: random out-edges looked at for each core node; answers look at all (hub_edges)",
    )
    added_edges: int = Field(
        200, ge=1, le=1_000_000, description="[z] of those, the edges of highest attention that join, per step"
    )
    pgnn_layers: int = Field(1, ge=0, le=2, description="layers of the preliminary GNN (the paper ablates 0 and 2)")

    # Ablations of the paper.
    displacement: Literal["relative", "absolute"] = Field(
        "relative", description="absolute: tau by date, one weight matrix, no sign"
    )
    subgraph: bool = Field(True, description="false: features for all entities, every row of the graph is scored")

    # Where the paper leaves room, or practice departs from it. docs/decisions/0004 has the measured reasons.
    flow_heads: bool = Field(
        False, description="one attention flow for each head, averaged at the end; one in all learns faster"
    )
    flow_displacement: Literal["size", "signed", "absolute"] = Field(
        "size", description="how a flow key sees time: |dt|, dt or date"
    )
    query_vector: Literal["paper", "embedding"] = Field(
        "embedding", description="q from W_present(h_q + rho_q), or [e_s || rho_q]"
    )
    arrival_term: bool = Field(
        True, description="SGNN adds a_j W_h h_j: an entity feels the attention that has arrived at it"
    )
    key_map: bool = Field(
        False, description="own map W_K on the messages of PGNN and SGNN (the paper); W_Q alone can express it"
    )
    bias: bool = Field(True, description="the sign-specific maps have biases")
    scaled: bool = Field(
        False, description="scores are divided by the root of the head width; undivided they learn faster"
    )
    activation: bool = Field(True, description="LeakyReLU after PGNN and SGNN")
    leaky_slope: float = Field(0.01, ge=0, lt=1, description="slope of every LeakyReLU below zero")
    initial_scale: float = Field(
        0.3, gt=0, description="standard deviation of entity, relation and displacement embeddings at the start"
    )

    # Answers that no attention reaches.
    prior: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="part of a probability that is the relation's own: how often its facts have the answer; 0 = none",
    )

    # Displacement table.
    displacement_exact: int = Field(4096, ge=1, description="sizes |dt| below this have an embedding of their own")
    displacement_octave: int = Field(8, ge=1, description="sizes beyond share this many embeddings per doubling")

    # Large graphs.
    walk_cap: int = Field(0, ge=0, description="most out-edges walked per entity and step; 0 = all")
    gather_cap: int = Field(0, ge=0, description="most in-edges that PGNN aggregates per entity; 0 = all")
    cap_choice: Literal["uniform", "near"] = Field(
        "uniform", description="near: edges close to the query's time are likelier to stay"
    )
    lazy: bool = Field(False, description="compute PGNN features only for entities that a walk scores")
    sparse: bool = Field(
        False, description="a step of training moves only the embeddings of entities that it has met; needs lazy"
    )

    # Batches of training: tgap/methods/day_batches.py.
    days_per_batch: int = Field(
        1, ge=0, description="distinct timestamps in a batch (thin ones are pooled, see hidden_share); 0 = any"
    )
    hidden_share: float = Field(
        0.5, gt=0, le=1, description="about the most of a timestamp's facts that one batch may hide; 1 = no limit"
    )
    directions: Literal["apart", "together"] = Field(
        "together", description="together: a fact's two queries share a batch, it hides half"
    )
    siblings: Literal["apart", "together"] = Field(
        "apart", description="together: all answers of one (s, r, t) share a batch, walk once"
    )
    other_answers: Literal["compete", "aside"] = Field(
        "compete",
        description="aside: other true answers of a training query do not count against its own, as in the time filter",
    )
    repeats: Literal["hidden", "visible"] = Field(
        "hidden", description="visible: a fact that train holds twice stays in sight while it is asked about"
    )
    twins: Literal["auto", "hidden", "visible"] = Field(
        "auto",
        description="hidden: the other end of a question's own interval is out of sight, too; auto: where train holds "
        "the other ends of its own facts but not those of valid",
    )

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if self.heads > self.dimension:
            raise ValueError(
                f"model.heads is {self.heads}, more than model.dimension {self.dimension}; use fewer heads"
            )
        if self.lazy and (self.pgnn_layers == 2 or not self.subgraph):
            raise ValueError("model.lazy needs model.pgnn_layers 0 or 1 and model.subgraph true; set model.lazy=false")
        if self.sparse and not self.lazy:
            raise ValueError("model.sparse needs model.lazy true; set model.lazy=true or model.sparse=false")
        return self
