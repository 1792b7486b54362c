"""Files in many forms give the same facts: packed, spreadsheets, JSON, other encodings, without a relation."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.data.test_event_tables import read, remarks, texts, write
from tgap.data.reading import Layout
from tgap.errors import DataError

ROWS = [("Ann", "meets", "José", "2018-01-05"), ("Ben", "calls", "Ann", "2018-01-06")]
TABLE = "subject,relation,object,time\n" + "".join(",".join(row) + "\n" for row in ROWS)


def zipped(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def spreadsheet(styles: str = "", sheet: str = "") -> bytes:
    """What a spreadsheet program writes, reduced to what counts: shared and inline texts, a date by its style."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relation = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    shared = "".join(f"<si><t>{text}</t></si>" for text in ("subject", "relation", "object", "day", "José"))
    cells = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c>'
        '<c r="D1" t="s"><v>3</v></c></row>'
        '<row r="3"><c r="A3" t="inlineStr"><is><t>Ann</t></is></c><c r="B3" t="inlineStr"><is><t>meets</t></is></c>'
        '<c r="C3" t="s"><v>4</v></c><c r="D3" s="1"><v>43105</v></c></row>'
        '<row r="4"><c r="A4" t="str"><v>Ben</v></c><c r="B4" t="str"><v>calls</v></c>'
        '<c r="C4" t="str"><v>Ann</v></c><c r="D4" s="1"><v>43106</v></c></row>'
    )
    formats = styles or '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(
            "xl/workbook.xml", f'<workbook {main} {relation}><sheets><sheet r:id="x"/></sheets></workbook>'
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            '<Relationships><Relationship Id="x" Target="worksheets/sheet1.xml"/></Relationships>',
        )
        archive.writestr("xl/sharedStrings.xml", f"<sst {main}>{shared}</sst>")
        archive.writestr("xl/styles.xml", f"<styleSheet {main}>{formats}</styleSheet>")
        archive.writestr(
            "xl/worksheets/sheet1.xml", sheet or f"<worksheet {main}><sheetData>{cells}</sheetData></worksheet>"
        )
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("e.csv", TABLE.encode(), "comma separated"),
        ("e.csv.gz", gzip.compress(TABLE.encode(), mtime=0), "comma separated"),
        (
            "e.csv.zip",
            zipped({"mine.csv": TABLE, "README.txt": "see there", "__MACOSX/mine.csv": "x"}),
            "comma separated",
        ),
        ("e.csv", TABLE.encode("utf-16"), "comma separated"),
        ("e.csv", b"\xfe\xff" + TABLE.encode("utf-16-be"), "comma separated"),
        ("e.csv", TABLE.encode("latin-1"), "comma separated"),
        ("e.xlsx", spreadsheet(), "spreadsheet"),
        ("e.txt", "".join("   ".join(row) + "\n" for row in ROWS).encode(), "separated by blanks"),
    ],
    ids=["csv", "gzip", "zip", "utf-16", "utf-16-be", "latin-1", "spreadsheet", "blanks"],
)
def test_the_same_facts_in_many_forms(tmp_path: Path, name: str, content: bytes, form: str) -> None:
    events = read([write(tmp_path / name, content)])
    assert texts(events) == ROWS
    assert events.forms == [form]


def test_zstd(tmp_path: Path) -> None:
    if shutil.which("zstd") is None:
        pytest.skip("no program here packs zstd")
    packed = subprocess.run(["zstd", "-q", "-c"], input=TABLE.encode(), capture_output=True, check=True).stdout
    assert texts(read([write(tmp_path / "e.csv.zst", packed)])) == ROWS
    with pytest.raises(DataError, match="the zstd file cannot be read"):
        read([write(tmp_path / "broken.zst", packed[:9])])


def test_other_encodings_are_said(tmp_path: Path) -> None:
    assert "the text is Latin-1, read as such" in remarks(read([write(tmp_path / "l.csv", TABLE.encode("latin-1"))]))
    assert "the text is UTF-16, read as such" in remarks(read([write(tmp_path / "w.csv", TABLE.encode("utf-16"))]))
    assert "read as such" not in remarks(read([write(tmp_path / "u.csv", TABLE.encode())]))


