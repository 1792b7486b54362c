"""Which reader a source needs, by what its first bytes say."""

from __future__ import annotations

from tgap.data.reading.columns import Layout
from tgap.data.reading.delimited import read_text
from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.sources import TableSource
from tgap.data.reading.typed import read_json_lines, read_parquet, table_of_frame
from tgap.errors import DataError


def read_table(source: TableSource, layout: Layout) -> RawTable:
    """The rows of a source; raises ``DataError`` when there is no table in it at all."""
    if source.frame is not None:
        return table_of_frame(source.name, source.frame)
    content = source.content()
    if content[:4] == b"PAR1":
        return read_parquet(source.name, content)
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content or (content[:1] in (b"\n", b"\r") and not content.strip(b"\r\n")):
        raise DataError(f"{source.name}: the file is empty")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError(f"{source.name}: the file is UTF-16; save it as UTF-8")
    if content[:4] == b"PK\x03\x04":
        raise DataError(f"{source.name}: the file is a zip archive or a spreadsheet; unpack it, or save it as CSV")
    if source.suffix in ("jsonl", "ndjson") or (content[:1] == b"{" and not layout.separator):
        return read_json_lines(source.name, content)
    return read_text(source, content, layout)
