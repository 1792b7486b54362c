"""Anybody's scores, checked: ranked by our rules, compared with what is claimed, and searched for known faults.

>>> file = read_scores(Path("scores.npz"), dataset)  # doctest: +SKIP
>>> audit = audit_scores(file, dataset, "test")  # doctest: +SKIP
>>> audit.evaluation.report.headline.mrr, run_checks(audit)["target"].verdict  # doctest: +SKIP
"""

from tgap.evaluation.audit.checks import CHECKS, Check, Finding, run_checks
from tgap.evaluation.audit.document import audit_json
from tgap.evaluation.audit.measure import Audit, audit_scores
from tgap.evaluation.audit.scores import ScoreFile, read_scores

__all__ = [
    "CHECKS",
    "Audit",
    "Check",
    "Finding",
    "ScoreFile",
    "audit_json",
    "audit_scores",
    "read_scores",
    "run_checks",
]