def test_text_that_is_utf8_in_parts_is_broken_and_not_latin1(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 4: not UTF-8 \(byte 0xe9\)"):
        read([write(tmp_path / "e.csv", TABLE.encode() + b"Jos\xe9,meets,Ann,2018-01-07\n")])


def test_spreadsheets_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="defines XML entities"):
        read([write(tmp_path / "e.xlsx", spreadsheet(sheet='<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>'))])
    with pytest.raises(DataError, match="has no rows below a header"):
        read([write(tmp_path / "n.xlsx", spreadsheet(sheet="<worksheet/>"))])
    with pytest.raises(DataError, match=r"expected one table in the zip archive, found 2 \(a.csv, b.csv\); unpack it"):
        read([write(tmp_path / "two.zip", zipped({"a.csv": TABLE, "b.csv": TABLE}))])


def test_own_date_formats_and_days_without_one(tmp_path: Path) -> None:
    own = '<numFmts><numFmt numFmtId="200" formatCode="dd/mm/yyyy"/></numFmts>'
    styled = spreadsheet(own + '<cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs>')
    assert texts(read([write(tmp_path / "e.xlsx", styled)])) == ROWS
    plain = spreadsheet('<cellXfs><xf numFmtId="0"/><xf numFmtId="0"/></cellXfs>')
    assert [row[3] for row in texts(read([write(tmp_path / "p.xlsx", plain)]))] == ["43105", "43106"]
    table = "subject,relation,object,date\nA,r,B,43105\nA,r,C,43106\n"
    hint = "the numbers under 'date' look like days as a spreadsheet counts them"
    path = write(tmp_path / "d.csv", table)
    assert hint in remarks(read([path]))
    assert texts(read([path], Layout(time_format="days since 1899-12-30")))[0][3] == "2018-01-05"
    assert hint not in remarks(read([write(tmp_path / "s.csv", table.replace("date", "time"))]))


RECORDS = [dict(zip(("subject", "relation", "object", "time"), row, strict=True)) for row in ROWS]


@pytest.mark.parametrize("value", [RECORDS, {"data": RECORDS}, {"meta": {"n": 2}, "result": {"events": RECORDS}}])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_documents(tmp_path: Path, value: object, indent: int | None) -> None:
    events = read([write(tmp_path / "e.json", json.dumps(value, indent=indent))])
    assert texts(events) == ROWS
    assert events.forms == ["JSON"]


def test_nested_json_has_dotted_names(tmp_path: Path) -> None:
    records = [{"actor": {"name": s}, "relation": r, "target": {"name": o}, "time": t} for s, r, o, t in ROWS]
    layout = Layout(subject="actor.name", object="target.name", relation="relation", time="time")
    assert texts(read([write(tmp_path / "e.json", json.dumps(records))], layout)) == ROWS
    lines = "\n".join(map(json.dumps, records))
    assert texts(read([write(tmp_path / "e.jsonl", lines)], layout)) == ROWS


def test_json_that_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no element of the array is an object"):
        read([write(tmp_path / "e.json", "[1, 2]")])
    with pytest.raises(DataError, match="not JSON"):
        read([write(tmp_path / "b.json", "[{]")])
    odd = json.dumps([*RECORDS, 17])
    with pytest.raises(DataError, match="row 3: not a JSON object"):
        read([write(tmp_path / "o.json", odd)])


def test_network_collections_without_a_relation(tmp_path: Path) -> None:
    path = write(tmp_path / "CollegeMsg.txt", "# from to when\n1 2 1082040961\n3 4 1082155839\n")
    with pytest.raises(DataError, match="name it with `relation_name`"):
        read([path])
    events = read([path], Layout(relation_name="messages"))
    assert texts(events) == [
        ("1", "messages", "2", "2004-04-15T14:56"),
        ("3", "messages", "4", "2004-04-16T22:50"),
    ]
    header = write(tmp_path / "h.csv", "source,target,weight,time\nA,B,3,2018\nB,C,1,2019\n")
    events = read([header], Layout(relation_name="pays"))
    assert texts(events) == [("A", "pays", "B", "2018"), ("B", "pays", "C", "2019")]
    assert "1 column is not used: weight" in remarks(events)
    with pytest.raises(DataError, match="`relation` weight and `relation_name` pays exclude each other"):
        read([header], Layout(relation_name="pays", relation="weight"))
