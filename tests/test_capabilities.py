"""A scorer declares what it can do; what it lacks is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.explain.oracle_explainer import tiny_explainer
from tests.methods.own_scorers import Popular
from tgap.capabilities import (
    Capabilities,
    capabilities_of,
    require_graph,
    require_transfer,
    require_walker,
    setting_of,
    under_setting,
)
from tgap.data import load_dataset
from tgap.errors import CapabilityError, ConfigError
from tgap.graph import View
from tgap.graph.setting import DEFAULT_SETTING, EvaluationSetting
from tgap.scorer import Scorer

WORLD = load_dataset("world")


def test_without_a_declaration_there_are_none() -> None:
    scorer = Popular(WORLD)
    assert capabilities_of(scorer) == Capabilities()
    assert setting_of(scorer) == DEFAULT_SETTING
    assert under_setting(scorer, WORLD, DEFAULT_SETTING) is scorer


@pytest.mark.parametrize(
    ("require", "capability"),
    [
        (require_graph, "reads_graph"),
        (require_walker, "walks"),
        (lambda scorer: require_transfer(scorer, WORLD), "transfers"),
        (lambda scorer: under_setting(scorer, WORLD, EvaluationSetting().past_only()), "reads_graph"),
    ],
)
def test_a_refusal_names_method_capability_and_remedy(require: Callable[[Scorer], object], capability: str) -> None:
    with pytest.raises(CapabilityError, match=rf"popular .*`{capability}`.* use a "):
        require(Popular(WORLD))


def test_a_walker_reads_the_graph_too() -> None:
    walker = tiny_explainer(0)
    declared = capabilities_of(walker)
    assert (declared.walks, declared.reads_graph, declared.transfers) == (walker, walker, None)
    assert require_graph(walker) is walker


def test_a_setting_with_the_same_facts_shares_the_graph() -> None:
    walker = tiny_explainer(0)
    limited = under_setting(walker, WORLD, EvaluationSetting(limits=View.all().until(3)))
    assert require_graph(limited).graph is walker.graph
    assert setting_of(limited).limits == View.all().until(3)


class Careless(Popular):
    """Declares by a function where a property is wanted."""

    def capabilities(self) -> Capabilities:
        return Capabilities()


def test_a_declaration_of_another_type_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"popular.capabilities is .*expected a tgap.capabilities.Capabilities"):
        capabilities_of(Careless(WORLD))
