"""Files of events: every form that is read, and every way in which one can be bad."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from tgap.data.event_tables import EventTables, read_events
from tgap.data.reading import BadRowsError, Layout, of_files, write_rejects
from tgap.data.time import Unit
from tgap.errors import DataError

ROWS = [
    ("Ann", "visits", "Găgăuzia\u00a0", "2014-01-03"),
    (" Bob", "visits", 'the "big" one', "2014-01-01"),
    ("Ann", "calls", " Bob", "2014-01-02"),
]


def read(
    paths: Sequence[Path], layout: Layout | None = None, unit: Unit | None = None, skip_bad: bool = False
) -> EventTables:
    return read_events(of_files(paths), layout, unit, skip_bad)


def remarks(events: EventTables) -> str:
    return "\n".join(remark.text for remark in events.remarks)


def texts(events: EventTables) -> list[tuple[str, str, str, str]]:
    """All facts as names, in the order of the dataset."""
    return [
        (
            events.entities.name(fact.subject),
            events.relations.name(fact.relation),
            events.entities.name(fact.object),
            events.timeline.format(fact.time),
        )
        for part in events.parts
        for fact in part
    ]


def by_time(rows: list[tuple[str, str, str, str]]) -> list[tuple[str, str, str, str]]:
    return sorted(rows, key=lambda row: (row[3], row[0], row[1], row[2]))


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def tabbed(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def test_tab_without_header_keeps_bytes(tmp_path: Path) -> None:
    events = read([write(tmp_path / "e.txt", tabbed(ROWS))])
    assert texts(events) == by_time(ROWS)
    assert events.timeline.unit == "day"


def test_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    one = read([write(tmp_path / "a.txt", tabbed(ROWS))])
    two = read([write(tmp_path / "b.txt", tabbed(ROWS[::-1]))])
    assert one.entities == two.entities
    assert texts(one) == texts(two)


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_and_byte_order_mark(tmp_path: Path, ending: str, last: bool, mark: str) -> None:
    content = mark + ending.join("\t".join(row) for row in ROWS) + (ending if last else "")
    assert texts(read([write(tmp_path / "e.txt", content)])) == by_time(ROWS)


def test_comma_with_quotes(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    pl.DataFrame(ROWS, schema=["when?", "b", "c", "d"], orient="row").write_csv(path)
    layout = Layout(subject="1", relation="b", object="3", time="d")
    assert texts(read([path], layout)) == by_time(ROWS)


def test_comma_without_quotes_and_gzip(tmp_path: Path) -> None:
    content = "id,Date,Source,Target,Event\n7,2014-01-02,Ann,Bob,calls\n8,2014-01-01,Bob,Ann,calls\n"
    path = write(tmp_path / "e.csv.gz", gzip.compress(content.encode()))
    events = read([path])
    assert texts(events) == [("Bob", "calls", "Ann", "2014-01-01"), ("Ann", "calls", "Bob", "2014-01-02")]
    assert events.column_names == {"subject": "Source", "relation": "Event", "object": "Target", "time": "Date"}


def test_names_over_several_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", 's,r,o,t\n"Ann\nLee",calls,"Bob, Jr",2014\nx,calls,"",2014\ny,calls,z,2015\n')
    layout = Layout(time="t", object="o", subject="s", relation="r")
    with pytest.raises(BadRowsError, match=r"line 4: the object is empty"):
        read([path], layout)
    events = read([path], layout, skip_bad=True)
    assert texts(events)[0] == ("Ann\nLee", "calls", "Bob, Jr", "2014")


@pytest.mark.parametrize("header", [None, False])
def test_five_columns_merge_the_modifier(tmp_path: Path, header: bool | None) -> None:
    path = write(tmp_path / "e.txt", "Q1\tP54\tQ2\toccurSince\t0025\nQ1\tP54\tQ2\toccurUntil\t2015\n")
    events = read([path], Layout(header=header))
    assert texts(events) == [("Q1", "P54-occurSince", "Q2", "0025"), ("Q1", "P54-occurUntil", "Q2", "2015")]


def test_intervals_become_two_facts(tmp_path: Path) -> None:
    path = write(
        tmp_path / "e.txt", "Ann\tleads\tFirm\t2001\t2005\nBob\tleads\tFirm\t2005\t\nEve\tleads\tFirm\t\t2001\n"
    )
    events = read([path])
    assert texts(events) == [
        ("Ann", "leads-since", "Firm", "2001"),
        ("Eve", "leads-until", "Firm", "2001"),
        ("Ann", "leads-until", "Firm", "2005"),
        ("Bob", "leads-since", "Firm", "2005"),
    ]
    assert "2 intervals have only a start or only an end: one fact each" in remarks(events)
    named = write(tmp_path / "n.csv", "subject,relation,object,start,end\nAnn,leads,Firm,2001,2005\n")
    assert texts(read([named])) == [
        ("Ann", "leads-since", "Firm", "2001"),
        ("Ann", "leads-until", "Firm", "2005"),
    ]


def test_intervals_that_end_before_they_start_are_kept_and_told(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", "A\tr\tB\t2001\t2002\nA\tr\tC\t2003\t2000\nA\tr\tD\t2001\t2001\n")
    events = read([path])
    assert ("A", "r-since", "C", "2003") in texts(events)
    assert ("A", "r-until", "C", "2000") in texts(events)
    (told,) = [remark for remark in events.remarks if "before the start" in remark.text]
    assert told.serious
    assert "1 interval ends before the start (first in " in told.text
    assert "e.txt, line 2)" in told.text


def test_bad_intervals_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", "A\tr\tB\t2001\t2002\nA\tr\tB\t2001\t2001\nA\tr\tB\t\t\nA\tr\tB\t2001\tx\n")
    with pytest.raises(BadRowsError) as caught:
        read([path])
    assert [(reject.number, reject.reason) for reject in caught.value.rejects] == [
        (3, "neither start nor end is given"),
        (4, "'x' is not a time like 2001"),
    ]


def test_several_files_share_ids_and_timeline(tmp_path: Path) -> None:
    first = write(tmp_path / "a.txt", "B\tr\tC\t2014-01-05\n")
    second = write(tmp_path / "b.txt", "A\tr\tB\t2014-01-01\n")
    events = read([first, second])
    assert events.entities.names == ("A", "B", "C")
    assert [part[0] for part in events.parts] == [(1, 0, 2, 4), (0, 0, 1, 0)]


def test_parquet_of_any_column_type(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "who": pl.Series(["Ann", "Bob"], dtype=pl.Categorical),
            "what": ["calls", "calls"],
            "whom": [17, 18],
            "when": [date(2014, 1, 2), date(2014, 1, 1)],
            "at": [datetime(2014, 1, 2, 7, 30, tzinfo=UTC), datetime(2014, 1, 1, tzinfo=UTC)],
            "tags": [["a"], ["b"]],
        }
    )
    path = tmp_path / "e.parquet"
    frame.write_parquet(path)
    layout = Layout(subject="who", relation="what", object="whom", time="when")
    assert texts(read([path], layout)) == [
        ("Bob", "calls", "18", "2014-01-01"),
        ("Ann", "calls", "17", "2014-01-02"),
    ]
    by_minute = read([path], Layout(subject="who", relation="what", object="whom", time="at"))
    assert by_minute.timeline.unit == "minute"
    with pytest.raises(DataError, match=r"the column for object holds List\(String\), expected text"):
        read([path], Layout(subject="who", relation="what", object="tags", time="when"))


def test_parquet_rows_are_counted(tmp_path: Path) -> None:
    frame = pl.DataFrame({"subject": ["A", None], "relation": ["r", "r"], "object": ["B", "C"], "time": [2014, 2015]})
    frame.write_parquet(tmp_path / "e.parquet")
    with pytest.raises(BadRowsError, match="row 2: the subject is empty"):
        read([tmp_path / "e.parquet"])
    (tmp_path / "e.parquet.gz").write_bytes(gzip.compress((tmp_path / "e.parquet").read_bytes()))
    assert len(texts(read([tmp_path / "e.parquet.gz"], skip_bad=True))) == 1
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DataError, match="the Parquet file is broken"):
        read([tmp_path / "broken.parquet"])


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("A\tr\tB\t2014\nA\tr\tB\n", 2, "3 fields, expected 4"),
        ("A\tr\tB\t2014\nA\tr\tB\t2014\tx\n", 2, "5 fields, expected 4"),
        ("A\tr\tB\t2014\nword\n", 2, "1 field, expected 4"),
        ("A\tr\tB\t2014\n\tr\tB\t2014\n", 2, "the subject is empty"),
        ("A\tr\tB\t2014\nA\t\tB\t2014\n", 2, "the relation is empty"),
        ("A\tr\tB\t2014\nA\tr\t\t2014\n", 2, "the object is empty"),
        ("A\tr\tB\t2014\nA\tr\tB\t\n", 2, "the time is empty"),
        ("A\tr\tB\t2014-01-01\nA\tr\tB\t2014-02-30\n", 2, "'2014-02-30' is not a time like 2014-01-01"),
        ("A\tr\tB\t2014\n\n\nA\tr\tB\tsoon\n", 4, "'soon' is not a time like 2014"),
        (b"A\tr\tB\t2014\nA\tr\tB\xff\t2014\n", 2, "not UTF-8 (byte 0xff); save the file as UTF-8"),
        ("subject\trelation\tobject\ttime\nA\tr\tB\t2014\nA\tr\tB\tx\n", 3, "'x' is not a time like 2014"),
        ('s,r,o,t\nA,"r"x,B,2014\nA,r,B,2014\n', 2, "bad quoting (',' expected after '\"')"),
        ('s,r,o,t\nA,r,B,2014\nA,"r,B,2014\n', 3, "a quotation mark is never closed"),
    ],
)
def test_bad_rows_name_line_and_reason(tmp_path: Path, content: str | bytes, line: int, reason: str) -> None:
    path = write(tmp_path / "e.txt", content)
    with pytest.raises(BadRowsError) as caught:
        read([path])
    assert [(reject.number, reject.reason) for reject in caught.value.rejects] == [(line, reason)]
    assert f"{path}, line {line}: {reason}" in str(caught.value)
    good = read([path], skip_bad=True)
    assert sum(len(part) for part in good.parts) == 1
    raw = (content if isinstance(content, bytes) else content.encode()).split(b"\n")[line - 1]
    assert good.rejects[0].raw.startswith(raw)


def test_equal_reasons_are_grouped_twenty_are_shown_and_the_rest_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", "A\tr\tB\t2014\n" + "A\tr\tB\tx\n" * 1037)
    with pytest.raises(BadRowsError) as caught:
        read([path])
    assert str(caught.value).splitlines() == [
        "1,037 bad rows in the input; nothing was written, mend them or skip them with `skip_bad`",
        f"  {path}, lines 2, 3, 4, 5, 6 and 1,032 more: 'x' is not a time like 2014",
    ]
    path = write(tmp_path / "e.txt", "A\tr\tB\t2014\n" + "".join(f"A\tr\tB\tx{i % 1000}\n" for i in range(1037)))
    with pytest.raises(BadRowsError) as caught:
        read([path])
    lines = str(caught.value).splitlines()
    assert lines[1] == f"  {path}, lines 2, 1002: 'x0' is not a time like 2014"
    assert len(lines) == 22
    assert lines[-1] == "  and 997 more"


def test_rejected_rows_are_written_whole(tmp_path: Path) -> None:
    content = b"A\tr\tB\t2014\nA\tr\n\xff\xfe\tx\r\nA\tr\tB\t2015\n"
    events = read([write(tmp_path / "e.txt", content)], skip_bad=True)
    write_rejects(tmp_path / "bad.tsv", events.rejects)
    lines = (tmp_path / "bad.tsv").read_bytes().splitlines()
    assert [line.split(b"\t", 3)[3] for line in lines] == [b"A\tr", b"\xff\xfe\tx"]
    assert sum(len(part) for part in events.parts) + len(events.rejects) == 4


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_empty_files_are_told(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match="the file is empty"):
        read([write(tmp_path / "e.txt", content)])


def test_things_that_are_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a directory; expected a file of events"):
        read([tmp_path])
    with pytest.raises(DataError, match="there is no such file"):
        read([tmp_path / "nowhere.csv"])
    with pytest.raises(DataError, match="the gzip file is broken"):
        read([write(tmp_path / "e.gz", gzip.compress(b"A\tr\tB\t2014\n" * 99)[:40])])
    with pytest.raises(DataError, match="the zip archive cannot be read"):
        read([write(tmp_path / "e.xlsx", b"PK\x03\x04\x14\0\0\0,,,,\n")])
    with pytest.raises(DataError, match="no line of the file is readable text"):
        read([write(tmp_path / "e.txt", b"\xff\xff\n\xfe")])
    with pytest.raises(DataError, match=r"found 3 columns, a fact needs at least 4.*name it with `relation_name`"):
        read([write(tmp_path / "e.txt", "A\tr\tB\n")])
    with pytest.raises(DataError, match="there are no facts in it"):
        read([write(tmp_path / "e.txt", "subject\trelation\tobject\ttime\n")])
    with pytest.raises(BadRowsError, match="'b' is not a time like 2014-05-13"):
        read([write(tmp_path / "e.txt", "A\tr\tB\tb\n")])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", "A\tr\tB\t2014\n")
    path.chmod(0)
    with pytest.raises(DataError, match="cannot be read"):
        read([path])


def test_columns_are_chosen_or_explained(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "id,who,what,whom,day\n1,A,r,B,2014-01-01\n")
    with pytest.raises(DataError, match=r"say which are which with .*The header is: id, who, what, whom, day"):
        read([path], Layout(subject="who"))
    with pytest.raises(DataError, match="`time` is 'date', but the header has 'id', 'who'"):
        read([path], Layout(subject="who", relation="what", object="whom", time="date"))
    with pytest.raises(DataError, match="would be both subject and object"):
        read([path], Layout(subject="who", relation="what", object="who", time="day"))
    foreign = write(tmp_path / "f.csv", "nr,tag,wer,was,wen,notiz\n1,2014-01-01,A,r,B,\n")
    with pytest.raises(DataError, match=r"has 6 columns; .*The header is: nr, tag, wer, was, wen, notiz\."):
        read([foreign])
    plain = write(tmp_path / "p.csv", "x,A,r,B,2014,y\nx,A,r,B,2014,y\n")
    with pytest.raises(DataError, match=r"has 6 columns; .*The first line: x, A, r, B, 2014, y\."):
        read([plain])
    bare = write(tmp_path / "b.txt", "A\tr\tB\t2014\n")
    with pytest.raises(DataError, match="`time` is '9', but the file has columns 1 to 4"):
        read([bare], Layout(time="9"))
    with pytest.raises(DataError, match="`time` is 'when', but the file has columns 1 to 4 and no header"):
        read([bare], Layout(time="when", header=False))


def test_other_separators(tmp_path: Path) -> None:
    semicolons = write(tmp_path / "s.csv", 'subject;relation;object;time\n"A; B";"said ""no""";C, D;2014\n')
    assert texts(read([semicolons])) == [("A; B", 'said "no"', "C, D", "2014")]
    for bars in (write(tmp_path / "b.txt", "A|r|B|2014\n"), write(tmp_path / "b.csv", "A|r|B|2014\n")):
        assert texts(read([bars])) == [("A", "r", "B", "2014")]
    hashes = write(tmp_path / "h.txt", "A#r#B#2014\n")
    with pytest.raises(DataError, match=r"found 1 column, a fact needs at least 4 .*name it with `separator`"):
        read([hashes])
    assert texts(read([hashes], Layout(separator="#"))) == [("A", "r", "B", "2014")]
    tabs = write(tmp_path / "t.csv", "A\tr\tB\t2014\n")
    assert texts(read([tabs])) == [("A", "r", "B", "2014")]


