"""Ranking protocols: who steps aside before a rank is taken. Each is a value; a new one is one entry of ``PROTOCOLS``.

For a query (s, r, ?, t) with answer o, other entities may be true answers too. A scorer that puts one of them above o
made no mistake, so filtered protocols take them out of the competition:

* raw     nobody steps aside.
* static  every entity that is true for (s, r) at ANY time steps aside. Generous: what was true in March is taken out
          of a question about November, although it is a wrong answer there.
* time    only entities that are true for (s, r, t), at exactly this time, step aside. This is the protocol to compare
          by: all that it takes out is a correct answer to the very question.

The answer itself always stays. Facts of all splits count as true: a test question may be crowded by a training fact.
Tables, files and predictions read ``PROTOCOLS`` whenever they are made, so nothing else knows a protocol by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tgap.data import Dataset
from tgap.errors import EvaluationError
from tgap.evaluation.true_answers import AnswerTable, TrueAnswers


@dataclass(frozen=True)
class Protocol:
    """Who competes with an answer."""

    name: str  # in tables, files and columns
    title: str  # in running text: "MRR, time-filtered"
    rule: str  # the note under every table: who steps aside, as a clause
    steps_aside: Callable[[TrueAnswers], AnswerTable | None]  # entities taken out of the competition; None: nobody


RAW = Protocol("raw", "raw", "all entities compete, other true answers too", lambda _: None)
STATIC = Protocol(
    "static",
    "static-filtered",
    "entities true for (subject, relation) at any time step aside",
    lambda answers: answers.at_any_time(),
)
TIME = Protocol(
    "time",
    "time-filtered",
    "entities true for (subject, relation) at that time step aside",
    lambda answers: answers.at_that_time(),
)

PROTOCOLS: dict[str, Protocol] = {protocol.name: protocol for protocol in (RAW, STATIC, TIME)}
HEADLINE = TIME  # the one to quote, to choose weights by, and to break down by


def find_protocol(name: str) -> Protocol:
    """A protocol by its name."""
    if name not in PROTOCOLS:
        raise EvaluationError(f"unknown protocol {name!r}; expected one of {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def chosen_protocols(name: str) -> tuple[str, ...]:
    """The protocols that a table shows: one by name, or ``all``."""
    if name == "all":
        return tuple(PROTOCOLS)
    return (find_protocol(name).name,)


def headline_of(protocols: Iterable[str]) -> str:
    """Which of some protocols a table with room for one shows: the headline if it is among them, else the last.

    >>> headline_of(["raw", "time", "static"]), headline_of(["raw", "static"])
    ('time', 'static')
    """
    names = list(protocols)
    return HEADLINE.name if HEADLINE.name in names else names[-1]


@dataclass(frozen=True)
class Filters:
    """Who steps aside under every protocol, for one dataset. Immutable, so one object serves every evaluation of it."""

    answers: TrueAnswers
    aside: Mapping[str, AnswerTable | None]  # by protocol

    @classmethod
    def of(cls, dataset: Dataset) -> Filters:
        """Filters of all protocols over a dataset."""
        return cls.build(TrueAnswers.of(dataset))

    @classmethod
    def build(cls, answers: TrueAnswers) -> Filters:
        """Filters of all protocols over known true answers."""
        aside = {name: protocol.steps_aside(answers) for name, protocol in PROTOCOLS.items()}
        return cls(answers, MappingProxyType(aside))

    @property
    def protocols(self) -> tuple[str, ...]:
        """Names of the protocols, in the order of their table."""
        return tuple(self.aside)
