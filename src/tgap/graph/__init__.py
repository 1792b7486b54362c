"""The graph that attention walks on: edges in both directions, what is visible, and which edges are sampled."""

from tgap.graph.temporal import TemporalGraph
from tgap.graph.visibility import Visibility

__all__ = ["TemporalGraph", "Visibility"]
