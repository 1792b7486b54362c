"""What commands print is safe to look at: no name acts on the terminal, no label is lost in a narrow window."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress
from rich.table import Table as RichTable
from rich.text import Text

from tgap.cli.blocks import print_table
from tgap.cli.main import run
from tgap.cli.terminal import make_console
from tgap.text import Table

ACTING = {"\x1b", "\x07", "\x9b", "\u202e", "\r"}
EVIL = "A\x1b]0;x\x07\x9b31m"
TURNED = "r\u202eevil"


def tgap(*arguments: str | Path, code: int = 0) -> str:
    """What a command prints, errors included."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        assert run([str(argument) for argument in arguments]) == code, printed.getvalue()
    return printed.getvalue()


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the recency counter on a dataset whose names would drive a terminal."""
    folder = tmp_path_factory.mktemp("evil")
    rows = (f"{EVIL}\t{TURNED if i % 3 else 'plain'}\tB{i % 7}\x1b[2J\t{2000 + i % 40}\n" for i in range(280))
    (folder / "evil.txt").write_text("".join(rows), encoding="utf-8")
    tgap("data", "import", folder / "evil.txt", "--out", folder / "data" / "evil")
    tgap("train", "--dataset", folder / "data" / "evil", "--method", "recency", "--out", folder / "run")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "run", EVIL, TURNED, "2010"),
        ("predict", "run", EVIL, TURNED, "B1\x1b[2J", "2010"),
        ("explain", "run", EVIL, TURNED, "2010"),
        ("evaluate", "run", "--details"),
        ("data", "show", "data/evil"),
    ],
    ids=lambda arguments: " ".join(arguments[:1]),
)
def test_no_command_lets_a_name_act(evil: Path, arguments: tuple[str, ...]) -> None:
    own = {"run", "data/evil"}
    shown = tgap(*(evil / part if part in own else part for part in arguments))
    assert not set(shown) & ACTING
    assert re.search(r"\\x1b|\\u202e", shown)


def test_a_mistake_repeats_names_harmlessly(evil: Path) -> None:
    shown = tgap("predict", evil / "run", "nobody\x1b[2J", TURNED, "2010", code=2)
    assert not set(shown) & ACTING


def commands_about(evil: Path) -> list[list[str]]:
    asked = str(evil / "run")
    return [["predict", asked, "?", "plain", "B1\x1b[2J", "2010"], ["data", "show", "world"], ["evaluate", asked]]


def test_a_stream_that_is_not_utf8_has_no_traceback(evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As PYTHONIOENCODING=ascii makes them."""
    written = io.BytesIO()
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(written, encoding="ascii", write_through=True))
    assert [run(command) for command in commands_about(evil)] == [0, 0, 0]
    text = written.getvalue().decode("ascii")
    assert "Traceback" not in text
    assert "####" in text


def test_a_process_that_is_not_utf8_has_no_traceback(evil: Path) -> None:
    """One for all commands: loading the libraries takes longest."""
    program = f"from tgap.cli.main import run\nassert [run(line) for line in {commands_about(evil)!r}] == [0, 0, 0]"
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, env={**os.environ, **environment}
    )
    text = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, text
    assert "Traceback" not in text
    assert "####" in text


def captured(width: int = 80) -> tuple[Console, io.StringIO]:
    console, file = make_console(), io.StringIO()
    console.file, console.width = file, width
    return console, file


def test_whatever_is_printed_is_spelt_out() -> None:
    console, file = captured()
    console.print(f"text {EVIL}")
    console.print(Text(f"text {TURNED}"))
    table = RichTable("name")
    table.add_row(f"\x9b{TURNED}")
    console.print(table)
    with Progress(console=console):
        console.print(EVIL)
    assert not set(file.getvalue()) & ACTING
    assert file.getvalue().count(r"\x1b]0;x") == 2
    assert r"\x9br\u202eevil" in file.getvalue()
    assert file.getvalue().splitlines()[0] == r"text A\x1b]0;x\x9b31m"


RESULTS = Table.numbers(
    "results",
    ("Method", "Filter", "MRR", "Hits@1", "Hits@3", "Hits@10", "Mean rank", "Ties lost-won"),
    tuple(("frequency", rule, "0.208", "9.9", "19.6", "43.7", "1,022.5", "0.200-0.225") for rule in ("raw", "time")),
    numbers_from=2,
    block=2,
)
RELATIONS = Table.numbers(
    "by relation",
    ("Relation", "Queries", "Share", "T-GAP", "recency", "frequency"),
    (("Express intent to meet or negotiate", "1,320", "26.8%", "0.5", "0.252", "0.174"),),
    numbers_from=1,
)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("table", [RESULTS, RELATIONS], ids=["results", "relations"])
def test_narrow_windows_lose_no_cell(table: Table, width: int) -> None:
    console, file = captured(width)
    print_table(console, table)
    text = file.getvalue()
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    words = " ".join(text.split())
    for cell in (*table.columns, *(cell for row in table.rows for cell in row[1:])):
        assert cell in words, cell
    labels = ["frequency", "raw"] if table is RESULTS else re.findall(r"\w+", table.rows[0][0])
    assert all(label in words for label in labels)


def test_columns_that_follow_below_repeat_their_labels_and_go_in_groups() -> None:
    console, file = captured(60)
    print_table(console, RESULTS)
    heads = [line.split() for line in file.getvalue().splitlines() if "Filter" in line]
    assert heads == [
        ["Method", "Filter", "MRR", "Hits@1", "Hits@3"],
        ["Method", "Filter", "Hits@10", "Mean", "rank", "Ties", "lost-won"],
    ]


@pytest.mark.parametrize(("width", "heading"), [(95, "edge"), (96, "subject")])
def test_a_table_with_a_narrow_form_has_it_in_a_narrow_window(width: int, heading: str) -> None:
    narrow = Table(("edge",), (("a to b",),), "l")
    console, file = captured(width)
    print_table(console, Table(("subject", "object"), (("a", "b"),), "ll", narrow=narrow))
    assert file.getvalue().split()[0] == heading


def test_two_documents_on_one_standard_output_are_refused() -> None:
    shown = tgap("evaluate", "recency", "--dataset", "world", "--json", "-", "--csv", "-", code=2)
    assert shown == "error: --json - and --csv - would mix on standard output; give all but one of them a file\n"
