"""What import says about names and times that may not be what they seem."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from tests.data.test_event_tables import read, remarks, tabbed, texts, write
from tgap.data.reading import Layout
from tgap.errors import DataError


def test_quoted_names_in_tab_files_are_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "e.tsv", '"A"\tr\t"B"\t2014\nA\tr\tC\t2014\n')
    events = read([path])
    assert len(events.entities) == 4
    assert (
        '2 entities have quotation marks around their name ("A"), 1 of them beside the same name without; '
        "`quotes` takes them off" in remarks(events)
    )
    assert read([path], Layout(quotes=True)).entities.names == ("A", "B", "C")
    assert "quotation" not in remarks(read([path], Layout(quotes=True)))
    comma = write(tmp_path / "e.csv", '"A",r,"""B""",2014\n')
    assert "quotation" not in remarks(read([comma]))


def test_quotes_can_be_letters_in_comma_files(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", '"A",r,6" pipe,2014\n')
    assert texts(read([path], Layout(quotes=False))) == [('"A"', "r", '6" pipe', "2014")]


def test_blanks_and_absent_names_are_noted(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", tabbed([(" ", "r", "NA", "2014"), ("NA", "r", "\u00a0", "2014")]))
    events = read([path])
    assert "2 fields are only blanks, kept as a name" in remarks(events)
    assert "2 fields are 'NA', kept as a name; `missing` NA takes it for empty" in remarks(events)
    assert all(remark.serious for remark in events.remarks)
    plain = read([write(tmp_path / "p.txt", tabbed([("Nan", "none such", "Unknown Actor", "2014")]))])
    assert "1 field is 'Nan'" in remarks(plain)
    assert "Unknown Actor" not in remarks(plain)


def test_missing_texts_are_empty(tmp_path: Path) -> None:
    path = write(tmp_path / "e.txt", "A\tr\tB\t2001\tNA\nA\tr\tNULL\t2001\t2002\n")
    events = read([path], Layout(missing=("NA", "NULL"), time="4", end="5", header=False), skip_bad=True)
    assert texts(events) == [("A", "r-since", "B", "2001")]
    assert [reject.reason for reject in events.rejects] == ["the object is empty"]


def test_counts_leave_rejected_rows_out(tmp_path: Path) -> None:
    rows = "A\tr\tB\t2001\t\nA\tr\tC\t2001-05-03\t2002\nA\t\tB\t2001\t\nA\tr\tB\tx\t\n"
    events = read([write(tmp_path / "e.txt", rows)], Layout(time="4", end="5"), unit="year", skip_bad=True)
    assert [reject.number for reject in events.rejects] == [3, 4]
    assert "1 interval has only a start or only an end: one fact each" in remarks(events)
    assert "1 row says more than the year, which is kept" in remarks(events)
    assert events.relations.names == ("r-since", "r-until")


def test_finer_rows_are_named_with_their_line(tmp_path: Path) -> None:
    days = [("A", "r", "B", f"2018-01-{1 + i % 28:02d}") for i in range(300)]
    odd = [("A", "r", "B", f"2018-01-05 13:{i:02d}") for i in range(5)]
    events = read([write(tmp_path / "e.txt", tabbed([*days, *odd]))])
    assert events.timeline.unit == "day"
    (remark,) = events.remarks
    assert remark.serious
    assert remark.text == (
        "5 of 305 rows say more than the day that the others say ('2018-01-05 13:00', '2018-01-05 13:01', "
        f"'2018-01-05 13:02' ...; first in {tmp_path / 'e.txt'}, line 301): cut to it; "
        "`unit` minute keeps them and makes minutes of all"
    )
    events = read([write(tmp_path / "e.txt", tabbed([*days[:20], *odd]))])
    assert events.timeline.unit == "minute"
    assert "the unit is the minute because of 4 of 25 rows ('2018-01-05 13:01', " in remarks(events)
    assert "line 22); `unit` day cuts them to their day" in remarks(events)


def test_stray_years_are_named(tmp_path: Path) -> None:
    rows = [("A", "r", "B", str(1900 + i % 100)) for i in range(400)] + [("A", "r", "B", "19")]
    events = read([write(tmp_path / "e.txt", tabbed(rows))])
    assert events.timeline.unit == "year"
    assert "1 of 401 rows are not written like the years of the others ('19'; first in " in remarks(events)
    assert "line 401): read as those years; mend them, or `unit` integer if none are years" in remarks(events)


@pytest.mark.parametrize("file", ["e.parquet", "e.csv"])
def test_zones_are_treated_alike_in_all_files(tmp_path: Path, file: str) -> None:
    midnights = pl.Series([datetime(2024, 1, 5), datetime(2024, 7, 5)]).dt.replace_time_zone("Europe/Berlin")
    frame = pl.DataFrame({"subject": ["A", "B"], "relation": ["r", "r"], "object": ["C", "C"], "time": midnights})
    for column, expected, said in (
        (pl.col("time"), ["2024-01-05", "2024-07-05"], "2 rows name a time zone; these are midnights there, so their"),
        (pl.col("time").dt.offset_by("7h"), ["2024-01-05", "2024-07-05"], "2 rows name a time zone: converted to UTC"),
    ):
        shifted = frame.with_columns(column.alias("time"))
        if file.endswith("csv"):
            shifted.write_csv(tmp_path / file, datetime_format="%Y-%m-%dT%H:%M:%S%:z")
        else:
            shifted.write_parquet(tmp_path / file)
        events = read([tmp_path / file])
        assert [row[3][:10] for row in texts(events)] == expected
        assert said in remarks(events)
        assert events.timeline.unit == ("day" if "midnights" in said else "hour")


def test_ambiguous_dates_are_said(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "A,r,B,01/02/2018\nA,r,B,03/04/2018\n")
    (remark,) = read([path]).remarks
    assert remark.serious
    assert "read as month/day/year, `day_first` turns it round" in remark.text
    assert texts(read([path], Layout(day_first=True)))[0][3] == "2018-02-01"
    proved = read([write(tmp_path / "p.csv", "A,r,B,01/02/2018\nA,r,B,31/01/2018\n")])
    assert remarks(proved) == "the day comes first in dates with slashes"


def test_numbers_that_may_be_seconds_are_doubted(tmp_path: Path) -> None:
    events = read([write(tmp_path / "e.txt", tabbed([("A", "r", "B", "915110400"), ("A", "r", "B", "1115110400")]))])
    assert events.timeline.unit == "integer"
    assert "say since when: `time_format` 'seconds since 1970-01-01'" in remarks(events)


def test_an_unknown_header_is_called_a_header(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "wer,was,wen,wann\nA,r,B,heute\nA,r,B,2014\n")
    with pytest.raises(Exception, match="line 1: 'wann' is not a time like 2014; if this line is the header, say so"):
        read([path])
    events = read([path], Layout(header=True), skip_bad=True)
    assert [reject.number for reject in events.rejects] == [2]


def test_a_header_in_any_language_is_found_by_the_dates_below_it(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "Datum;Wer;Was;Wen;Notiz\n31.01.2023;A;r;B;x\n")
    with pytest.raises(
        DataError, match=r"has 5 columns; say which are which with .*The header is: Datum, Wer, Was, Wen"
    ):
        read([path])
    layout = Layout(subject="2", relation="3", object="4", time="1")
    assert texts(read([path], layout)) == [("A", "r", "B", "2023-01-31")]
    numbers = write(tmp_path / "n.txt", "Q1\tP1\tQ2\toccurSince\t2005\nQ1\tP2\t2276\toccurSince\t2017\n")
    assert len(texts(read([numbers]))) == 2  # a number below a name is no sign


def test_names_that_differ_in_case_or_blanks_are_noted(tmp_path: Path) -> None:
    rows = [("USA", "r", "UK", "2014"), ("USA", "r", "Usa", "2015"), ("usa ", "R", "UK", "2016")]
    events = read([write(tmp_path / "e.txt", tabbed(rows))])
    assert "2 entities differ from another only in case or outer blanks ('" in remarks(events)
    assert "1 relation differs from another only in case or outer blanks" in remarks(events)
    assert events.lookalikes() == [("Usa", "USA"), ("usa ", "USA")]
    assert events.lookalikes(relations=True) == [("R", "r")]
    plain = read([write(tmp_path / "p.txt", tabbed(rows[:1] * 2))])
    assert "differ" not in remarks(plain)


def test_rows_without_a_zone_among_rows_with_one(tmp_path: Path) -> None:
    times = ("2014-01-01T07:30+02:00", "2014-01-01T08:30", "2014-01-02")
    events = read([write(tmp_path / "e.txt", tabbed([("A", "r", "B", time) for time in times]))])
    assert "1 row has a time of day without a zone among rows with zones ('2014-01-01T08:30'" in remarks(events)
    without = read([write(tmp_path / "w.txt", tabbed([("A", "r", "B", time) for time in times[1:]]))])
    assert "without a zone" not in remarks(without)


def test_facts_of_one_instant_and_self_loops_are_noted(tmp_path: Path) -> None:
    loops = read([write(tmp_path / "l.txt", tabbed([("A", "r", "A", "2014"), ("B", "r", "B", "2014")]))])
    assert "all facts are at one instant (2014)" in remarks(loops)
    assert "every fact is between an entity and itself" in remarks(loops)
    fine = read([write(tmp_path / "f.txt", tabbed([("A", "r", "A", "2014"), ("A", "r", "B", "2015")]))])
    assert not fine.remarks


def test_unused_columns_are_named(tmp_path: Path) -> None:
    path = write(tmp_path / "e.csv", "subject,relation,object,time,source,note\nA,r,B,2014,x,y\nA,r,C,2015,x,y\n")
    assert "2 columns are not used: source, note" in remarks(read([path]))
