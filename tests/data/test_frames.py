"""Frames in, frames out: what goes out comes back as the same dataset."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from tests.data.test_event_tables import write
from tgap.data import Dataset, load_dataset
from tgap.data.dataset import DataWarning
from tgap.data.importing import Division, import_events
from tgap.data.reading import Layout, find_sources
from tgap.errors import DataError

ROWS = pl.DataFrame(
    {
        "who": [f"P{i % 9}" for i in range(100)],
        "what": ["meets"] * 100,
        "whom": [i % 7 for i in range(100)],
        "when": [date(2024, 1, 1 + i % 28) for i in range(100)],
    }
)
LAYOUT = Layout(subject="who", relation="what", object="whom", time="when")


def test_there_and_back() -> None:
    world = load_dataset("world")
    frame = world.to_frame()
    assert frame.columns == ["subject", "relation", "object", "time", "split"]
    assert frame.height == sum(len(facts) for facts in world.splits.values())
    assert frame.row(0) == ("Drastova", "Criticize", "Karsova", "2012-01-01", "train")
    back = Dataset.from_frame(frame.sample(fraction=1, shuffle=True, seed=1), "world")
    assert back.checksum == world.checksum
    assert world.to_frame("test", "valid")["split"].unique(maintain_order=True).to_list() == ["test", "valid"]
    with pytest.raises(DataError, match="there is no split 'dev'; expected train, valid, test"):
        world.to_frame("dev")


def test_own_columns_and_division() -> None:
    dataset = Dataset.from_frame(ROWS, "mine", layout=LAYOUT, division=Division(split="chronological"))
    assert (dataset.name, dataset.num_entities, dataset.timeline.unit) == ("mine", 16, "day")
    assert dataset.train.time.max() < dataset.valid.time.min()
    absent = pl.when(pl.int_range(100) < 25).then(pl.lit("NA")).otherwise("who").alias("who")
    with pytest.warns(DataWarning, match="frame: 25 fields are 'NA', kept as a name; `missing` NA takes it for empty"):
        Dataset.from_frame(ROWS.with_columns(absent), layout=LAYOUT)


def test_what_is_no_frame() -> None:
    with pytest.raises(
        DataError, match=r"the frame is a builtins.dict; expected a polars.DataFrame, try polars.from_p"
    ):
        Dataset.from_frame({"subject": []})  # type: ignore[arg-type]
    with pytest.raises(DataError, match="mine: column 1 would be the subject by its position, but holds dates; say"):
        Dataset.from_frame(ROWS.select("when", "who", "what", "whom"), "mine")


def test_a_split_column_divides(tmp_path: Path) -> None:
    rows = "".join(f"A{i},r,B,20{i:02d},{split}\n" for i, split in enumerate(["Train"] * 8 + ["dev", "test"]))
    path = write(tmp_path / "e.csv", "subject,relation,object,time,split\n" + rows)
    imported = import_events("mine", find_sources([path]))
    assert [len(facts) for facts in imported.dataset.splits.values()] == [8, 1, 1]
    assert imported.origin == "imported from e.csv; divided as its column 'split' says"
    anew = import_events("mine", find_sources([path]), division=Division(shares=(0.5, 0.3, 0.2)))
    assert [len(facts) for facts in anew.dataset.splits.values()] == [5, 3, 2]
    other = write(tmp_path / "o.csv", "subject,relation,object,time,split\n" + rows.replace("dev", "left"))
    assert import_events("mine", find_sources([other])).origin.endswith("random split 80/10/10, seed 0")
