"""The data commands as a user meets them."""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner, Result

from tgap.cli.main import cli
from tgap.data import CATALOG, LeakWarning, dataset_reference, load_dataset
from tgap.data.dataset import SPLITS
from tgap.data.entries import PublicFile

MESSY = (
    b'\xef\xbb\xbfid,Who,What,"To whom",When\r\n'
    b'1,"Smith, John",visits,"Caf\xc3\xa9 ""Zentral""\xc2\xa0",2020-01-05\r\n'
    b"2,Ann,calls,Bob,2020-01-06\r\n"
    b"\r\n"
    b"3,,calls,Bob,2020-01-07\r\n"
    b"4,Ann,calls,Bob,2020-02-30\r\n"
    b"5,Ann,calls\r\n"
    b"6,Bo\xff,calls,Bob,2020-01-10\r\n"
    b"7,Bob,calls,Ann,2020-01-11\r\n"
    b"7,Bob,calls,Ann,2020-01-11\r\n"
)
COLUMNS = ["--subject", "Who", "--relation", "What", "--object", "To whom", "--time", "When"]


@pytest.fixture(autouse=True)
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "data"
    monkeypatch.setenv("TGAP_DATA", str(home))
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.chdir(tmp_path)
    return home


def tgap(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["data", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_list_names_everything_and_the_remedy() -> None:
    shown = tgap("list").output
    assert all(name in shown for name in CATALOG)
    assert "tgap data download icews14" in shown
    assert "built in" in shown
    tgap("make-world", "--out", "little")
    assert "synthetic world of seed 0" in tgap("list").output


def test_show_world_for_people_and_programs() -> None:
    shown = tgap("show", "world").output
    for words in ("times", "unseen in train", "No fact is in two splits", "Facts over time", "█", "Galtria"):
        assert words in shown
    figures = json.loads(tgap("show", "world", "--json").output)
    world = load_dataset("world")
    assert figures["checksum"] == world.checksum
    assert figures["splits"]["train"]["facts"] == len(world.train)
    assert sum(part["facts"] for part in figures["over_time"]) == sum(len(f) for f in world.splits.values())


def test_make_world_stores_causes(data_home: Path) -> None:
    shown = tgap("make-world", "--seed", "5").output
    assert f"in {data_home / 'world-5'}" in shown
    assert len(load_dataset("world-5").causes) > 250
    assert "exists already" in tgap("make-world", "--seed", "5", code=2).stderr
    tgap("make-world", "--seed", "5", "--replace")
    assert "'world' is a name of the catalog" in tgap("make-world", "--out", "world", code=2).stderr


def test_messy_import_is_refused_with_reasons(tmp_path: Path, data_home: Path) -> None:
    (tmp_path / "messy.csv").write_bytes(MESSY)
    errors = tgap("import", "messy.csv", *COLUMNS, "--out", "mine", code=2).stderr
    assert errors.startswith("error: 4 bad rows in the input; nothing was written")
    for words in (
        "messy.csv, line 5: the subject is empty",
        "messy.csv, line 6: '2020-02-30' is not a time like 2020-01-05",
        "messy.csv, line 7: 3 fields, expected 5",
        "messy.csv, line 8: not UTF-8 (byte 0xff)",
    ):
        assert words in errors
    assert not data_home.exists()
    assert "say which are which" in tgap("import", "messy.csv", "--out", "mine", code=2).stderr


def test_messy_import_with_skipping(tmp_path: Path, data_home: Path) -> None:
    (tmp_path / "messy.csv").write_bytes(MESSY)
    shown = tgap(
        "import", "messy.csv", *COLUMNS, "--out", "mine", "--skip-bad", "bad.tsv", "--shares", "40/30/30"
    ).output
    for words in (
        "comma separated",
        "subject = 'Who'",
        "unit day, 2020-01-05 .. 2020-01-11",
        "1 (a fact more than once",
        "4 skipped",
    ):
        assert words in shown
    assert len((tmp_path / "bad.tsv").read_bytes().splitlines()) == 4
    assert 'Café "Zentral"\u00a0' in load_dataset("mine").entities
    assert json.loads((data_home / "mine" / "manifest.json").read_bytes())["format"] == 1
    assert "imported from messy.csv" in tgap("show", "mine").output
    assert "mine" in tgap("list").output


def test_import_shows_odd_characters_and_the_next_step(tmp_path: Path) -> None:
    rows = "".join(f"A\x1b[31m\tr\tB\u00a0\t{1_700_000_000 + 86_400 * day}\n" for day in range(20))
    (tmp_path / "odd.txt").write_text(rows)
    shown = tgap("import", "odd.txt", "--out", "odd", "--skip-bad", "bad.tsv").output
    assert "\x1b" not in shown
    assert r"A\x1b[31m" in shown
    assert r"B\xa0" in shown
    assert "2 entities, 1 relation " in shown
    assert "the numbers are read as seconds since 1970 in UTC; --unit integer keeps them as numbers" in shown
    assert "bad rows  none" in shown
    assert "Train on it with: tgap train --dataset odd" in shown
    assert "is not a good name" in tgap("import", "odd.txt", "--out", "", code=2).stderr


def test_import_into_a_folder_and_by_rules(tmp_path: Path) -> None:
    rows = "".join(f"A{i % 9}\tr\tB{i % 7}\t{2000 + i % 40}\n" for i in range(400))
    (tmp_path / "years.txt").write_text(rows)
    for rule in ("random", "chronological", "unseen-times"):
        shown = tgap("import", "years.txt", "--out", f"./{rule}", "--split", rule).output
        assert f"{rule} split" in shown
        assert "unit year" in shown
        assert load_dataset(tmp_path / rule).timeline.span == 39


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shares", "80/10"], "three percentages like 80/10/10"),
        (["--shares", "80/10/20"], "must add up to 100"),
        (["--separator", "::"], "is not one character"),
        (["--unit", "century"], "is not one of"),
        (["--valid", "e.txt"], "--test is missing"),
        (["--time", "9"], "--time is '9', but the file has columns 1 to 4"),
        (["--unit", "integer"], "needs plain whole numbers"),
    ],
)
def test_import_options_are_checked(tmp_path: Path, data_home: Path, options: list[str], message: str) -> None:
    (tmp_path / "e.txt").write_text("A\tr\tB\t2014-01-01\n" * 3)
    result = tgap("import", "e.txt", "--out", "mine", *options, code=2)
    assert message in result.stderr
    assert not data_home.exists()


