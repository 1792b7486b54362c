"""What a study finds, as a document."""

from __future__ import annotations

import json
from typing import Any

from tgap.explain.schema import plain


class StudyResult:
    """Base of the dataclasses that studies give; each carries its ``VERSION``."""

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        found: dict[str, Any] = plain(self)
        return found

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
