"""Facts as id arrays with names and times: vocabulary, timeline, readers, named datasets, splits, synthetic world."""

from tgap.data.catalog import dataset_reference, load_dataset
from tgap.data.dataset import SPLITS, Cause, Dataset, Leaks, LeakWarning
from tgap.data.entries import CATALOG, CatalogEntry, PaperSettings, paper_settings
from tgap.data.facts import Fact, Facts
from tgap.data.locations import data_folder, data_folders
from tgap.data.splits import SPLIT_RULES, split_facts
from tgap.data.time import UNITS, Timeline
from tgap.data.vocabulary import Vocabulary
from tgap.data.world import make_world

__all__ = [
    "CATALOG",
    "SPLITS",
    "SPLIT_RULES",
    "UNITS",
    "CatalogEntry",
    "Cause",
    "Dataset",
    "Fact",
    "Facts",
    "LeakWarning",
    "Leaks",
    "PaperSettings",
    "Timeline",
    "Vocabulary",
    "data_folder",
    "data_folders",
    "dataset_reference",
    "load_dataset",
    "make_world",
    "paper_settings",
    "split_facts",
]
