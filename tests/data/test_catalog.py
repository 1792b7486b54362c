"""The public datasets: every count that is known of them, exactly."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from tgap.data import CATALOG, Dataset, LeakWarning, catalog, data_folders, load_dataset, paper_settings
from tgap.data.event_tables import read_events
from tgap.data.importing import import_events
from tgap.data.reading import of_files
from tgap.data.statistics import dataset_statistics, facts_over_time
from tgap.errors import DataError
from tgap.methods import config_for
from tgap.runs.folder import find_run, shipped_runs


def public(name: str) -> Dataset:
    if catalog.find_files(CATALOG[name].parent or name) is None:
        pytest.skip(f"{name} is in none of {', '.join(map(str, data_folders()))}; tgap data download {name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)
        return load_dataset(name)


@pytest.mark.parametrize(
    ("name", "splits", "entities", "relations", "times", "span"),
    [
        ("icews14", (72_826, 8_941, 8_963), 7_128, 230, 365, ("2014-01-01", "2014-12-31")),
        ("icews05-15", (368_962, 46_275, 46_092), 10_488, 251, 4_017, ("2005-01-01", "2015-12-31")),
        ("wikidata11k", (121_422, 14_374, 14_283), 11_153, 181, 328, ("0025", "2020")),
        ("wikidata11k-clean", (106_062, 11_609, 11_388), 11_153, 181, 328, ("0025", "2020")),
        ("icews14-unseen", (81_813, 4_458, 4_459), 7_128, 230, 365, ("2014-01-01", "2014-12-31")),
        ("icews14-forecast", (74_845, 8_514, 7_371), 7_128, 230, 365, ("2014-01-01", "2014-12-31")),
        ("yago-forecast", (161_540, 19_523, 20_026), 10_585, 10, 189, ("0", "188")),
        ("icews14-emerging", (45_387, 17_984, 27_359), 7_128, 230, 365, ("2014-01-01", "2014-12-31")),
        ("wikidata12k", (59_632, 7_726, 7_744), 12_554, 47, 618, ("0019", "2020")),
        ("yago11k", (25_402, 3_291, 3_309), 10_607, 20, 395, ("-0431", "2844")),
        ("findkg", (119_549, 11_444, 13_069), 10_670, 15, 126, ("2018-01-07", "2020-05-31")),
    ],
)
def test_counts(
    name: str, splits: tuple[int, int, int], entities: int, relations: int, times: int, span: tuple[str, str]
) -> None:
    dataset = public(name)
    assert tuple(len(facts) for facts in dataset.splits.values()) == splits
    assert (dataset.num_entities, dataset.num_relations) == (entities, relations)
    statistics = dataset_statistics(dataset)
    assert statistics.times == times
    line = dataset.timeline
    assert (line.format(0), line.format(line.span)) == span
    assert line.unit == ("week" if name == "findkg" else "year" if name.startswith(("wikidata", "yago")) else "day")
    assert dataset.checksum == CATALOG[name].checksum
    assert sum(part.facts for part in facts_over_time(dataset)) == sum(splits)
    assert dataset.leaks().across_splits == (name in ("wikidata11k", "wikidata12k"))


def test_many_entities_are_new_in_the_emerging_division() -> None:
    dataset = public("icews14-emerging")
    splits = dataset_statistics(dataset).splits
    assert (splits["valid"].unseen_entities, splits["test"].unseen_entities) == (829, 1_216)
    assert (splits["valid"].facts_unseen, splits["test"].facts_unseen) == (1_753, 2_775)
    assert dataset.train.time.max() < dataset.valid.time.min()
    assert dataset.valid.time.max() < dataset.test.time.min()


def test_wikidata12k_shares_ends_of_intervals_between_splits() -> None:
    leaks = public("wikidata12k").leaks()
    assert (leaks.test_in_train, leaks.valid_in_train, leaks.valid_and_test) == (132, 129, 28)
    assert (leaks.repeated_train, leaks.repeated_valid, leaks.repeated_test) == (391, 10, 14)


@pytest.mark.parametrize(("name", "backwards", "undated"), [("wikidata12k", 10, 0), ("yago11k", 70, 13)])
def test_intervals_are_read_as_published(name: str, backwards: int, undated: int) -> None:
    public(name)  # skips when absent
    events = read_events(of_files(catalog.find_files(name) or []), unit="year")
    assert not events.rejects
    assert (len(events.backwards), len(events.undated)) == (backwards, undated)
    ends = {relation.rpartition("-")[2] for relation in events.relations}
    assert ends == {"since", "until"}


def test_no_weights_are_shipped_that_terms_forbid() -> None:
    trained = {find_run(run).config().dataset for run in shipped_runs()}
    assert trained
    assert not {name for name in trained if CATALOG[name].terms}


def test_icews14_details() -> None:
    dataset = public("icews14")
    statistics = dataset_statistics(dataset)
    assert statistics.splits["test"].facts_unseen == 146
    assert statistics.leaks[:3] == (0, 0, 0)
    assert dataset.timeline.span == 364
    assert dataset.entities.name(statistics.degrees.busiest) == "China"


def test_names_are_never_stripped() -> None:
    assert (
        "Găgăuzia\u00a0" in public("icews05-15").entities.names or "Găgăuzia\u00a0" in public("icews14").entities.names
    )


def test_wikidata11k_leaks_as_known() -> None:
    public("wikidata11k")  # skips when absent
    with pytest.warns(LeakWarning, match="2,738 test and 2,701 valid facts stand in train"):
        dataset = load_dataset("wikidata11k")
    leaks = dataset.leaks()
    assert (leaks.test_in_train, leaks.valid_in_train) == (2_738, 2_701)
    assert (leaks.repeated_train, leaks.valid_and_test) == (15_360, 734)
    properties = {name.partition("-")[0] for name in dataset.relations}
    assert len(properties) == 96
    assert {name.partition("-")[2] for name in dataset.relations} == {"occurSince", "occurUntil"}
    numbers = np.array([name.isdigit() for name in dataset.entities])
    assert int(numbers[dataset.train.object].sum()) > 60_000


def test_clean_variant_has_every_fact_once() -> None:
    whole, clean = public("wikidata11k"), public("wikidata11k-clean")
    assert clean.leaks() == (0, 0, 0, 0, 0, 0)

    def distinct(dataset: Dataset) -> set[tuple[int, ...]]:
        return {fact for facts in dataset.splits.values() for fact in facts}

    assert distinct(whole) == distinct(clean)
    assert len(clean.train) == len(whole.train) - whole.leaks().repeated_train


def test_unseen_variant_keeps_three_days_a_month_out() -> None:
    dataset = public("icews14-unseen")
    for name, facts in dataset.splits.items():
        days = {dataset.timeline.format(int(time))[-2:] for time in np.unique(facts.time)}
        assert days == {"05", "15", "25"} if name != "train" else not days & {"05", "15", "25"}
    assert len(dataset.valid) + len(dataset.test) == 8_917


@pytest.mark.parametrize("name", ["icews14-forecast", "yago-forecast"])
def test_forecasting_splits_follow_one_another(name: str) -> None:
    dataset = public(name)
    assert CATALOG[name].task == "forecast"
    ends = [(int(facts.time.min()), int(facts.time.max())) for facts in dataset.splits.values()]
    assert ends[0][1] < ends[1][0] <= ends[1][1] < ends[2][0]


def test_entries_are_whole() -> None:
    """Every dataset has exactly one source, and what it points to exists."""
    for name, entry in CATALOG.items():
        assert entry.name == name
        assert [bool(entry.files), bool(entry.parent), entry.make is not None].count(True) == 1, name
        assert (entry.derive is not None) == bool(entry.parent), name
        assert list(entry.files) in ([], ["train", "valid", "test"]), name
        assert all(other in CATALOG for other in (entry.parent, entry.clean) if other), name
        assert entry.checksum or entry.make, name


def test_variants_share_the_papers_settings() -> None:
    assert paper_settings("icews14") == (100, 500, 500, 16, 3.0)
    assert paper_settings("icews14-unseen") == paper_settings("icews14")
    assert paper_settings("wikidata11k-clean") == (50, 200, 200, 8, 5.0)
    assert paper_settings("world") is paper_settings("icews14-forecast") is paper_settings("my own") is None


def test_what_paid_on_a_dataset_is_what_is_recommended_there() -> None:
    for name, entry in CATALOG.items():
        plain = config_for("tgap", "a dataset of one's own").to_dict()
        found = config_for("tgap", name).to_dict()
        changed = {
            f"{section}.{key}": value
            for section in ("model", "training", "evaluation")
            for key, value in found[section].items()
            if value != plain[section][key]
        }
        assert changed == dict(entry.tuned), name


def test_ids_do_not_depend_on_the_order_of_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = public("icews14")
    (tmp_path / "icews14").mkdir()
    random = np.random.default_rng(0)
    for file in catalog.find_files("icews14") or []:
        lines = file.read_bytes().splitlines(keepends=True)
        shuffled = b"".join(lines[index] for index in random.permutation(len(lines)))
        (tmp_path / "icews14" / file.name).write_bytes(shuffled)
    monkeypatch.setenv("TGAP_DATA", str(tmp_path))
    again = load_dataset("icews14")
    assert again.checksum == original.checksum
    assert np.array_equal(again.train.subject, original.train.subject)


def test_absent_datasets_tell_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGAP_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"'icews14-unseen' is not in .*icews14; fetch it with `tgap data download"):
        load_dataset("icews14-unseen")
    with pytest.raises(
        DataError, match=r"'yago-forecast' is not in .*; it has no public home: put train.txt, .*yago-f"
    ):
        load_dataset("yago-forecast")
    with pytest.raises(DataError, match="unknown dataset 'nothing'; expected one of icews14"):
        load_dataset("nothing")


@pytest.mark.parametrize("name", ["icews14", "wikidata11k"])
def test_importing_the_public_files_gives_the_same_dataset(name: str) -> None:
    public(name)  # skips when absent
    files = of_files(catalog.find_files(name) or [])
    assert import_events("mine", files).dataset.checksum == CATALOG[name].checksum