def test_header_can_be_forced(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", "A\tr\tB\t2014\nC\tr\tD\t2015\n")
    assert len(texts(read([path], Layout(header=True)))) == 1
    named = write(tmp_path / "n.txt", "a\tb\tc\td\nA\tr\tB\t2014\n")
    assert len(texts(read([named]))) == 1
    with pytest.raises(BadRowsError, match="line 1: 'd' is not a time like 2014"):
        read([named], Layout(header=False))


def test_a_name_that_stands_over_two_columns_is_not_guessed(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "name,relation,name,time\nA,r,B,2014\n")
    assert texts(read([path])) == [("A", "r", "B", "2014")]
    with pytest.raises(DataError, match=r"the name 'name' stands over columns 1 and 3; .*with `subject`"):
        read([path], Layout(subject="name"))
    assert texts(read([path], Layout(subject="3", object="1"))) == [("B", "r", "A", "2014")]
    timed = write(tmp_path / "t.csv", "subject,relation,object,time,time\nA,r,B,2014,2015\n")
    with pytest.raises(DataError, match=r"the name 'time' stands over columns 4 and 5; .*with `time`"):
        read([timed])
    assert texts(read([timed], Layout(time="5"))) == [("A", "r", "B", "2015")]


@pytest.mark.parametrize("skip_bad", [False, True])
def test_where_no_row_is_good_the_column_is_doubted(tmp_path: Path, skip_bad: bool) -> None:
    dates = write(tmp_path / "e.csv", "subject,relation,object,time\n" + "A,r,B,3/1/24\n" * 30)
    with pytest.raises(BadRowsError, match=r"30 bad rows .* there is no good one.* is `time` the right column"):
        read([dates], skip_bad=skip_bad)
    letters = write(tmp_path / "l.csv", b"subject,relation,object,time\nJos\x81,r,B,2014\n")
    with pytest.raises(BadRowsError, match=r"there is no good one[^\n]*\n.*line 2: not UTF-8 \(byte 0x81\); save"):
        read([letters], skip_bad=skip_bad)


def test_times_with_a_zone_are_counted(tmp_path: Path) -> None:
    times = ("2014-01-01T07:30+02:00", "2014-01-01 08:30:10-0330", "2014-01-01T09:30Z", "2014-01-01")
    events = read([write(tmp_path / "e.txt", tabbed([("A", "r", "B", time) for time in times]))])
    assert "2 rows name a time zone: converted to UTC" in remarks(events)
    assert sorted(row[3] for row in texts(events))[1] == "2014-01-01T05:30"


def test_an_extra_empty_field_is_seen(tmp_path: Path) -> None:
    """polars passes over it in silence; the count of bytes does not."""
    path = write(tmp_path / "e.txt", "A\tr\tB\t2014\n" * 9 + "A\tr\tB\t2014\t\n" + "A\tr\tB\t2014\n" * 9)
    with pytest.raises(BadRowsError, match="line 10: 5 fields, expected 4"):
        read([path])
