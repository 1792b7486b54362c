"""The datasets that have a name, one entry each: everything that is known about one stands here and nowhere else.

To add a dataset, write its entry. What it is made from is one of three: files (``files``), another dataset
(``parent`` and ``derive``), or a function (``make``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tgap.data.dataset import Dataset
from tgap.data.derived import cleaned, new_entities, unseen_days
from tgap.data.facts import Facts
from tgap.data.time import Unit
from tgap.data.world import make_world

MMKB = "https://raw.githubusercontent.com/mniepert/mmkb/master/TemporalKGs"


class PublicFile(NamedTuple):
    """A file below its public home. ``by_lines``: the hash is that of its sorted lines, the order of lines is free."""

    path: str
    sha256: str
    by_lines: bool = False


class PaperSettings(NamedTuple):
    """What the paper's appendix sets for a dataset, by the names of our settings."""

    core_nodes: int  # [x]
    sampled_edges: int  # [y]
    added_edges: int  # [z]
    batch_size: int
    clip_norm: float


@dataclass(frozen=True, kw_only=True)
class CatalogEntry:
    """A dataset of the catalog."""

    name: str
    summary: str
    task: Literal["completion", "forecast"] = "completion"  # what its splits were made for
    files: Mapping[str, PublicFile] = field(default_factory=dict)  # by split, without header, tab separated
    home: str = ""  # address that the files lie below; empty: nowhere that we know of
    unit: Unit | None = None  # of the times in the files; None: found
    parent: str = ""  # the dataset that this one is another division of
    derive: Callable[[Dataset], tuple[Facts, Facts, Facts]] | None = None  # how it is divided
    make: Callable[[], Dataset] | None = None  # for a dataset that needs no files
    checksum: str = ""  # of the content, as ``Dataset.checksum`` counts it
    clean: str = ""  # the variant that is free of this one's leaks
    note: str = ""  # what a reader of the paper's table should know
    terms: str = ""  # where the terms of its data forbid something; then no weights that learned from it are shipped
    paper: PaperSettings | None = None
    tuned: Mapping[str, Any] = field(default_factory=dict)  # settings of T-GAP that paid on its validation split