def test_rejected_rows_never_destroy_a_file(tmp_path: Path, data_home: Path) -> None:
    (tmp_path / "messy.csv").write_bytes(MESSY)
    (tmp_path / "link.csv").symlink_to("messy.csv")
    os.link("messy.csv", "hard.csv")
    (tmp_path / "notes.txt").write_text("dear")
    options = (*COLUMNS, "--out", "mine", "--shares", "40/30/30", "--skip-bad")
    for target in ("messy.csv", "./messy.csv", "link.csv", "hard.csv"):
        for force in ((), ("--force",)):
            refused = tgap("import", "messy.csv", *options, target, *force, code=2).stderr
            assert "is a file that is being read; choose another" in refused
    assert "notes.txt exists already; choose another, or overwrite it with --force" in " ".join(
        tgap("import", "messy.csv", *options, "notes.txt", code=2).stderr.split()
    )
    assert "is a directory" in tgap("import", "messy.csv", *options, ".", code=2).stderr
    assert (tmp_path / "messy.csv").read_bytes() == MESSY
    assert (tmp_path / "notes.txt").read_text() == "dear"
    assert not data_home.exists()
    tgap("import", "messy.csv", *options, "notes.txt", "--force")
    assert len((tmp_path / "notes.txt").read_bytes().splitlines()) == 4


def test_import_from_standard_input(tmp_path: Path) -> None:
    rows = "".join(f"A{i % 9}\tr\tB{i % 7}\t{2000 + i % 40}\n" for i in range(400))
    result = CliRunner().invoke(cli, ["data", "import", "-", "--out", "piped"], input=rows)
    assert result.exit_code == 0, result.output
    assert "imported from standard input; random split 80/10/10, seed 0" in result.output


