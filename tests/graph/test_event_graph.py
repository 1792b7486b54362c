"""The invented graphs that sizes are measured on have the shape that they are said to have."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.event_graph import DAYS, event_facts, write_events

FACTS, ENTITIES, RELATIONS = 60_000, 6_000, 100


def test_hubs_bursts_and_everybody() -> None:
    subject, relation, obj, day = event_facts(FACTS, ENTITIES, RELATIONS)
    assert {len(column) for column in (subject, relation, obj, day)} == {FACTS}
    assert (subject != obj).all()
    assert relation.min() >= 0
    assert relation.max() < RELATIONS
    assert day.min() >= 0
    assert day.max() < DAYS
    degree = np.bincount(np.concatenate([subject, obj]), minlength=ENTITIES)
    assert (degree > 0).all(), "everybody takes part"
    assert degree.max() > 50 * np.median(degree), "there are hubs"
    pair = np.minimum(subject, obj) * ENTITIES + np.maximum(subject, obj)
    order = np.lexsort((day, pair))
    gaps = np.diff(day[order])[np.diff(pair[order]) == 0]
    assert len(gaps) > FACTS / 2, "pairs meet again"
    assert np.median(gaps) <= 3, "soon"


def test_the_same_size_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one.csv", "two.csv"):
        write_events(tmp_path / name, 2_000, 200, 20)
    text = (tmp_path / "one.csv").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.csv").read_text(encoding="utf-8")
    assert text.startswith("subject,relation,object,time\nActor ")
    assert text.count("\n") == 2_001
