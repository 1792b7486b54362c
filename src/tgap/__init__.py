"""tgap: answers about temporal knowledge graphs, with the walk that led there."""

__version__ = "0.1.0"
