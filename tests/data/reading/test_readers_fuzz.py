"""Arbitrary bytes give a dataset or a ``DataError``, never anything else; the quick reading equals the careful one."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tgap.data.event_tables import EventTables, read_events
from tgap.data.reading import Layout, TableSource, delimited, of_files, read_table
from tgap.errors import DataError

quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

_LETTERS = st.sampled_from(
    ["A", "B", "é", "\u00a0", " ", '"', ",", "\t", "\n", "\r", "\r\n", "\x00", "\ufeff", "1", "2014"]
)
_TABLE_LIKE = st.lists(st.one_of(_LETTERS, st.sampled_from(["A\tr\tB\t2014\n", "A,r,B,2014-01-01\n"])), max_size=30)
_BYTES = st.one_of(
    st.binary(max_size=200),
    _TABLE_LIKE.map(lambda parts: "".join(parts).encode()),
    _TABLE_LIKE.map(lambda parts: gzip.compress("".join(parts).encode(), mtime=0)),
    st.binary(max_size=60).map(lambda content: b"PAR1" + content),
    st.binary(max_size=60).map(lambda content: b"\x1f\x8b" + content),
    st.tuples(st.binary(max_size=9), st.binary(max_size=9)).map(
        lambda ends: ends[0] + b"A\tr\tB\t2014\n" * 3 + ends[1]
    ),
)


def _facts(events: EventTables) -> int:
    return sum(len(part) for part in events.parts)


@quick
@given(content=_BYTES, suffix=st.sampled_from([".txt", ".csv", ".tsv", ""]))
@example(content=b"\xff" * 9, suffix=".csv")
@example(content=b'"', suffix=".csv")
@example(content=b'"\n,', suffix=".csv")
def test_arbitrary_bytes_never_surprise(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"fuzz{suffix}"
    path.write_bytes(content)
    for skip_bad in (False, True):
        try:
            assert _facts(read_events(of_files([path]), skip_bad=skip_bad)) > 0
        except DataError as error:
            assert str(path) in str(error)  # noqa: PT017  either outcome is right


_FIELD = st.text(st.characters(exclude_characters="\n\t", exclude_categories=["Cs"]), max_size=3)
_ROWS = st.lists(st.lists(_FIELD, min_size=3, max_size=5).map("\t".join), min_size=1, max_size=6)
_TEXT = st.one_of(
    st.tuples(_ROWS, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n", "\r\n"])).map(
        lambda parts: parts[1].join(parts[0]) + parts[2]
    ),
    st.lists(st.sampled_from(["a", "b\tc\td", "\t", "\n", "\r", "\r\n", '"', "\x00", " "]), max_size=12).map("".join),
)


@quick
@given(text=_TEXT, header=st.booleans())
def test_quick_and_careful_reading_agree(tmp_path: Path, text: str, header: bool) -> None:
    path = tmp_path / "fuzz.tsv"
    path.write_bytes(text.encode())
    layout = Layout(header=header, separator="\t")
    try:
        quickly = read_table(TableSource(str(path), path), layout)
    except DataError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_read_fast", lambda *_arguments: None)
        carefully = read_table(TableSource(str(path), path), layout)
    assert quickly.frame.rows() == carefully.frame.rows()
    reasons = dict.fromkeys(range(quickly.frame.height), "why")
    assert quickly.reject(reasons) == carefully.reject(reasons)
    assert quickly.rejects == carefully.rejects


@quick
@given(
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), min_size=1, max_size=6),
        min_size=3,
        max_size=12,
    )
)
def test_any_name_survives_a_comma_file(tmp_path: Path, names: list[str]) -> None:
    rows = [(names[i], names[i + 1], names[i + 2], "2014-01-01") for i in range(0, len(names) - 2, 3)]
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["subject", "relation", "object", "time"])
    writer.writerows(rows)
    path = tmp_path / "fuzz.csv"
    path.write_bytes(buffer.getvalue().encode())
    events = read_events(of_files([path]))
    found = {
        (events.entities.name(fact.subject), events.relations.name(fact.relation), events.entities.name(fact.object))
        for fact in events.parts[0]
    }
    assert found == {row[:3] for row in rows}


@pytest.mark.parametrize("content", ["a\tb\t\n\t\n\t\t\t\n", "a\tb\tc\n\t\n\t\t\t\n", "a\tb\tc\t\na\tb\tc\n"])
def test_uneven_lines_cannot_hide_behind_each_other(tmp_path: Path, content: str) -> None:
    (tmp_path / "e.tsv").write_text(content)
    assert len(read_table(TableSource("e.tsv", tmp_path / "e.tsv"), Layout(header=False)).rejects) > 0
