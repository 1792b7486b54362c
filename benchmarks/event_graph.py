"""A graph with the shape of event data at any size: hubs, pairs that meet again, bursts, few frequent relations.

Facts come in episodes: a pair of entities (each drawn by rank ** -0.8, so that the largest hub of a million entities
takes part in one fact of eighty) meets on some day and goes on for a geometric number of facts, a few days apart, with
relations of the pair's own taste. A tenth of the episodes repeat the pair of an earlier one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

DAYS = 3652
EPISODE = 5  # facts, on average
AGAIN = 0.1  # share of the episodes that repeat a pair


def event_facts(facts: int, entities: int, relations: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Subject, relation, object and day of each fact."""
    draw = np.random.default_rng(seed)
    length = draw.geometric(1 / EPISODE, size=facts // EPISODE + facts // 100 + 100)
    length = length[: np.searchsorted(np.cumsum(length), facts) + 1]
    episodes = len(length)
    weight = np.cumsum(np.arange(1, entities + 1) ** -0.8)
    order = draw.permutation(entities)  # names say nothing about size
    pair = order[np.searchsorted(weight, draw.random((2, episodes)) * weight[-1])]
    again = np.flatnonzero(draw.random(episodes) < AGAIN)
    pair[:, again] = pair[:, (again * draw.random(len(again))).astype(np.int64)]
    pair[1, draw.permutation(episodes)[:entities]] = np.arange(entities)[:episodes]  # everybody takes part
    pair[1] = np.where(pair[0] == pair[1], (pair[1] + 1) % entities, pair[1])
    taste = (pair[0] * 31 + pair[1] * 17) % relations
    of = np.repeat(np.arange(episodes), length)[:facts]
    gap = draw.geometric(0.4, size=facts) - 1
    first = np.concatenate([[0], np.cumsum(length)[:-1]])
    elapsed = np.cumsum(gap)
    since = elapsed - elapsed[np.minimum(first[of], facts - 1)]
    day = (draw.integers(DAYS, size=episodes)[of] + since) % DAYS
    own = (taste[of] + (draw.zipf(2.0, size=facts) - 1)) % relations
    turned = draw.random(facts) < 0.3
    subject, obj = (np.where(turned, pair[1 - side][of], pair[side][of]) for side in (0, 1))
    return subject, own, obj, day


def write_events(path: Path, facts: int, entities: int, relations: int) -> None:
    """A CSV as users have it, in the order of time."""
    subject, relation, obj, day = event_facts(facts, entities, relations)
    order = np.argsort(day, kind="stable")
    start = np.datetime64("2010-01-01")
    table = pl.DataFrame(
        {
            "subject": subject[order],
            "relation": relation[order],
            "object": obj[order],
            "time": (start + day[order]).astype("datetime64[D]"),
        }
    )
    table.with_columns(
        pl.concat_str([pl.lit("Actor "), pl.col("subject")]).alias("subject"),
        pl.concat_str([pl.lit("does "), pl.col("relation")]).alias("relation"),
        pl.concat_str([pl.lit("Actor "), pl.col("object")]).alias("object"),
    ).write_csv(path)
