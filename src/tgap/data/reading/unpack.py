"""Unpack what a table is wrapped in: gzip, zstd, or a zip archive with one table in it."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib

from tgap.errors import DataError

_GZIP, _ZIP, _ZSTD = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"
PACKED = (".gz", ".zst", ".zip")  # endings of names
WORKBOOK = "xl/workbook.xml"  # what a zip archive that is a spreadsheet holds


def unpack(name: str, content: bytes) -> bytes:
    """The table itself; a spreadsheet stays as it is. Raises ``DataError`` where there is not one table."""
    if content[:2] == _GZIP:
        try:
            return gzip.decompress(content)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataError(f"{name}: the gzip file is broken ({error}); fetch or pack it again") from error
    if content[:4] == _ZSTD:
        return _from_zstd(name, content)
    if content[:4] == _ZIP:
        return _from_zip(name, content)
    return content


def _from_zstd(name: str, content: bytes) -> bytes:
    """Polars unpacks zstd; it gives lines, which are put together again."""
    import polars as pl  # noqa: PLC0415

    try:
        lines = pl.read_lines(io.BytesIO(content)).to_series()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"{name}: the zstd file cannot be read ({reason}); unpack it with `unzstd`") from error
    return "".join(f"{line}\n" for line in lines).encode()


def _from_zip(name: str, content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if WORKBOOK in archive.namelist():
                return content
            tables = [member for member in archive.infolist() if _may_be_table(member)]
            if len(tables) != 1:
                names = ", ".join(member.filename for member in tables[:5]) or "none"
                raise DataError(
                    f"{name}: expected one table in the zip archive, found {len(tables)} ({names}); unpack it"
                )
            return archive.read(tables[0])
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"{name}: the zip archive cannot be read ({error}); unpack it yourself") from error


def _may_be_table(member: zipfile.ZipInfo) -> bool:
    base = member.filename.rpartition("/")[2]
    hidden = base.startswith(".") or member.filename.startswith("__MACOSX/")
    return not member.is_dir() and not hidden and not base.lower().startswith("readme")
