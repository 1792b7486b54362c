"""Which reader a source needs, by what its first bytes say."""

from __future__ import annotations

from tgap.data.reading.columns import Layout
from tgap.data.reading.delimited import read_text
from tgap.data.reading.encodings import as_utf8
from tgap.data.reading.json_document import is_json_document, read_json_document
from tgap.data.reading.raw_table import RawTable
from tgap.data.reading.sources import TableSource
from tgap.data.reading.spreadsheet import read_spreadsheet
from tgap.data.reading.typed import read_json_lines, read_parquet, table_of_frame
from tgap.errors import DataError

_LINES = ("jsonl", "ndjson")


def read_table(source: TableSource, layout: Layout) -> RawTable:
    """The rows of a source; raises ``DataError`` when there is no table in it at all."""
    if source.frame is not None:
        return table_of_frame(source.name, source.frame)
    content = source.content()
    if content[:4] == b"PAR1":
        return read_parquet(source.name, content)
    if content[:4] == b"PK\x03\x04":
        return read_spreadsheet(source.name, content)
    content, encoding = as_utf8(content.removeprefix(b"\xef\xbb\xbf"))
    if not content or (content[:1] in (b"\n", b"\r") and not content.strip(b"\r\n")):
        raise DataError(f"{source.name}: the file is empty")
    table = _read_decoded(source, content, layout)
    table.encoding = encoding
    return table


def _read_decoded(source: TableSource, content: bytes, layout: Layout) -> RawTable:
    if source.suffix not in _LINES and not layout.separator and is_json_document(content):
        return read_json_document(source.name, content)
    if source.suffix in _LINES or (content[:1] == b"{" and not layout.separator):
        return read_json_lines(source.name, content)
    return read_text(source, content, layout)