# Facts that begin and end: whether an event lies before or after decides, see docs/study-wikidata11k.md.
_BEGIN_AND_END: Mapping[str, Any] = {
    "model.flow_displacement": "signed",
    "training.epochs": 1.0,
    "training.batch_size": 64,
    "training.decay_share": 0.7,
    "training.validate_every": 0.125,
    "training.patience": 0,
}
# Facts that begin and end, divided by interval: few speak for an answer, and many have several at one instant.
_INTERVALS: Mapping[str, Any] = {
    "model.flow_displacement": "signed",
    "model.other_answers": "aside",
    "model.prior": 0.1,
    "training.batch_size": 64,
    "training.learning_rate": 0.003,
    "training.decay_share": 0.7,
    "training.patience": 0,
}
_ENTRIES = (
    CatalogEntry(
        name="icews14",
        summary="political events of 2014, by day",
        home=MMKB,
        files={
            "train": PublicFile(
                "icews14/icews_2014_train.txt", "a6c7922dcbe406b3e292a313b4eab191e2399c3bc4810f662bb4363043a93df6"
            ),
            "valid": PublicFile(
                "icews14/icews_2014_valid.txt", "23dfa5cd6f3bb5421efcc30fc03bed0e8de4c2cf251d1765ff722d6f8b15dbe3"
            ),
            "test": PublicFile(
                "icews14/icews_2014_test.txt", "50d53602409a3dbaca2f13d9c7e30bf7311d8c1868fac890dc0c2836118b4cb4"
            ),
        },
        checksum="3b6ebed6f9348959b69e3cf7b7e9fe6d80fdd4e337af87fbb37b8cce0f004dc4",
        paper=PaperSettings(core_nodes=100, sampled_edges=500, added_edges=500, batch_size=16, clip_norm=3.0),
    ),
    CatalogEntry(
        name="icews05-15",
        summary="political events of 2005 to 2015, by day",
        home=MMKB,
        files={
            "train": PublicFile(
                "icews05-15/icews_2005-2015_train.txt",
                "96b45f8e49a80142c16da7e93dc3da60268a47b09f8c4164e4d48932969e46d1",
                by_lines=True,
            ),
            "valid": PublicFile(
                "icews05-15/icews_2005-2015_valid.txt",
                "404516f2da966c563ab6d81f1355ec5c67a9aa77c111bf712429e65136162b23",
            ),
            "test": PublicFile(
                "icews05-15/icews_2005-2015_test.txt",
                "d034cd94ace08279639526cbe2ce34829562941ddd1301e6afa9e0ffa7a5b160",
            ),
        },
        checksum="0b52c79f0ea8d9087eb82ec12e1df8162d23a32dcbaa2b5af3368b7d07b0cb4f",
        note="The paper's table says 479,329 facts: a misprint of 461,329.",
        paper=PaperSettings(core_nodes=10, sampled_edges=100, added_edges=100, batch_size=8, clip_norm=3.0),
        tuned={
            "model.displacement_exact": 512,
            "training.epochs": 1.0,
            "training.batch_size": 64,
            "training.learning_rate": 0.0014,
            "training.validate_every": 0.1,
            "training.patience": 0,
        },
    ),
    CatalogEntry(
        name="wikidata11k",
        summary="Wikidata statements with start or end year, as published (its splits leak)",
        home=MMKB,
        files={
            "train": PublicFile(
                "wikidata/wiki_train.txt", "68ac193574f8c9a7069490ce0b55d4751822fc2875698aa92ce2b73d7b1ddb0f"
            ),
            "valid": PublicFile(
                "wikidata/wiki_valid.txt", "c30bebbb592607e46dc99dea96420c3c82f08773311713412bb48c98d8cdacc4"
            ),
            "test": PublicFile(
                "wikidata/wiki_test.txt", "dd053d2d0d86b4fcc716ed810a995fffa3b034b9cc651717c1f11b28877a86ca"
            ),
        },
        checksum="7c5544bb6d93cb878025491bf1cf215229e162f71bbf31a3bfe2437273cdd5c6",
        clean="wikidata11k-clean",
        note="96 properties; each with its modifier (occurSince, occurUntil) is a relation here, 181 in all. "
        "The paper's table counts train alone: 11,134 entities, 95 properties.",
        paper=PaperSettings(core_nodes=50, sampled_edges=200, added_edges=200, batch_size=8, clip_norm=5.0),
        tuned={**_BEGIN_AND_END, "model.repeats": "visible"},  # a fifth of its questions stands in train
    ),
    CatalogEntry(
        name="wikidata11k-clean",
        summary="the same without repeats and leaks (train over valid over test)",
        parent="wikidata11k",
        derive=cleaned,
        tuned=_BEGIN_AND_END,
        checksum="075eb0b6f1b831daeedab4f2d9424a08b6503946f7a5cbd4483b3c1cc7b8456d",
    ),
    CatalogEntry(
        name="icews14-unseen",
        summary="icews14 with the 5th, 15th and 25th of each month kept out of train",
        parent="icews14",
        derive=unseen_days,
        checksum="b2fd27cbd01486f2e766a4e117f130eaa2060846fbffe6cc2016661dc081776a",
    ),
    CatalogEntry(
        name="icews14-emerging",
        summary="icews14 cut by time 5:2:3, for entities that are new since train",
        task="forecast",
        parent="icews14",
        derive=new_entities,
        note="The division that work about emerging entities uses. Its figures are about the questions with an entity "
        "that train lacks: the breakdown `seen` of an evaluation.",
        checksum="831690c9a86030bd1e5a45c8d44b5452edbc2520d99e92203447492b4b2cdf09",
    ),
    CatalogEntry(
        name="icews14-forecast",
        summary="political events of 2014 cut by time: valid November, test December",
        task="forecast",
        files={
            "train": PublicFile(
                "icews14-forecast/train.txt", "30feb3c1ccc12cebb954343758740110d93a7a9b9fd206307221bf84bffd785d"
            ),
            "valid": PublicFile(
                "icews14-forecast/valid.txt", "0ae75b36a95e6960c70c72b3bce0621ff4d76a3684cfda4bb97fe2065f4366a8"
            ),
            "test": PublicFile(
                "icews14-forecast/test.txt", "106a85d18ffe5581881640d29e9e73f51106e68111892059bfcea534e6d60baf"
            ),
        },
        checksum="96a4e75929b013fa5739a7064ba17a20cce801faea07850c2746eafd963fb092",
        note="The split of RE-GCN and of Gastinger et al.; xERTE and TITer use another one of the same name "
        "(63,685 / 13,823 / 13,222 facts). Never mix results of the two.",
    ),
    CatalogEntry(
        name="yago-forecast",
        summary="YAGO facts that hold in a year, 189 years cut by time",
        task="forecast",
        files={
            "train": PublicFile(
                "yago-forecast/train.txt", "072a2d1adec06808e9bdf9c88554c90ce93a932d72e3f6c8cd46365a9c27915c"
            ),
            "valid": PublicFile(
                "yago-forecast/valid.txt", "653844e746c66e9cc84a611c2c4815e8e2967f518ca5b023bd345f983fd58e6f"
            ),
            "test": PublicFile(
                "yago-forecast/test.txt", "3b9aacc82b28ba7673bcaf58158d6952ae683695b0f49a8641d9d378c8e681d9"
            ),
        },
        unit="year",
        checksum="229f6ab3402b7eeab59e62d097022d017bed16d8625c640cb79a0335dcf8cb78",
        note="Years are numbered from 0, as published.",
    ),
    CatalogEntry(
        name="wikidata12k",
        summary="Wikidata statements from year to year, divided by interval",
        files={
            "train": PublicFile(
                "wikidata12k/train.txt", "f06f25d89ced4590ff82db8576b4221f45574b27c02d6a68c3d18d5af7859fa2"
            ),
            "valid": PublicFile(
                "wikidata12k/valid.txt", "b2343a9fab59b10d85baad19d9e6f63c98ee2344a7ec842a127185d3f6d28f08"
            ),
            "test": PublicFile(
                "wikidata12k/test.txt", "4db787f9cf385d98070a32f5489755699952e5905d6782a40eb692899fb0d609"
            ),
        },
        unit="year",
        tuned=_INTERVALS,
        checksum="9bf52cf9ca0937967a8427a8ea9ae6f5d9491c979122d65b45fb23c8a3daeb65",
        note="The split of HyTE (Dasgupta et al. 2018), with labels beside the identifiers. An interval is two facts, "
        "-since and -until, both in one split; an end that is not known (####) is no fact. 1.7 % of test are in train "
        "all the same: intervals share an end. 10 intervals end before they start; both ends are kept.",
    ),
    CatalogEntry(
        name="yago11k",
        summary="YAGO facts from year to year, divided by interval",
        files={
            "train": PublicFile(
                "yago11k/train.txt", "426d4340db4e736b34235f69e8d644435e9b1aa3daea39ac23fbe42ad130e04c"
            ),
            "valid": PublicFile(
                "yago11k/valid.txt", "f156faafa16dad0cea2b54ff03787872cfa7f94756d19e77f801533e827b1144"
            ),
            "test": PublicFile("yago11k/test.txt", "8d838ea417f5b76c85bb5ab444aacb46f39ab85c5284bda4a56cbab4863be824"),
        },
        unit="year",
        tuned=_INTERVALS,
        checksum="09c6d0b041896e61408699d0e40fceb7cd8badcfdb7317cba033167c0d99063d",
        note="The split of HyTE (Dasgupta et al. 2018). An interval is two facts, -since and -until, in one split; "
        "an end that is not known (####) is no fact. 13 intervals without any year are left out, 70 end before they "
        "start; both ends are kept.",
    ),
    CatalogEntry(
        name="findkg",
        summary="finance news of 2018 to 2020 by week, cut by time",
        task="forecast",
        files={
            "train": PublicFile("findkg/train.txt", "6c76d2f80d287e24a72728b6b2b644c20d25a9095f90a0713e2278a1b38d943e"),
            "valid": PublicFile("findkg/valid.txt", "082a4693b634cb44163268a038cbedd4234cf1db69aa5323bbb28a2de2a37bbe"),
            "test": PublicFile("findkg/test.txt", "99b11e10644a2ec7eb687beb1dd7429847899073e82263ef7c29b7e4a0f4aa4c"),
        },
        checksum="9a7b3dfabbb66d484effea6f8b2d3da4685904c48f38a944c4a8ec9acee781e9",
        note="Cut by time: valid begins on 2019-12-08, test on 2020-03-08. Train repeats 9,428 of its lines.",
        terms="The terms of FinDKG speak of research use: results may be shown, trained weights are not shipped.",
    ),
    CatalogEntry(name="world", summary="a small invented world with planted rules; needs no files", make=make_world),
)
CATALOG: dict[str, CatalogEntry] = {entry.name: entry for entry in _ENTRIES}


def source_of(name: str) -> CatalogEntry:
    """The entry whose files or function a dataset is made from: its parent's, or its own."""
    entry = CATALOG[name]
    return CATALOG[entry.parent] if entry.parent else entry


def paper_settings(name: str) -> PaperSettings | None:
    """The paper's settings for a dataset of the catalog; variants share their parent's. None where it has none."""
    return source_of(name).paper if name in CATALOG else None


def tuned_settings(name: str) -> Mapping[str, Any]:
    """Settings of T-GAP for a dataset of the catalog, by dotted name; none for others."""
    return CATALOG[name].tuned if name in CATALOG else {}
