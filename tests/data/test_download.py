"""Downloads from a real HTTP server on this machine: one that behaves, breaks off, lies or is gone."""

from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tgap.data import CATALOG, catalog, data_folders, download
from tgap.data.dataset import SPLITS
from tgap.data.download import download_dataset, matches, public_names
from tgap.data.entries import CatalogEntry, PublicFile
from tgap.errors import DownloadError

CONTENT = {split: (f"A\tr\tB{n}\t2014-01-01\n" * 4000).encode() for n, split in enumerate(SPLITS)}


class Server(ThreadingHTTPServer):
    """Serves ``files``; ``breaks`` times it hangs up after ``chunk`` bytes."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {f"/{split}.txt": content for split, content in CONTENT.items()}
        self.requests: list[tuple[str, str | None]] = []
        self.breaks = 0
        self.chunk = 20_000
        self.ranges = True
        self.loops = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.requests.append((self.path, wanted))
        content = self.server.files.get(self.path)
        if self.server.loops:
            self.send_response(302)
            self.send_header("Location", self.path)
            self.end_headers()
            return
        if content is None:
            self.send_error(404)
            return
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and self.server.ranges else 0
        if start and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        if self.server.breaks:
            self.server.breaks -= 1
            self.wfile.write(content[start : start + self.server.chunk])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.wfile.write(content[start:])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Stay silent."""


def tiny() -> CatalogEntry:
    files = {
        split: PublicFile(f"{split}.txt", hashlib.sha256(content).hexdigest()) for split, content in CONTENT.items()
    }
    return CatalogEntry(name="tiny", summary="for tests", files=files, home="http://nowhere.invalid")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(download, "CATALOG", {"tiny": tiny()})
    monkeypatch.setattr("tgap.data.download.time.sleep", lambda _seconds: None)
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def check(folder: Path) -> None:
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {f"{s}.txt": c for s, c in CONTENT.items()}


