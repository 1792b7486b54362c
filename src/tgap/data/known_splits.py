"""Published splits by their fingerprints: which division of which dataset some facts are.

Datasets of one name are divided in different ways, and scores on two of them cannot be compared. A fingerprint is a
hash of the facts by name, whatever their order and however names spell case and spaces, so that it is the same in
every program. Splits that we know of but do not have are told by their number of facts.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from tgap.data.dataset import Dataset
from tgap.data.facts import Facts, distinct, fact_keys
from tgap.data.vocabulary import folded


class KnownSplit(NamedTuple):
    """A published split."""

    name: str  # of the dataset: in the catalog, or in words
    split: str
    facts: int
    mark: str = ""  # fingerprint; empty where only the number of facts is known


def fingerprint(dataset: Dataset, facts: Facts) -> str:
    """Fingerprint of some facts of a dataset: 16 hexadecimal digits."""
    entities, relations = ([folded(name) for name in names] for names in (dataset.entities, dataset.relations))
    dates = {time: dataset.timeline.format(time) for time in set(facts.time.tolist())}
    lines = sorted(
        f"{entities[fact.subject]}\t{relations[fact.relation]}\t{entities[fact.object]}\t{dates[fact.time]}"
        for fact in facts
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def identify(dataset: Dataset, facts: Facts) -> KnownSplit | None:
    """The split that some facts are: one of the dataset, else a published one, else one of their number.

    Repeated facts count once. None where nothing like it is known.
    """
    (keys,) = fact_keys([facts])
    facts = facts[np.unique(keys, return_index=True)[1]]
    for split, own in dataset.splits.items():
        asked, there = (distinct(part) for part in fact_keys([facts, own]))
        if np.array_equal(asked, there):
            return KnownSplit(dataset.name, split, len(facts))
    mark = fingerprint(dataset, facts)
    for known in KNOWN_SPLITS:
        if known.mark == mark:
            return known
    return next((known for known in KNOWN_SPLITS if not known.mark and known.facts == len(facts)), None)


XERTE = "the ICEWS14 forecasting data of xERTE and TITer"
KNOWN_SPLITS: tuple[KnownSplit, ...] = (
    KnownSplit("icews14", "train", 72_826, "d1c47e158ff501b8"),
    KnownSplit("icews14", "valid", 8_941, "e9e396d509fafbef"),
    KnownSplit("icews14", "test", 8_963, "228a0586b368a00a"),
    KnownSplit("icews14-unseen", "train", 81_813, "b265c5bd07d60b76"),
    KnownSplit("icews14-unseen", "valid", 4_458, "8453efe9ef6efba5"),
    KnownSplit("icews14-unseen", "test", 4_459, "03ec8c00387fcda7"),
    KnownSplit("icews14-forecast", "train", 74_845, "8e756e5b24f827d4"),
    KnownSplit("icews14-forecast", "valid", 8_514, "21e7c5fe041eed7f"),
    KnownSplit("icews14-forecast", "test", 7_371, "146d065d6f7c97ab"),
    KnownSplit("icews05-15", "train", 368_962, "1ef9accbd156f51f"),
    KnownSplit("icews05-15", "valid", 46_275, "e48eeb293f2a904f"),
    KnownSplit("icews05-15", "test", 46_092, "43c0ca8914960af6"),
    KnownSplit("wikidata11k", "train", 121_422, "c55c2bd815a8ad53"),
    KnownSplit("wikidata11k", "valid", 14_374, "c100ec2bce1cfd6c"),
    KnownSplit("wikidata11k", "test", 14_283, "446d9d28c4a3d4da"),
    KnownSplit("wikidata11k-clean", "train", 106_062, "ea4a821178b34fba"),
    KnownSplit("wikidata11k-clean", "valid", 11_609, "a796ea66f74d6293"),
    KnownSplit("wikidata11k-clean", "test", 11_388, "de0ae4a9bae7c95b"),
    KnownSplit("yago-forecast", "train", 161_540, "09ac4b5a706164dc"),
    KnownSplit("yago-forecast", "valid", 19_523, "bdcfb0b8539a0cf5"),
    KnownSplit("yago-forecast", "test", 20_026, "2e61febf9df33591"),
    KnownSplit(XERTE, "train", 63_685),
    KnownSplit(XERTE, "valid", 13_823),
    KnownSplit(XERTE, "test", 13_222),
)
