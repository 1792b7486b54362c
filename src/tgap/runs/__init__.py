"""The run folder: config, environment, weights, metrics and report; make, find, load and ship a run."""

from tgap.runs.export import export_run
from tgap.runs.folder import RunFolder, create_run, find_run, shipped_runs
from tgap.runs.load import LoadedRun, load_scorer

__all__ = [
    "LoadedRun",
    "RunFolder",
    "create_run",
    "export_run",
    "find_run",
    "load_scorer",
    "shipped_runs",
]
