"""The evaluation setting: which facts a scorer knows when a query is answered, and which of them the query sees.

    train                              the facts of train, before and after the query: completion as published
    train+valid                        the same with the facts of valid as context; no weight was learned from them
    single step                        every fact before the query's time, of all splits: forecasting as published
    fixed horizon (train)              the facts of train that lie before the query's time
    fixed horizon (train+valid)        the same with the facts of valid
    ... as of an instant               nothing later than that instant
    ..., last 30 days                  only the 30 days before the query's time

Results of different settings cannot be compared, so every table names its setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tgap.data import Dataset, Facts
from tgap.data.time import When
from tgap.errors import ConfigError, Option
from tgap.graph.temporal import graph_facts
from tgap.graph.view import WHOLE, View

CONTEXTS: dict[str, tuple[str, ...]] = {"train": (), "train+valid": ("valid",), "all": ("valid", "test")}


@dataclass(frozen=True)
class EvaluationSetting:
    """Facts of train are always known; ``context`` names the splits whose facts are known besides."""

    context: tuple[str, ...] = ()
    limits: View = WHOLE  # of the known facts, what a question sees

    @property
    def context_name(self) -> str:
        """As on the command line: train, train+valid, all.

        >>> EvaluationSetting(("valid",)).context_name
        'train+valid'
        """
        return next((name for name, splits in CONTEXTS.items() if splits == self.context), "+".join(self.context))

    def name(self, dataset: Dataset) -> str:
        """What tables call it."""
        if not self.limits.past_only:
            known = self.context_name
        else:
            known = "single step" if self.context == CONTEXTS["all"] else f"fixed horizon ({self.context_name})"
        known += f" and {len(dataset.context):,} appended" if len(dataset.context) else ""
        return known + self.limits.title(dataset.timeline)

    def sentence(self, dataset: Dataset) -> str:
        """The note under a table: what a question sees."""
        splits = ["train", *self.context]
        splits += ["the context that was appended"] if len(dataset.context) else []
        facts = f"the facts of {', '.join(splits[:-1])} and {splits[-1]}" if splits[1:] else "the facts of train"
        return f"a question sees {facts} {self.limits.clause(dataset.timeline)}; weights were learned from train alone"

    def check_asking(self, splits: Sequence[str]) -> None:
        """Refuse to ask for facts that the graph itself would tell."""
        told = [split for split in splits if split in self.context]
        if told and not self.limits.past_only:
            raise ConfigError(
                f"context {self.context_name} holds the facts of {told[0]} that are asked for; see only the past with ",
                Option("past_only"),
                ", or leave them out of the context",
            )

    def chosen(
        self,
        dataset: Dataset,
        context: str | None,
        as_of: When | None,
        past_only: bool,
        window: int | None = None,
    ) -> EvaluationSetting:
        """The same with another context, or seen in part; what is not given stays as it is.

        ``window``: how many units of the timeline before its own time a query sees; implies ``past_only``.
        """
        if context is not None and context not in CONTEXTS:
            raise ConfigError(f"unknown context {context!r}; expected one of {', '.join(CONTEXTS)}")
        chosen = self if context is None else replace(self, context=CONTEXTS[context])
        chosen = chosen.past_only() if past_only else chosen
        chosen = chosen if window is None else replace(chosen, limits=chosen.limits.window(window))
        return chosen.until(None if as_of is None else dataset.timeline.read(as_of))

    def until(self, time: int | None) -> EvaluationSetting:
        """The same, and nothing later than ``time``."""
        return self if time is None else replace(self, limits=self.limits.until(time))

    def past_only(self) -> EvaluationSetting:
        """The same, and of each question's time only what lies strictly before it."""
        return replace(self, limits=self.limits.before_query())


def visible_facts(dataset: Dataset, setting: EvaluationSetting, time: int) -> Facts:
    """The facts that a question at ``time`` sees."""
    facts = graph_facts(dataset, setting.context)
    return facts[setting.limits.at(time).shown(facts.time)]


DEFAULT_SETTING = EvaluationSetting()  # completion as published