def test_fetches_verifies_and_reports(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    folder = download_dataset("tiny", tmp_path, server.address, lambda *step: seen.append(step))
    check(folder)
    assert seen[-1] == ("test.txt", len(CONTENT["test"]), len(CONTENT["test"]))
    server.requests.clear()
    download_dataset("tiny", tmp_path, server.address)
    assert server.requests == []


def test_mirror_by_variable_into_the_data_folder(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TGAP_MIRROR", server.address + "/")
    monkeypatch.setenv("TGAP_DATA", str(tmp_path / "data"))
    check(download_dataset("tiny"))
    assert (tmp_path / "data" / "tiny" / "train.txt").is_file()


def test_broken_connections_are_taken_up_again(server: Server, tmp_path: Path) -> None:
    server.breaks = 3
    check(download_dataset("tiny", tmp_path, server.address))
    ranges = [wanted for path, wanted in server.requests if path == "/train.txt"]
    assert ranges == [None, "bytes=20000-", "bytes=40000-", "bytes=60000-"]


def test_servers_without_ranges_start_over(server: Server, tmp_path: Path) -> None:
    server.breaks, server.ranges = 2, False
    check(download_dataset("tiny", tmp_path, server.address))


def test_a_later_call_goes_on(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "_TRIES", 1)
    server.breaks, server.chunk = 1, 50_000
    part = tmp_path / "tiny" / "train.txt.part"
    server.files["/gone.txt"] = b""
    part.parent.mkdir()
    part.write_bytes(CONTENT["train"][:30_000])
    check(download_dataset("tiny", tmp_path, server.address))
    assert server.requests[0] == ("/train.txt", "bytes=30000-")


def test_a_complete_part_only_needs_its_name(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "tiny" / "train.txt.part"
    part.parent.mkdir()
    part.write_bytes(CONTENT["train"])
    check(download_dataset("tiny", tmp_path, server.address))


def test_a_wrong_part_is_thrown_away(server: Server, tmp_path: Path) -> None:
    part = tmp_path / "tiny" / "train.txt.part"
    part.parent.mkdir()
    part.write_bytes(b"something else entirely")
    check(download_dataset("tiny", tmp_path, server.address))


def test_wrong_bytes_are_refused(server: Server, tmp_path: Path) -> None:
    server.files["/valid.txt"] = b"<html>please log in</html>"
    with pytest.raises(DownloadError, match=r"valid.txt is not the file that was published: its checksum differs"):
        download_dataset("tiny", tmp_path, server.address)
    assert sorted(path.name for path in (tmp_path / "tiny").iterdir()) == ["train.txt"]


def test_damaged_files_are_fetched_again(server: Server, tmp_path: Path) -> None:
    folder = download_dataset("tiny", tmp_path, server.address)
    (folder / "test.txt").write_bytes(b"oops")
    check(download_dataset("tiny", tmp_path, server.address))


def test_missing_and_unreachable(server: Server, tmp_path: Path) -> None:
    del server.files["/train.txt"]
    with pytest.raises(DownloadError, match=r"train\.txt answered 404 Not Found"):
        download_dataset("tiny", tmp_path, server.address)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(DownloadError, match="are you offline"):
        download_dataset("tiny", tmp_path, address)
    with pytest.raises(DownloadError, match=r"unsupported protocol 'ftp://'.*check `mirror`"):
        download_dataset("tiny", tmp_path, "ftp://nowhere")
    server.loops = True
    with pytest.raises(DownloadError, match=r"maximum allowed redirects\); check `mirror`"):
        download_dataset("tiny", tmp_path, server.address)
    with pytest.raises(DownloadError, match="'huge' is not a public dataset; expected one of tiny"):
        download_dataset("huge", tmp_path, server.address)
    (tmp_path / "file").touch()
    with pytest.raises(DownloadError, match="cannot write to"):
        download_dataset("tiny", tmp_path / "file", server.address)


def test_lines_in_another_order_are_the_same_file(tmp_path: Path) -> None:
    lines = [f"line {n}\n".encode() for n in range(100)]
    file = PublicFile("x", hashlib.sha256(b"".join(sorted(lines))).hexdigest(), by_lines=True)
    lines.sort(key=lambda line: line[::-1])
    (tmp_path / "x").write_bytes(b"".join(lines))
    assert matches(tmp_path / "x", file)
    (tmp_path / "x").write_bytes(b"".join(lines[1:]))
    assert not matches(tmp_path / "x", file)


@pytest.mark.parametrize("name", public_names())
def test_hashes_are_those_of_the_public_files(name: str) -> None:
    files = catalog.find_files(name)
    if files is None:
        pytest.skip(f"{name} is in none of {', '.join(map(str, data_folders()))}")
    assert all(matches(path, CATALOG[name].files[split]) for path, split in zip(files, SPLITS, strict=True))


def test_files_without_a_home_need_a_mirror(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "CATALOG", {"tiny": replace(tiny(), home="")})
    with pytest.raises(DownloadError, match="'tiny' has no public home; name one that has its files with `mirror`"):
        download_dataset("tiny", tmp_path)
    assert download_dataset("tiny", tmp_path, server.address) == tmp_path / "tiny"


def test_bad_proxy_settings_are_told(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://here:1")
    with pytest.raises(DownloadError, match="the proxy settings are no good: Unknown scheme"):
        download_dataset("tiny", tmp_path, server.address)


def test_what_any_data_folder_has_is_not_fetched(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, cache = tmp_path / "shared", tmp_path / "cache"
    monkeypatch.setattr(download, "data_folders", lambda: [shared, cache])
    monkeypatch.setattr(download, "storage_folder", lambda: cache)
    assert download_dataset("tiny", mirror=server.address) == cache / "tiny"
    cache.rename(shared)
    server.requests.clear()
    assert download_dataset("tiny", mirror=server.address) == shared / "tiny"
    assert not server.requests
    (shared / "tiny" / "test.txt").write_bytes(b"damaged")
    assert download_dataset("tiny", mirror=server.address) == cache / "tiny"
