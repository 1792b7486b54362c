"""Checks for the authors of methods: whether a scorer keeps the contracts that the rest of tgap relies on.

from tgap.testing import check_scorer

check_scorer(scorer, dataset)  # raises a ContractError that names the contract and an example that breaks it
"""

from tgap.testing.check import check_scorer, contracts_for
from tgap.testing.contract import Contract, ContractError

__all__ = ["Contract", "ContractError", "check_scorer", "contracts_for"]
