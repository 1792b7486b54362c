"""An audit as JSON: the report of an evaluation (see ``export``) with what the checks found.

format, version   "tgap-audit", 1
scores            {file, shape, rest}: what was read, and where entities without a score were put ("behind" or a
                  number)
findings          by check: {verdict, sentence, values}; a verdict is ok, note, fault or open
faults            number of faults
report            the report, as ``tgap evaluate --json`` writes it
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tgap.evaluation.audit.checks import Finding
from tgap.evaluation.audit.scores import ScoreFile
from tgap.evaluation.export import report_dict
from tgap.evaluation.report import Report

FORMAT, VERSION = "tgap-audit", 1


def audit_json(
    file: ScoreFile, rest: float | None, findings: Mapping[str, Finding], report: Report, beside: Sequence[Report] = ()
) -> str:
    """The JSON text described above."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "scores": {"file": file.path.name, "shape": file.shape, "rest": "behind" if rest is None else rest},
        "findings": {name: asdict(finding) for name, finding in findings.items()},
        "faults": count_faults(findings),
        "report": report_dict(report, beside),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def count_faults(findings: Mapping[str, Finding]) -> int:
    """How many checks found a fault."""
    return sum(finding.verdict == "fault" for finding in findings.values())
