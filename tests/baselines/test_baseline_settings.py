"""A bad setting of a trained baseline gets one line that names it, what was expected, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.baselines.tiny_baselines import KINDS
from tgap.errors import ConfigError


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("transe", {"rank": 0}, "model.rank is 0; expected at least 1"),
        ("tntcomplex", {"rank": 5000}, "model.rank is 5000; expected at most 4096"),
        ("cont", {"rank": 129}, "model.rank is 129; expected at most 128"),
        ("de-simple", {"rank": 7}, "model.rank is 7; expected .*multiple of 2"),
        ("transe", {"loss": "hinge"}, "model.loss is 'hinge'; expected one of softmax, sampled, margin"),
        ("transe", {"norm": "l3"}, "model.norm is 'l3'; expected one of l1, l2"),
        ("transe", {"margin": -1.0}, "model.margin is -1.0; expected more than 0"),
        ("transe", {"negatives": 0}, "model.negatives is 0; expected at least 1"),
        ("distmult", {"embedding_penalty": -0.1}, "model.embedding_penalty is -0.1; expected at least 0"),
        ("tcomplex", {"time_power": 5}, "model.time_power is 5; expected one of 3, 4"),
        ("tcomplex", {"optimiser": "sgd"}, "model.optimiser is 'sgd'; expected one of adagrad, adam"),
        ("ta-distmult", {"dropout": 1.0}, "model.dropout is 1.0; expected less than 1"),
        ("de-simple", {"temporal_share": 1.5}, "model.temporal_share is 1.5; expected at most 1"),
        ("hyte", {"ranks": 3}, "unknown setting 'model.ranks'; did you mean model.rank"),
    ],
)
def test_one_line(name: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        KINDS[name].settings(**values)
    assert "\n" not in str(caught.value)
