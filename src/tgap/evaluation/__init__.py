"""Ranks, ties, filters and reports: how good a scorer is, by a stated protocol. Knows scorers, never a model.

``evaluate(scorer, dataset)`` asks every query of a split in both directions; ``.report`` has the metrics,
``.ranks`` the rank of every answer. docs/evaluation.md is the protocol in prose.
"""

from tgap.evaluation.bootstrap import Bootstrap
from tgap.evaluation.comparison import with_intervals
from tgap.evaluation.export import report_csv, report_dict, report_json
from tgap.evaluation.metrics import Metrics
from tgap.evaluation.protocols import HEADLINE, PROTOCOLS, Filters, Protocol
from tgap.evaluation.ranks import Ranks, rank_answers
from tgap.evaluation.report import Report
from tgap.evaluation.scoring import SPLITS, Evaluation, evaluate
from tgap.evaluation.tables import markdown_page

__all__ = [
    "HEADLINE",
    "PROTOCOLS",
    "SPLITS",
    "Bootstrap",
    "Evaluation",
    "Filters",
    "Metrics",
    "Protocol",
    "Ranks",
    "Report",
    "evaluate",
    "markdown_page",
    "rank_answers",
    "report_csv",
    "report_dict",
    "report_json",
    "with_intervals",
]
