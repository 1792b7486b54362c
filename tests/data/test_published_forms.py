"""Data as people find them: small files in the very forms of the public ones are read as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.test_event_tables import read, remarks, texts, write
from tgap.data.importing import import_events
from tgap.data.reading import BadRowsError, Layout, find_sources
from tgap.errors import DataError

YAGO11K = """\
0\t0\t1\t####-##-##\t1964-##-##
2\t9\t3\t1787-##-##\t####-##-##
4\t9\t5\t####-##-##\t####-##-##
6\t4\t7\t1925-05-02\t1974-11-##
8\t0\t9\t-431-##-##\t-431-##-##
1\t0\t8\t360-##-##\t84##-##-##
"""

WIKIDATA12K = """\
11963\t22\t9994\t2010-##-##\t2010-##-##
4717\t20\t6012\t1908-##-##\t1908-##-##
5332\t15\t5333\t####-##-##\t1649-##-##
8125\t17\t6399\t19-##-##\t1986-##-##
"""

ICEWS18 = "".join(f"{i % 5}\t{i % 3}\t{i % 7}\t{24 * (i % 30)}\t0\n" for i in range(60))

ACLED = """\
"event_id_cnty","event_date","year","time_precision","disorder_type","event_type","sub_event_type","actor1",\
"assoc_actor_1","inter1","actor2","assoc_actor_2","inter2","country","notes","fatalities","timestamp"
"SOM1","31 January 2020","2020","1","Political violence","Battles","Armed clash","Military Forces (A)","","1",\
"Group B","","2","Somalia","A ""clash"", said
the report","3","1580700000"
"SOM2","01 February 2020","2020","1","Demonstrations","Protests","Peaceful protest","Protesters","","6","","","0",\
"Somalia","No opponent","0","1580700000"
"""

ICEWS_RAW = (
    "Event ID\tEvent Date\tSource Name\tSource Sectors\tSource Country\tEvent Text\tCAMEO Code\tIntensity\t"
    "Target Name\tTarget Sectors\tTarget Country\tStory ID\n"
    "20718170\t1995-01-01\tExtremist (Russia)\tRadical\tRussian Federation\tPraise or endorse\t051\t3.4\t"
    'Boris "Boris" Yeltsin\tElite\tRussian Federation\t28235806\n'
)

POLECAT = (
    "Event ID\tEvent Date\tEvent Type\tEvent Mode\tIntensity\tActor Name\tActor Country\tRecipient Name\tVersion\n"
    "20230101-1\t2023-01-01\tASSAULT\tbeat\t-9\tNone\tRussia\tUkraine\tNGEC\n"
    "20230101-2\t2023-01-02\tCONSULT\tvisit\t1\tJapan\tJapan\tUnited States\tNGEC\n"
)


def gdelt_row(day: str, actor1: str, actor2: str, code: str) -> str:
    """A line of a daily file: 58 tab separated columns and no header."""
    cells = [""] * 58
    cells[0], cells[1], cells[2], cells[3], cells[4] = "410412347", day, day[:6], day[:4], f"{day[:4]}.0822"
    cells[5], cells[6], cells[15], cells[16], cells[26] = "USA", actor1, "FRA", actor2, code
    return "\t".join(cells) + "\n"


def test_yago11k(tmp_path: Path) -> None:
    events = read([write(tmp_path / "train.txt", YAGO11K)], unit="year")
    assert texts(events) == [
        ("8", "0-since", "9", "-0431"),
        ("8", "0-until", "9", "-0431"),
        ("1", "0-since", "8", "0360"),
        ("2", "9-since", "3", "1787"),
        ("6", "4-since", "7", "1925"),
        ("0", "0-until", "1", "1964"),
        ("6", "4-until", "7", "1974"),
    ]
    assert not events.rejects
    assert [reject.number for reject in events.undated] == [3]
    assert "1 row says that the time is not known: left out" in remarks(events)
    assert "3 intervals have only a start or only an end" in remarks(events)


def test_yago11k_without_a_word_about_the_unit(tmp_path: Path) -> None:
    events = read([write(tmp_path / "train.txt", YAGO11K)])
    assert events.timeline.unit == "day"  # two of nine times name a month or a day
    assert "6 rows say less than the day: its first instant is meant; `unit` year counts years" in remarks(events)
    whole = "".join(f"{i}\t0\t{i + 1}\t{1900 + i}-##-##\t{1950 + i}-##-##\n" for i in range(60))
    events = read([write(tmp_path / "train.txt", whole + "6\t4\t7\t1925-05-02\t1974-##-##\n")])
    assert events.timeline.unit == "year"
    assert "1 of 122 rows say more than the year that the others say ('1925-05-02'; first in " in remarks(events)
    assert "line 61): cut to it; `unit` day keeps them" in remarks(events)


def test_wikidata12k(tmp_path: Path) -> None:
    events = read([write(tmp_path / "train.txt", WIKIDATA12K)])
    assert events.timeline.unit == "year"
    assert texts(events)[0] == ("8125", "17-since", "6399", "0019")
    assert len(events.parts[0]) == 7
    assert set(events.relations) == {"15-until", "17-since", "17-until", "20-since", "20-until", "22-since", "22-until"}


def test_a_column_of_dates_is_never_a_modifier(tmp_path: Path) -> None:
    mixed = "A\tr\tB\t####-##-##\t2001\nA\tr\tB\t2001\t2003\nA\tr\tB\tsince\t2003\n"
    with pytest.raises(DataError, match="column 4 holds times in some rows and something else in others") as caught:
        read([write(tmp_path / "e.txt", "A\tr\tB\tsince\t2003\n" + mixed + "A\tr\tB\tuntil\t2003\n")])
    assert "`modifier` 4 `time` 5" in str(caught.value)
    with pytest.raises(BadRowsError, match="line 3: 'since' is not a time like 2001"):
        read([write(tmp_path / "e.txt", mixed)])


def test_icews18_as_the_forecasting_papers_share_it(tmp_path: Path) -> None:
    for name in ("train", "valid", "test"):
        write(tmp_path / f"{name}.txt", ICEWS18)
    write(tmp_path / "stat.txt", "23033\t256\t0\n")
    write(tmp_path / "entity2id.txt", "Ann\t0\n")
    imported = import_events("icews18", find_sources([tmp_path]))
    assert [len(facts) for facts in imported.dataset.splits.values()] == [60, 60, 60]
    assert imported.dataset.timeline.unit == "integer"
    said = remarks(imported.events)
    assert "column 5 is 0 in every row: passed over" in said
    assert "all times are 24 steps apart or a multiple of that; if they count hours, `time_format` 'hours since" in said
    layout = Layout(time_format="hours since 2018-01-01")
    days = import_events("icews18", find_sources([tmp_path]), layout=layout).dataset
    assert (days.timeline.unit, days.timeline.format(0), days.timeline.span) == ("day", "2018-01-01", 29)


def test_gdelt_without_and_with_header(tmp_path: Path) -> None:
    rows = gdelt_row("20140201", "UNITED STATES", "FRANCE", "036") + gdelt_row("20140203", "FRANCE", "IRAN", "042")
    events = read([write(tmp_path / "20140201.export.CSV", rows)])
    assert texts(events) == [("UNITED STATES", "036", "FRANCE", "20140201"), ("FRANCE", "042", "IRAN", "20140203")]
    assert events.forms == ["tab separated, GDELT"]
    lonely = write(tmp_path / "b.CSV", rows + gdelt_row("20140204", "IRAN", "", "010") * 3)
    with pytest.raises(BadRowsError, match=r"3 bad rows .*\n.*lines 3, 4, 5: the object is empty"):
        read([lonely])
    header = "GlobalEventID,Day,MonthYear,Year,Actor1Code,Actor1Name,Actor2Code,Actor2Name,EventCode\n"
    named = write(tmp_path / "c.csv", header + "1,20140201,201402,2014,USA,UNITED STATES,FRA,FRANCE,036\n")
    assert texts(read([named])) == [("UNITED STATES", "036", "FRANCE", "20140201")]


def test_acled(tmp_path: Path) -> None:
    path = write(tmp_path / "acled.csv", ACLED)
    with pytest.raises(BadRowsError, match="line 4: the object is empty"):
        read([path])
    events = read([path], skip_bad=True)
    assert texts(events) == [("Military Forces (A)", "Battles", "Group B", "2020-01-31")]
    assert events.forms == ["comma separated, ACLED"]
    finer = read([path], Layout(relation="sub_event_type"), skip_bad=True)
    assert texts(finer)[0][1] == "Armed clash"


def test_icews_and_polecat(tmp_path: Path) -> None:
    icews = read([write(tmp_path / "events.1995.tab", ICEWS_RAW)])
    assert texts(icews) == [("Extremist (Russia)", "Praise or endorse", 'Boris "Boris" Yeltsin', "1995-01-01")]
    assert icews.forms == ["tab separated, ICEWS"]
    polecat = read([write(tmp_path / "polecat.txt", POLECAT)])
    assert polecat.forms == ["tab separated, POLECAT"]
    assert "1 field is 'None', kept as a name; `missing` None takes it for empty" in remarks(polecat)
    with pytest.raises(BadRowsError, match="line 2: the subject is empty"):
        read([tmp_path / "polecat.txt"], Layout(missing=("None",)))