def test_rows_without_a_known_time_are_kept_with_the_bad_ones(tmp_path: Path) -> None:
    rows = "".join(f"A{i}\tr\tB\t{1900 + i}-##-##\t####-##-##\n" for i in range(50))
    (tmp_path / "e.txt").write_text(rows + "X\tr\tB\t####-##-##\t####-##-##\n")
    shown = tgap("import", "e.txt", "--out", "mine").output
    assert "1 row says that the time is not known: left out" in shown
    tgap("import", "e.txt", "--out", "mine", "--replace", "--skip-bad", "bad.tsv")
    assert (tmp_path / "bad.tsv").read_text() == "e.txt\t51\tthe time is not known\tX\tr\tB\t####-##-##\t####-##-##\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [("nothing.csv", "there is no such file"), ("void", "is a directory without tables"), ("empty", "is empty")],
)
def test_import_of_no_file(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "void").mkdir()
    assert message in tgap("import", name, "--out", "mine", code=2).stderr


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    home = tmp_path / "mirror" / "icews14"
    home.mkdir(parents=True)
    files = {}
    for split in SPLITS:
        content = b"".join(b"A\tr\tB%d\t2014-01-%02d\n" % (i % 9, i % 28 + 1) for i in range(50))
        (home / f"{split}.txt").write_bytes(content)
        files[split] = PublicFile(f"icews14/{split}.txt", hashlib.sha256(content).hexdigest())
    monkeypatch.setitem(CATALOG, "icews14", replace(CATALOG["icews14"], files=files))

    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(home.parent))  # type: ignore[arg-type]

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_download_of_a_variant_fetches_its_parent(mirror: str, data_home: Path) -> None:
    shown = tgap("download", "icews14-unseen", "--mirror", mirror).output
    assert "icews14: 3 files fetched and verified" in shown
    assert sorted(os.listdir(data_home / "icews14")) == ["test.txt", "train.txt", "valid.txt"]
    assert "already there" in tgap("download", "icews14", "--mirror", mirror).output
    with warnings.catch_warnings():
        warnings.simplefilter("error", LeakWarning)  # the page says it itself
        shown = tgap("show", "icews14").output
    assert "Leaks: 50 of valid and 50 of test stand in train" in shown
    assert "This is not the published content" in shown


def test_download_says_what_cannot_be(mirror: str) -> None:
    assert "needs no download" in tgap("download", "world", code=2).stderr
    assert "unknown public dataset 'mine'; expected one of icews14" in tgap("download", "mine", code=2).stderr
    assert "answered 404" in tgap("download", "wikidata11k", "--mirror", mirror, code=2).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--split", "unseen-times", "--shares", "60/20/20"], "--shares has no use here: the unseen-times split keeps"),
        (["--split", "chronological", "--seed", "3"], "--seed has no use here: the chronological split has nothing"),
        (["--split", "chronological", "--ends-apart"], "--ends-apart has no use here: the chronological split goes by"),
        (["--valid", "e.txt", "--test", "e.txt", "--shares", "60/20/20"], "--shares has no use here: the files are di"),
        (["--valid", "e.txt", "--test", "e.txt", "--seed", "0"], "--seed has no use here: the files are divided alre"),
        (
            ["--valid", "e.txt", "--test", "e.txt", "--split", "random"],
            "--split has no use here: the files are divided",
        ),
    ],
)
def test_no_option_is_ignored(tmp_path: Path, options: list[str], message: str) -> None:
    (tmp_path / "e.txt").write_text("".join(f"A\tr\tB\t{year}\n" for year in range(1990, 2020)))
    assert message in tgap("import", "e.txt", "--out", "mine", *options, code=2).stderr


def test_both_ends_of_an_interval_stay_together(tmp_path: Path) -> None:
    rows = "".join(f"P{i}\tleads\tF{i % 40}\t{1900 + i % 50}\t{1960 + i % 50}\n" for i in range(400))
    (tmp_path / "terms.txt").write_text(rows)
    shown = tgap("import", "terms.txt", "--out", "together").output
    assert "Near copies" not in shown
    shown = tgap("import", "terms.txt", "--out", "apart", "--ends-apart").output
    near = json.loads(tgap("show", "apart", "--json").output)["splits"]["test"]["twins"]
    assert near > 40
    assert f"Near copies: of 80 test facts, {near} have the other end of their interval in train." in shown
    figures = json.loads(tgap("show", "together", "--json").output)["splits"]
    assert figures["test"]["twins"] == figures["valid"]["twins"] == 0
    assert "the other end of the interval" in tgap("show", "apart").output


def test_export_and_import_again(tmp_path: Path) -> None:
    assert "world: 5,976 facts written to w.csv" in tgap("export", "world", "--out", "w.csv").output
    shown = tgap("import", "w.csv", "--out", "again").output
    assert "divided as its column 'split' says" in shown
    assert load_dataset("again").checksum == load_dataset("world").checksum
    assert "w.csv exists already" in " ".join(tgap("export", "world", "--out", "w.csv", code=2).stderr.split())
    tgap("export", "world", "--out", "w.csv", "--split", "test", "--force")
    assert len((tmp_path / "w.csv").read_text().splitlines()) == 599
    tgap("export", "world", "--out", "folder/")
    assert sorted(os.listdir("folder")) == ["test.txt", "train.txt", "valid.txt"]
    assert load_dataset("folder").checksum == load_dataset("world").checksum
    assert "exists already" in " ".join(tgap("export", "world", "--out", "folder", code=2).stderr.split())
    shown = tgap("export", "world", "--out", "-", "--format", "jsonl", "--split", "valid").stdout
    assert json.loads(shown.splitlines()[0]).keys() == {"subject", "relation", "object", "time", "split"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "x.doc"], "name the form with --format"),
        (["--out", "-"], "name the form of standard output"),
        (["--out", "f/", "--split", "test"], "a folder gets all three splits"),
    ],
)
def test_export_options_are_checked(options: list[str], message: str) -> None:
    assert message in tgap("export", "world", *options, code=2).stderr


