"""The frame of the command line: quick help, one line for a user's mistake, exit codes, pipes and Ctrl-C."""

from __future__ import annotations

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tgap import __version__
from tgap.asking.operations import OPERATIONS
from tgap.cli import main
from tgap.cli.main import COMMANDS, SECTIONS, cli, run
from tgap.cli.output import command, program
from tgap.errors import DataError, Message, Option

HEAVY = ("torch", "numba", "polars", "matplotlib", "rich", "httpx", "numpy")
PROGRAM = [sys.executable, "-m", "tgap.cli.main"]


def processor_seconds() -> float:
    """What finished child processes have used: on an idle machine as long as it takes, on a busy one still the same."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    code = (
        f"import sys; from tgap.cli.main import run; run(['--help']); print([n for n in {HEAVY} if n in sys.modules])"
    )
    best = 10.0
    for _ in range(5):
        start = processor_seconds()
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        best = min(best, processor_seconds() - start)
    assert shown.splitlines()[-1] == "[]"
    assert all(f"{title}:" in shown for title in SECTIONS)
    assert best < 0.4


def test_help_of_data_needs_no_torch() -> None:
    code = "import sys; from tgap.cli.main import run; run(['data', 'import', '-h']); print('torch' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1] == "False"


def test_help_of_operations_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom tgap.asking.operations import OPERATIONS\nfrom tgap.cli.main import run\n"
        "for name in OPERATIONS.commands:\n    assert run([name, '--help']) == 0, name\n"
        f"print([n for n in {HEAVY} if n in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[-1] == "[]"


def test_version_and_list_of_commands() -> None:
    assert CliRunner().invoke(cli, ["--version"]).output == f"tgap, version {__version__}\n"
    shown = CliRunner().invoke(cli, ["-h"]).output
    folder = Path(main.__file__).parent
    for name, summary in COMMANDS.items():
        assert (folder / f"{name}.py").is_file(), name
        assert summary in " ".join(shown.split()), name
    for name, operation in OPERATIONS.commands.items():
        assert re.search(rf"^  {name} ", shown, re.MULTILINE), name
        assert OPERATIONS.summary(operation) in " ".join(shown.split()), name
    assert "More:" not in shown, "every command stands in a section"


def test_every_listed_command_can_be_imported() -> None:
    context = click.Context(cli)
    for name in cli.list_commands(context):
        assert isinstance(cli.get_command(context, name), click.Command), name
    assert cli.get_command(context, "nonsense") is None


def test_a_mistake_is_one_line_and_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["data", "show", "nowhere"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: unknown dataset 'nowhere'")
    assert len(captured.err.splitlines()) == 1
    result = CliRunner().invoke(cli, ["data", "show", "nowhere"])
    assert (result.exit_code, result.stderr) == (2, captured.err)


@pytest.mark.parametrize("arguments", [["nonsense"], ["data", "nonsense"], ["data", "show"], ["--nonsense"]])
def test_wrong_usage_is_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    assert "Usage: tgap" in capsys.readouterr().err


def test_our_own_bugs_keep_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_context: click.Context) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(cli.get_command(click.Context(cli), "data"), "invoke", broken)
    with pytest.raises(ZeroDivisionError):
        run(["data", "list"])


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (DataError("bad"), 2), (click.Abort(), 130)])
def test_exit_codes(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_context: click.Context) -> None:
        raise error

    monkeypatch.setattr(cli.get_command(click.Context(cli), "data"), "invoke", fail)
    assert run(["data", "list"]) == code
    assert capsys.readouterr().err.strip() in ("interrupted", "error: bad")


def test_warnings_of_ours_are_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import warnings

    from tgap.data import LeakWarning

    def warn(_context: click.Context) -> None:
        warnings.warn(Message("it leaks; see ", Option("past_only")), LeakWarning, stacklevel=1)
        warnings.warn("something else", UserWarning, stacklevel=1)

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr(cli.get_command(click.Context(cli), "data"), "invoke", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert run(["data", "list"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "warning: it leaks; see --past-only"
    assert "UserWarning: something else" in lines[1]


def test_a_closed_pipe_is_no_drama() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in (["data", "show", "world"], ["data", "show", "world", "--json"], ["--version"]):
        process = subprocess.run([*PROGRAM, *arguments], stdout=writing, stderr=subprocess.PIPE, check=False)
        assert (process.returncode, process.stderr) == (0, b""), arguments
    os.close(writing)


def test_ctrl_c_in_a_real_process(tmp_path: Path) -> None:
    """A download that hangs is interrupted; what has come is kept for the next time."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        with subprocess.Popen(
            [*PROGRAM, "data", "download", "icews14", "--mirror", address],
            env=os.environ | {"TGAP_DATA": str(tmp_path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  shells may ignore it
        ) as process:
            connection, _ = server.accept()
            connection.recv(1 << 16)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n" + b"A" * 1000)
            part = tmp_path / "icews14" / "train.txt.part"
            deadline = time.monotonic() + 20
            while not (part.is_file() and part.stat().st_size) and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
            connection.close()
    assert (process.returncode, errors.strip()) == (main.INTERRUPTED, b"interrupted")
    assert part.stat().st_size == 1000


def test_next_commands_work_as_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = tmp_path / ".venv" / "bin" / "tgap"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(called), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert program() == str(Path(".venv", "bin", "tgap"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert program() == str(called)
    monkeypatch.setattr(sys, "argv", ["pytest"])
    assert program() == "tgap"
    monkeypatch.setattr(sys, "argv", [str(Path("lib", "tgap", "__main__.py")), "demo"])
    monkeypatch.setattr(sys, "executable", "/opt/my python/bin/python")
    assert command("evaluate", Path("my runs", "one")) == "'/opt/my python/bin/python' -m tgap evaluate 'my runs/one'"


def test_another_tgap_on_the_path_is_not_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("mine", "other"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "tgap").write_text("#!/bin/sh\n")
        (tmp_path / place / "tgap").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "mine" / "tgap")])
    assert program() == str(Path("mine", "tgap"))
    monkeypatch.setenv("PATH", str(tmp_path / "mine"))
    assert program() == "tgap"
