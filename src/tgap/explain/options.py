"""How much an explanation contains: defaults, bounds and descriptions for the command line, REST and Python."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

MOST_EFFECTS = 50
MOST_GROUPS = 20
MOST_PATHS = 50
MOST_EDGES = 200


class ExplainOptions(BaseModel):
    """What to measure and how much to list. Every effect costs one more forward pass."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    effects: int = Field(
        default=20,
        ge=0,
        le=MOST_EFFECTS,
        description="Facts to remove one at a time; 0 measures nothing, and then there is no sentence",
    )
    groups: int = Field(default=3, ge=0, le=MOST_GROUPS, description="Groups of facts of one date to remove together")
    flips: bool = Field(default=True, description="Search for the smallest set of facts that would change the answer")
    sufficient: bool = Field(default=True, description="Measure how few facts are enough")
    hide_asked: bool = Field(
        default=True, description="Hide the asked fact where it is in the training data, as training does"
    )
    chains: int = Field(default=5, ge=1, le=MOST_PATHS, description="Heaviest chains to the answer")
    edges: int = Field(default=5, ge=1, le=MOST_EDGES, description="Strongest edges per step")
    paths: int = Field(default=5, ge=1, le=MOST_PATHS, description="Heaviest walks to the answer")
    bundles: int = Field(
        default=0, ge=0, le=MOST_EDGES, description="Heaviest bundles of edges per step, for a picture; 0: none"
    )