def test_rename_merge_and_undo(tmp_path: Path) -> None:
    tgap("make-world", "--out", "mine")
    before = load_dataset("mine").checksum
    (tmp_path / "names.csv").write_text("Galtria,Galtrien\nKarsova,Karsowa\n")
    shown = tgap("rename", "mine", "names.csv").output
    assert "mine: 2 entity names renamed, " in shown
    assert "Take it back with: tgap data undo mine" in shown
    assert "Galtrien" in load_dataset("mine").entities
    assert "2 entity names renamed by names.csv" in tgap("list").output
    (tmp_path / "same.csv").write_text("Galtrien,Karsowa\n")
    assert (
        "would both be called 'Karsowa'; if they mean the same, use `tgap data merge`"
        in tgap("rename", "mine", "same.csv", code=2).stderr
    )
    assert "1 entity name merged, in " in tgap("merge", "mine", "same.csv").output
    assert load_dataset("mine").num_entities == 149
    tgap("undo", "mine")
    assert "as it was before" in tgap("undo", "mine").output
    assert load_dataset("mine").checksum == before
    assert "there is nothing to undo" in tgap("undo", "mine", code=2).stderr


def test_only_imported_datasets_change_in_place(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("Visit,Besuchen\n")
    refused = tgap("rename", "world", "names.csv", "--relations", code=2).stderr
    assert "world is not an imported dataset, so it is not changed in place; name the result with --out" in refused
    tgap("rename", "world", "names.csv", "--relations", "--out", "welt")
    assert "Besuchen" in load_dataset("welt").relations
    assert "Visit" in load_dataset("world").relations
    assert "exists already" in tgap("rename", "world", "names.csv", "--relations", "--out", "welt", code=2).stderr


def test_an_unknown_dataset_is_told_how_to_get_one() -> None:
    message = tgap("show", "icews18", code=2).stderr
    assert "unknown dataset 'icews18'; did you mean icews14? `tgap data list` shows all" in message
    assert "`tgap data import FILE --out icews18`" in message


def test_a_dataset_by_path_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tgap("make-world", "--out", "./here/mine")
    assert dataset_reference("here/mine") == str(tmp_path / "here" / "mine")
    assert dataset_reference("world") == "world"
    tgap("make-world", "--out", "stored")
    assert dataset_reference("stored") == "stored"
    reference = dataset_reference(Path("here/mine"))
    monkeypatch.chdir("/")
    assert load_dataset(reference).num_entities == 150


def narrow(monkeypatch: pytest.MonkeyPatch, width: int = 60) -> None:
    """A terminal of so many columns."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")  # a dumb one has 80 columns whatever COLUMNS says


def test_tables_keep_their_labels_at_60_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tgap("make-world", "--out", "mine")
    narrow(monkeypatch)
    shown = re.sub("\x1b[^m]*m", "", tgap("show", "mine").output)
    assert max(len(line) for line in shown.splitlines() if not line.startswith("SHA-256 ")) <= 60
    assert load_dataset("mine").checksum in shown
    assert re.search(r"entities +relations +times +facts +span +unit", shown)
    for words in (
        "2012-01-01 ..",
        "2013-12-31",
        "facts with an unseen entity or",
        "another event of the pair then",
        "2013-12-14 .. 2013-12-31 138 ",
    ):
        assert words in shown
    assert "…" not in shown
    listed = re.sub("\x1b[^m]*m", "", tgap("list").output)
    assert all(re.search(rf"^ *{re.escape(name)} ", listed, flags=re.MULTILINE) for name in CATALOG)
    assert "not here" in listed


def test_names_cannot_drive_the_terminal(tmp_path: Path) -> None:
    rows = "".join(f"A\x1b]0;x\x07\tr\u202er\tB{i % 5}\t{2000 + i % 40}\n" for i in range(200))
    (tmp_path / "evil.txt").write_text(rows)
    for shown in (tgap("import", "evil.txt", "--out", "evil").output, tgap("show", "evil").output):
        assert not set(shown) & {"\x1b", "\x07", "\u202e"}
        assert r"A\x1b]0;x\x07" in shown
    (tmp_path / "bad.txt").write_text("A\tr\tB\t2001\nA\x1b[2J\tr\tB\tx\x1b[2J\n")
    refused = tgap("import", "bad.txt", "--out", "bad", code=2).stderr
    assert "\x1b" not in refused
    assert r"'x\x1b[2J' is not a time" in refused
