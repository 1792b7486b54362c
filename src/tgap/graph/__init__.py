"""The graph that attention walks on: edges in both directions, what is visible, and which edges are sampled."""

from tgap.graph.temporal import TemporalGraph
from tgap.graph.view import View

__all__ = ["TemporalGraph", "View"]
