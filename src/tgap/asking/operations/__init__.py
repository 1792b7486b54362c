"""What a model can be asked, one file per operation."""

from __future__ import annotations

from pathlib import Path

from tgap.asking.operation import OperationFolder

OPERATIONS = OperationFolder(__name__, Path(__file__).parent)
