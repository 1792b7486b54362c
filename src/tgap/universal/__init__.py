"""A model for any temporal table: it knows no entity and no relation by name, and answers without training.

ready = prepare(dataset, "completion")      a scorer from the shipped weights, and what each step took
trust_check(ready.scorer).sentence          how often it is right on facts of the dataset itself
"""

from tgap.universal.check import TrustCheck, trust_check
from tgap.universal.ready import Ready, prepare, scorer
from tgap.universal.regularities import Regularity
from tgap.universal.scorer import UniversalScorer

__all__ = ["Ready", "Regularity", "TrustCheck", "UniversalScorer", "prepare", "scorer", "trust_check"]
