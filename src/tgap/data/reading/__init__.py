"""Read tables of events: files, folders, standard input and frames, as columns of text with known roles."""

from tgap.data.reading.columns import ROLES, Columns, Layout, columns_of
from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.readers import read_table
from tgap.data.reading.rejects import BadRowsError, Reject, write_rejects
from tgap.data.reading.sources import Sources, TableSource, divided_files, find_sources, of_files

__all__ = [
    "ROLES",
    "BadRowsError",
    "Columns",
    "Layout",
    "RawTable",
    "Reject",
    "Sources",
    "TableSource",
    "columns_of",
    "divided_files",
    "find_sources",
    "of_files",
    "read_table",
    "write_rejects",
]
