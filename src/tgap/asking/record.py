"""``Record``: a document as a pydantic model. Its fields are the JSON schema of what an operation gives."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen, with the JSON forms that every result has."""

    model_config = ConfigDict(frozen=True)

    def to_dict(self) -> dict[str, Any]:
        """The JSON document."""
        return self.model_dump(mode="json")

    def to_json(self) -> str:
        """The JSON document as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
