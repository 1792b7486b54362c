"""``check_scorer``: every contract that applies to a scorer, one after the other."""

from __future__ import annotations

from tgap.capabilities import capabilities_of
from tgap.data import Dataset
from tgap.scorer import Scorer
from tgap.testing.contract import Contract, ContractError, Trial
from tgap.testing.graph_contracts import GRAPH_CONTRACTS
from tgap.testing.score_contracts import SCORE_CONTRACTS
from tgap.testing.transfer_contracts import TRANSFER_CONTRACTS
from tgap.testing.walk_contracts import READING_CONTRACTS, WALK_CONTRACTS

QUERIES = 12


def contracts_for(scorer: Scorer) -> tuple[Contract, ...]:
    """The contracts that a scorer has to keep: those of all scorers, and those of the capabilities that it declares."""
    declared = capabilities_of(scorer)
    applying = [
        (True, SCORE_CONTRACTS),
        (declared.reads_graph is not None, GRAPH_CONTRACTS),
        (declared.walks is not None, WALK_CONTRACTS),
        (declared.reads_facts is not None, READING_CONTRACTS),
        (declared.transfers is not None, TRANSFER_CONTRACTS),
    ]
    return tuple(contract for applies, group in applying if applies for contract in group)


def check_scorer(scorer: Scorer, dataset: Dataset, *, queries: int = QUERIES) -> None:
    """Raise a ``ContractError`` for the first contract that the scorer breaks on some queries of its dataset.

    ``dataset`` is the one that the scorer answers about. A small one is enough: ``load_dataset("world")``.
    """
    trial = Trial.of(scorer, dataset, queries)
    for contract in contracts_for(scorer):
        try:
            example = next(contract.broken_by(trial), None)
        except Exception as error:
            what = f"{type(error).__name__}: {error}"
            raise ContractError(scorer.name, contract.rule, f"an exception was raised, {what}") from error
        if example is not None:
            raise ContractError(scorer.name, contract.rule, example)
