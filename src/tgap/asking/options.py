"""Options: what can be asked, as pydantic models.

A default, a bound and a description stand here or in the file of an operation, and nowhere else. The command line,
REST, Python and the reference pages are generated from the fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, Strict, ValidationError, WithJsonSchema

from tgap.errors import Message, Option, OptionError

if TYPE_CHECKING:
    from tgap.asking.question import Question

LONGEST_NAME = 512  # characters of a name
LONGEST_TIME = 40  # characters of a time
MOST_ANSWERS = 1000  # answers of one question

_TIME_SCHEMA = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": LONGEST_TIME},
        {"type": "integer", "minimum": -(10**9), "maximum": 10**9},
    ]
}
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Time = Annotated[
    Annotated[str, Field(min_length=1, max_length=LONGEST_TIME)]
    | Annotated[int, Field(ge=-(10**9), le=10**9)]
    | Annotated[datetime, Strict()]
    | Annotated[date, Strict()],
    WithJsonSchema(_TIME_SCHEMA),
]
FactParts = tuple[Name, Name, Name, Time]  # subject, relation, object, time
Chosen = TypeVar("Chosen", bound="Options")


@dataclass(frozen=True)
class Cli:
    """How the command line writes a field, where that differs from ``--field-name VALUE``."""

    flag: str = ""  # another name, such as --with
    metavar: str = ""
    option: bool = False  # an option although Python takes it by place
    off: bool = False  # the flag sets the field to False
    help: str = ""  # what the flag does, where the description says what the field is
    text: bool = False  # about what is printed: programs do not need it


SHOW_ASKED = Cli(
    flag="--show-asked", off=True, help="Let the walk see the asked fact where it is in the training data."
)


class Options(BaseModel):
    """Base of all options: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SightOptions(Options):
    """What a question may see: every known fact, unless it is limited."""

    past_only: bool = Field(default=False, description="See only facts strictly before the time asked about")
    as_of: Annotated[Time | None, Cli(metavar="TIME")] = Field(default=None, description="See nothing later than this")
    window: int | None = Field(
        default=None,
        ge=1,
        description="See only facts of the last N units of time (days, say) before the time asked about",
    )


class QuestionOptions(SightOptions):
    """A question as somebody writes it: a fact with a hole. Null or "?" stands where the answer goes."""

    subject: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    relation: Name = Field(description="A relation, in the direction of the fact whichever side is asked for")
    object: Name | None = Field(default=None, description='An entity, or null or "?" where it is asked for')
    time: Time = Field(description="The time that is asked about")
    answer: Annotated[Name | None, Cli(metavar="NAME")] = Field(
        default=None, description="The answer to look at; default: the best one, or the object where both are given"
    )
    _question: Question | None = PrivateAttr(None)

    @property
    def resolved(self) -> Question | None:
        """The question with its ids, where a caller has resolved it before."""
        return self._question

    def with_question(self: Chosen, question: Question) -> Chosen:
        """The same options for a question that is resolved already."""
        assert isinstance(self, QuestionOptions), "only questions are resolved"
        self._question = question
        return self


def read_options(kind: type[Chosen], values: Mapping[str, Any]) -> Chosen:
    """Validate options. What is wrong is told in one line that names the option, its value and what was expected.

    >>> read_options(SightOptions, {"past": True})
    Traceback (most recent call last):
    tgap.errors.OptionError: unknown option 'past'; expected one of past_only, as_of, window
    """
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problems = [(".".join(map(str, one["loc"])), one["msg"]) for one in error.errors()]
        raise OptionError(_told(kind, error), problems) from None


def _told(kind: type[Options], error: ValidationError) -> Message:
    first = error.errors()[0]
    loc = [str(part) for part in first["loc"] if isinstance(part, int) or part in kind.model_fields]
    place = Message(Option(loc[0], quoted=False), *(f".{part}" for part in loc[1:])) if loc else Message("the input")
    if first["type"] == "extra_forbidden":
        return Message(f"unknown option {str(first['loc'][-1])!r}; expected one of {', '.join(kind.model_fields)}")
    if first["type"] == "missing" or first["input"] is None:
        return Message("the ", place, " is missing; give one")
    value = repr(first["input"])
    shown = value if len(value) <= 60 else f"{value[:57]}..."
    return Message(place, f" is {shown}: {first['msg'][0].lower()}{first['msg'][1:]}")
