from __future__ import annotations

from tgap.server.cache import AnswerCache


def test_the_least_recently_used_answer_leaves_first() -> None:
    cache = AnswerCache(1)
    large = b"x" * 400_000
    cache.put("a", large)
    cache.put("b", large)
    assert cache.get("a") == large
    cache.put("c", large)
    assert ("a" in cache, "b" in cache, "c" in cache) == (True, False, True)
    assert cache.nbytes <= 2**20
    assert (cache.hits, cache.misses) == (1, 0)
    assert cache.get("b") is None
    assert cache.misses == 1


def test_an_answer_that_does_not_fit_is_not_kept() -> None:
    cache = AnswerCache(0)
    cache.put("a", b"answer")
    assert len(cache) == 0
