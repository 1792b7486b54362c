"""A dataset of a dozen facts with awkward names, and a real small explainer on it."""

from __future__ import annotations

from tests.explain.oracle_explainer import OracleExplainer
from tests.tiny import from_facts, tiny_config
from tgap.data import Dataset, Facts, Timeline, Vocabulary
from tgap.data.facts import Fact

SCRIPT = "<script>alert('x')</script> & Sons"
FORMULA = "$Money_{and} Power$"
ENTITIES = ["Far Away", FORMULA, "Găgăuzia\u00a0", "Japan", "Lonely Island", "North Korea", SCRIPT, "South Korea"]
RELATIONS = ["Consult", "Praise <loudly>", "Threaten"]
TRAIN = [
    ("North Korea", "Threaten", "Japan", 131),
    ("North Korea", "Threaten", "South Korea", 100),
    ("North Korea", "Threaten", "South Korea", 117),
    ("North Korea", "Threaten", "South Korea", 117),
    ("South Korea", "Consult", "Japan", 118),
    ("Japan", "Consult", SCRIPT, 118),
    (SCRIPT, "Praise <loudly>", "North Korea", 90),
    (FORMULA, "Consult", SCRIPT, 60),
    ("Găgăuzia\u00a0", "Consult", FORMULA, 61),
    ("Far Away", "Consult", "Găgăuzia\u00a0", 62),
]
VALID = [("North Korea", "Threaten", "Japan", 118)]
TEST = [("North Korea", "Threaten", "South Korea", 118), ("North Korea", "Consult", "Lonely Island", 118)]


def _facts(rows: list[tuple[str, str, str, int]]) -> Facts:
    return Facts.of([Fact(ENTITIES.index(s), RELATIONS.index(r), ENTITIES.index(o), t) for s, r, o, t in rows])


def small_dataset() -> Dataset:
    """Days of 2014; Lonely Island is in no training fact, Far Away is five edges from Japan's side of the world."""
    return Dataset(
        "small",
        Vocabulary(ENTITIES, "entity"),
        Vocabulary(RELATIONS, "relation"),
        Timeline("day", 16071, 16435),
        _facts(TRAIN),
        _facts(VALID),
        _facts(TEST),
    )


def small_explainer(dataset: Dataset, seed: int = 3) -> OracleExplainer:
    """The oracle with random parameters on the dataset's training facts."""
    facts = list(dataset.train)
    rows = [(fact.subject, fact.relation, fact.object, fact.time) for fact in facts]
    graph = from_facts(dataset.num_entities, dataset.num_relations, rows)
    return OracleExplainer(graph, tiny_config(), dataset.timeline.span, seed)
