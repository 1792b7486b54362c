"""The random stream is fixed for ever: these numbers are part of every split and of the synthetic world."""

import numpy as np

from tgap.data.splitmix import RandomStream, random_order


def test_stream_is_fixed() -> None:
    chance = RandomStream(7)
    assert [chance.bits() for _ in range(2)] == [11984929618412882174, 10134167572453724827]
    assert random_order(8, seed=3).tolist() == [3, 6, 2, 4, 5, 1, 0, 7]


def test_draws_are_even_and_within_bounds() -> None:
    chance = RandomStream(0)
    draws = [chance.between(3, 6) for _ in range(4000)]
    assert set(draws) == {3, 4, 5, 6}
    assert min(np.bincount(draws)[3:]) > 900
    assert 0.27 < sum(chance.happens(0.3) for _ in range(4000)) / 4000 < 0.33
    assert sorted(chance.shuffled(range(50))) == list(range(50))
    assert sorted(random_order(1000, seed=1).tolist()) == list(range(1000))
