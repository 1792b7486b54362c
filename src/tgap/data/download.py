"""Fetching the public datasets: resumed after a break, verified by hash, in place only when whole.

A file grows as ``NAME.part`` beside its place. A broken connection is taken up again from where it broke (Range), also
by a later call. Only a file whose hash is right gets its name.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tgap.data.atomic import put_in_place
from tgap.data.dataset import SPLITS
from tgap.data.entries import CATALOG, PublicFile
from tgap.data.locations import data_folders, storage_folder
from tgap.errors import DownloadError, Option

if TYPE_CHECKING:
    import httpx

MIRROR_VARIABLE = "TGAP_MIRROR"
Progress = Callable[[str, int, int | None], None]  # file, bytes done, bytes in all (None: not told)

_TRIES = 5  # in a row without a single new byte
_OK, _PARTIAL, _RANGE_REFUSED = 200, 206, 416


def download_dataset(
    name: str, folder: Path | None = None, mirror: str | None = None, progress: Progress | None = None
) -> Path:
    """Fetch the files of a public dataset that are not there yet; gives the folder they are in.

    ``mirror`` (else the variable TGAP_MIRROR) replaces the public home. Raises ``DownloadError``.
    """
    entry = CATALOG.get(name)
    if entry is None or not entry.files:
        raise DownloadError(f"{name!r} is not a public dataset; expected one of {', '.join(public_names())}")
    for known in [folder] if folder else data_folders():
        if all(_is_there(known / name, split, file) for split, file in entry.files.items()):
            return known / name
    home = (mirror or os.environ.get(MIRROR_VARIABLE) or entry.home).rstrip("/")
    if not home:
        raise DownloadError(f"{name!r} has no public home; name one that has its files with ", Option("mirror"))
    place = (folder or storage_folder()) / name
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _client() as client:
            for split in SPLITS:
                file = entry.files[split]
                if not _is_there(place, split, file):
                    target = place / f"{split}.txt"
                    _fetch(client, f"{home}/{file.path}", target, file, progress or _silent)
    except OSError as error:
        raise DownloadError(f"cannot write to {place}: {error.strerror}") from error
    finally:
        if place.is_dir() and not any(place.iterdir()):
            place.rmdir()
    return place


def public_names() -> list[str]:
    """Datasets of the catalog that are made of files."""
    return [name for name, entry in CATALOG.items() if entry.files]


def _client() -> httpx.Client:
    import httpx  # noqa: PLC0415

    try:
        return httpx.Client(follow_redirects=True, timeout=httpx.Timeout(20.0))
    except ValueError as error:
        raise DownloadError(f"the proxy settings are no good: {error}; check HTTPS_PROXY and its like") from error


def _is_there(place: Path, split: str, file: PublicFile) -> bool:
    path = place / f"{split}.txt"
    return path.is_file() and matches(path, file)


def matches(path: Path, file: PublicFile) -> bool:
    """Whether a file on disk is the one that was published."""
    content = path.read_bytes()
    if file.by_lines:
        content = b"".join(line + b"\n" for line in sorted(filter(None, content.split(b"\n"))))
    return hashlib.sha256(content).hexdigest() == file.sha256


def _fetch(client: httpx.Client, address: str, target: Path, file: PublicFile, progress: Progress) -> None:
    """One file into its place. A part from an earlier day that turns out wrong is thrown away once and fetched anew."""
    part = target.with_name(target.name + ".part")
    resumed = part.is_file() and part.stat().st_size > 0
    _fill(client, address, part, progress)
    if not matches(part, file) and resumed:
        part.unlink()
        _fill(client, address, part, progress)
    if not matches(part, file):
        size = part.stat().st_size
        part.unlink()
        raise DownloadError(
            f"{address} is not the file that was published: its checksum differs ({size:,} bytes came). "
            "A proxy may have answered in its place, or the file has changed; nothing was kept"
        )
    put_in_place(part, target)


def _fill(client: httpx.Client, address: str, part: Path, progress: Progress) -> None:
    """Bring ``part`` to its end, taking up the thread after every break."""
    import httpx  # noqa: PLC0415

    failures = 0
    while True:
        size = part.stat().st_size if part.is_file() else 0
        try:
            if _transfer(client, address, part, size, progress):
                return
        except (httpx.UnsupportedProtocol, httpx.TooManyRedirects, httpx.InvalidURL) as error:
            reason = str(error).rstrip(".")
            raise DownloadError(
                f"cannot fetch {address} ({reason}); check ", Option("mirror"), f" or {MIRROR_VARIABLE}"
            ) from error
        except httpx.TransportError as error:
            grown = part.is_file() and part.stat().st_size > size
            failures = 0 if grown else failures + 1
            if failures >= _TRIES:
                raise _unreachable(address, error) from error
            time.sleep(min(0.1 * 2**failures, 2.0))


def _transfer(client: httpx.Client, address: str, part: Path, size: int, progress: Progress) -> bool:
    """One request for what comes after ``size`` bytes; True when the file is complete."""
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={size}-"} if size else {})
    with client.stream("GET", address, headers=headers) as response:
        if response.status_code == _RANGE_REFUSED:  # there is nothing after what we have: complete, or not ours
            return True
        if response.status_code not in (_OK, _PARTIAL):
            raise DownloadError(f"{address} answered {response.status_code} {response.reason_phrase}; try again later")
        start = size if response.headers.get("Content-Range", "").startswith(f"bytes {size}-") else 0
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdigit() else None
        with open(part, "ab" if start else "wb", buffering=0) as file:
            progress(part.name.removesuffix(".part"), start, total)
            for piece in response.iter_raw():  # as it comes: a size would hold back what came before a break
                file.write(piece)
                start += len(piece)
                progress(part.name.removesuffix(".part"), start, total)
    return total is None or start >= total


def _unreachable(address: str, error: Exception) -> DownloadError:
    reason = str(error) or type(error).__name__
    return DownloadError(
        f"cannot fetch {address} ({reason}); are you offline? What has come is kept: the same command goes on "
        f"from there. A mirror can be named with {MIRROR_VARIABLE}"
    )


def _silent(_file: str, _done: int, _total: int | None) -> None:
    """Progress that nobody watches."""
