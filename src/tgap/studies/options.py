"""Options that several studies have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from tgap.asking.options import Cli, Name, Options

PICTURES = ("png", "svg", "pdf")  # endings of figures
Side = Literal["tail", "head", "both"]


def _split(value: object) -> object:
    """Names between commas, each by itself."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, tuple | list) or not all(isinstance(text, str) for text in texts):
        return value
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip())


Names = Annotated[tuple[Name, ...], BeforeValidator(_split)]
Relations = Annotated[tuple[Name, ...], Cli(flag="--relation", metavar="NAME")]


class SplitOptions(Options):
    """Questions of a split."""

    split: Literal["train", "valid", "test"] = Field(default="test", description="Facts to ask about")
    side: Side = Field(default="both", description="Side of the facts that is asked for")
    limit: int | None = Field(default=None, ge=1, description="Ask only a random sample of N questions")
    seed: int = Field(default=0, ge=0, description="Seed of that sample")


class RankOptions(Options):
    """What many methods or variants are asked."""

    split: Literal["test", "valid"] = Field(default="test", description="What is asked")
    limit: int | None = Field(default=None, ge=1, description="Ask a random sample of so many queries")


class TrainOptions(RankOptions):
    """How long models are trained, and where they are kept."""

    minutes: float = Field(
        default=0.0, ge=0, description="Longest training of each, over all resumes; 0: until its own end"
    )
    out: Annotated[Path | None, Cli(metavar="FOLDER")] = Field(
        default=None, description="Folder of runs and results; default: one in runs/ that is named after the study"
    )
