"""The explorer's files. Their addresses bear a version, so that a browser asks for each of them once and for all.

The version is made of all files' sizes and times: where one of them changes, all have new addresses.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"
VERSIONED = "/static/"  # what begins so never changes


def add_page(app: FastAPI) -> None:
    """Serve the page at the root, and its files."""
    app.add_api_route("/", _index, include_in_schema=False)
    app.mount(f"{VERSIONED}{{version}}", StaticFiles(directory=STATIC), name="static")


def _index() -> HTMLResponse:
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    return HTMLResponse(text.replace(VERSIONED, f"{VERSIONED}{_version()}/"))


def _version() -> str:
    files = ((file, file.stat()) for file in sorted(STATIC.rglob("*")))
    told = [f"{file.name} {found.st_size} {found.st_mtime_ns}" for file, found in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]
