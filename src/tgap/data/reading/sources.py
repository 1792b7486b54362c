"""Where events are read from: files, folders of files, and standard input, as one list of sources.

A folder that holds train, valid and test (train.txt, train.csv.gz ...) is divided already; of any other folder all
tables are read together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tgap.data.reading.unpack import PACKED, unpack
from tgap.errors import DataError, Option

if TYPE_CHECKING:
    import polars as pl

SPLIT_NAMES = ("train", "valid", "test")
STANDARD_INPUT = Path("-")
_TABLES = ("txt", "tsv", "tab", "csv", "parquet", "jsonl", "ndjson", "json", "xlsx")


@dataclass(frozen=True)
class TableSource:
    """One table to read: a file, standard input, or a frame in memory. ``name`` is what messages call it."""

    name: str
    path: Path | None = None
    frame: pl.DataFrame | None = None

    @property
    def suffix(self) -> str:
        """Kind of file by its name, without the dot; what it is packed with aside."""
        name = self.name.lower()
        for packed in PACKED:
            name = name.removesuffix(packed)
        return name.rpartition(".")[2]

    def content(self) -> bytes:
        """The bytes of the table, unpacked."""
        try:
            content = sys.stdin.buffer.read() if self.path is None else self.path.read_bytes()
        except FileNotFoundError:
            raise DataError(f"{self.name}: there is no such file") from None
        except IsADirectoryError:
            raise DataError(f"{self.name} is a directory; expected a file of events") from None
        except OSError as error:
            raise DataError(f"{self.name}: cannot be read ({error.strerror})") from error
        except ValueError as error:  # a path with a NUL in it
            raise DataError(f"{self.name!r} is not a path: {error}") from error
        return unpack(self.name, content)


@dataclass(frozen=True)
class Sources:
    """Sources with the part that each belongs to: all 0, or 0, 1 and 2 for train, valid and test."""

    sources: tuple[TableSource, ...]
    part: tuple[int, ...]

    @property
    def divided(self) -> bool:
        """Whether they are divided into train, valid and test."""
        return max(self.part) > 0

    @property
    def names(self) -> list[str]:
        """Short names, for people."""
        return [source.path.name if source.path else source.name for source in self.sources]


def find_sources(
    events: Sequence[Path], valid: Sequence[Path] | None = None, test: Sequence[Path] | None = None
) -> Sources:
    """Sources for files, folders and ``-``; with ``valid`` and ``test`` they are divided as given.

    Raises ``DataError`` where there is nothing to read or only one of ``valid`` and ``test``.
    """
    if not events:
        raise DataError("there is no file to read; name one, a folder, or - for standard input")
    if (valid is None) != (test is None):
        missing = "valid" if valid is None else "test"
        raise DataError(
            Option(missing),
            " is missing; give both ",
            Option("valid"),
            " and ",
            Option("test"),
            ", or neither to divide the events by rule",
        )
    if sum(path == STANDARD_INPUT for path in (*events, *(valid or ()), *(test or ()))) > 1:
        raise DataError("standard input (-) can be read only once")
    if valid is not None and test is not None:
        groups = [[source for path in paths for source in _expand(path)] for paths in (events, valid, test)]
        return _sources(groups)
    if len(events) == 1 and _is_dir(events[0]):
        divided = divided_files(events[0])
        if divided:
            return of_files(divided)
    return _sources([[source for path in events for source in _expand(path)]])


def of_files(paths: Sequence[Path]) -> Sources:
    """Exactly these files, one part each."""
    return _sources([[TableSource(str(path), path)] for path in paths])


def _sources(groups: list[list[TableSource]]) -> Sources:
    part = tuple(index for index, group in enumerate(groups) for _ in group)
    return Sources(tuple(source for group in groups for source in group), part)


def _expand(path: Path) -> list[TableSource]:
    if path == STANDARD_INPUT:
        return [TableSource("standard input")]
    if not _is_dir(path):
        return [TableSource(str(path), path)]
    tables = sorted(file for file in path.iterdir() if _is_table(file))
    if not tables:
        raise DataError(
            f"{path} is a directory without tables in it; expected files that end in .{', .'.join(_TABLES)}"
        )
    return [TableSource(str(file), file) for file in tables]


def divided_files(folder: Path) -> list[Path]:
    """The tables of train, valid and test in a folder, if each is there exactly once; else nothing."""
    tables = sorted(file for file in folder.iterdir() if _is_table(file))
    found = [[file for file in tables if file.name.lower().partition(".")[0] == split] for split in SPLIT_NAMES]
    return [files[0] for files in found] if all(len(files) == 1 for files in found) else []


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except ValueError:  # a path with a NUL in it; reading it tells
        return False


def _is_table(file: Path) -> bool:
    suffix = TableSource(file.name).suffix
    return suffix in _TABLES and not file.name.startswith(".") and os.path.isfile(file)
