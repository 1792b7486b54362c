"""The errors a user can meet. Every message names the bad value, what was expected, and the remedy.

A ``TgapError`` is the user's to mend: the command line prints it as one line and exits with 2, the server turns it
into its JSON error. Anything else that escapes is our own bug and keeps its traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Option:
    """An option that a message names: `past_only` in Python, --past-only on the command line."""

    name: str
    quoted: bool = True  # in Python, in backquotes

    def __str__(self) -> str:
        return f"`{self.name}`" if self.quoted else self.name


class Message(str):
    """A sentence that names options. As a string it names them as Python does.

    >>> sentence = Message("mend them or skip them with ", Option("skip_bad"))
    >>> print(sentence)
    mend them or skip them with `skip_bad`
    >>> sentence.written(lambda name: "--" + name.replace("_", "-"))
    'mend them or skip them with --skip-bad'
    """

    parts: tuple[str | Option, ...]

    def __new__(cls, *parts: str | Option) -> Message:
        """Join texts, options and other messages."""
        flat: list[str | Option] = []
        for part in parts:
            flat += part.parts if isinstance(part, Message) else [part]
        new = super().__new__(cls, "".join(map(str, flat)))
        new.parts = tuple(flat)
        return new

    def written(self, option: Callable[[str], str]) -> str:
        """The sentence with options written another way; ``option`` takes a name."""
        return "".join(option(part.name) if isinstance(part, Option) else part for part in self.parts)


class TgapError(Exception):
    """Base of all errors that a user can mend. The message may come in parts, some of them options."""

    def __init__(self, *parts: str | Option) -> None:
        self.message = Message(*parts)
        super().__init__(self.message)

    def written(self, option: Callable[[str], str]) -> str:
        """The message with options written another way; ``option`` takes a name."""
        return self.message.written(option)


class DataError(TgapError):
    """A file of facts, a date or a stored dataset is not what it should be."""


class ConfigError(TgapError):
    """A setting is unknown or out of its range."""


class QueryError(TgapError):
    """A question names something that the dataset or the model does not have."""


class OptionError(QueryError):
    """An option is unknown, is missing or has a value that is not allowed."""

    def __init__(self, message: str, problems: Sequence[tuple[str, str]]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)  # place and what is wrong there


class UnknownNameError(QueryError):
    """A name that the dataset does not have, with the nearest ones it has."""

    def __init__(
        self, message: str, *, field: str, kind: Literal["entity", "relation"], given: str, suggestions: Sequence[str]
    ) -> None:
        super().__init__(message)
        self.field = field  # where in the question it stands
        self.kind = kind
        self.given = given
        self.suggestions = tuple(suggestions)


class CapabilityError(QueryError):
    """A method is asked for something that it does not declare it can do (``tgap.capabilities``)."""


class RunError(TgapError):
    """A run folder or a checkpoint cannot be read or written."""


class TrainingError(TgapError):
    """Training cannot go on with these settings."""


class WorkerError(TgapError):
    """Another process or machine that takes part in the work was lost, or never came."""


class DownloadError(TgapError):
    """A public dataset could not be fetched or is not the file that was expected."""


class DependencyError(TgapError):
    """An optional part of the installation is missing."""


class EvaluationError(TgapError):
    """An evaluation cannot be done as asked, or a scorer gave scores that cannot be ranked."""
