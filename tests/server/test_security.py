from __future__ import annotations

import hmac
import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.explain.small_dataset import SCRIPT
from tests.server.live import NO_TLS, running
from tests.server.test_answers import QUESTION
from tgap.asking.model import Model
from tgap.server.app import create_app
from tgap.server.guard import host_name
from tgap.server.page import STATIC
from tgap.server.serving import names_of

TOKEN = "a-long-secret"  # noqa: S105


@pytest.fixture(scope="module")
def guarded(small_model: Model) -> Iterator[httpx.Client]:
    app = create_app(small_model, token=TOKEN, hosts=names_of("127.0.0.1"))
    with running(app) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer wrong",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \xff",
    ],
)
@pytest.mark.parametrize("path", ["/api/v1/model", "/api/v1/openapi.json", "/metrics"])
def test_without_the_right_token_nothing_is_told(guarded: httpx.Client, header: str | None, path: str) -> None:
    headers = {} if header is None else {b"authorization": header.encode("latin-1")}
    reply = guarded.get(path, headers=headers)
    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")
    assert reply.json()["error"]["code"] == "unauthorized"


def test_with_the_token_everything_is_told(guarded: httpx.Client) -> None:
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.post("/api/v1/predict", json=QUESTION, headers=headers).status_code == 200
    assert guarded.get("/metrics", headers=headers).status_code == 200


def test_page_and_health_need_no_token(guarded: httpx.Client) -> None:
    assert guarded.get("/health").status_code == 200
    assert guarded.get("/").status_code == 200


def test_tokens_are_compared_in_constant_time(guarded: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def noting(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return bool(real(one, other))

    monkeypatch.setattr(hmac, "compare_digest", noting)
    guarded.get("/api/v1/model", headers={"authorization": "Bearer guess"})
    assert compared == [(b"guess", TOKEN.encode())]


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:80",
        "",
        "localhost.evil.example",
        "[::1].evil.com",
        "[::1]evil.com:80",
        "localhost:80.evil.com",
        "evil.com:80@localhost",
        "127.0.0.2",
    ],
)
def test_a_foreign_name_for_this_machine_is_refused(guarded: httpx.Client, host: str) -> None:
    reply = guarded.get("/health", headers={"host": host})
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "wrong_host")
    assert reply.json()["error"]["message"].endswith("open it as 127.0.0.1 or [::1] or localhost")


@pytest.mark.parametrize("host", ["127.0.0.2", "::1"])  # others are asked under 127.0.0.1 and localhost
def test_a_server_answers_under_the_host_it_was_given(host: str, small_model: Model) -> None:
    bound = f"[{host}]" if ":" in host else host
    app = create_app(small_model, hosts=names_of(host))
    with running(app) as address:
        for name in (bound, f"{bound}:8080", "localhost"):
            assert httpx.get(f"{address}/health", headers={"host": name}, verify=NO_TLS).status_code == 200


def test_head_is_answered_like_get_without_the_body(client: httpx.Client) -> None:
    for path in ("/", "/health", "/api/v1/model", "/static/v/js/main.js", "/metrics"):
        reply = client.head(path)
        assert (reply.status_code, reply.content) == (200, b""), path
        assert reply.headers["content-type"] == client.get(path).headers["content-type"]
    assert client.head("/api/v1/predict").status_code == 405


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "same-origin", "origin": "http://localhost:1"},
    ],
)
def test_other_web_pages_start_no_computation(client: httpx.Client, headers: dict[str, str]) -> None:
    before = waited(client)
    for reply in (
        client.post("/api/v1/predict", json={**QUESTION, "top": 6}, headers=headers),
        client.post("/api/v1/explain", json={**QUESTION, "edges": 6}, headers=headers),
        client.get("/api/v1/model", headers=headers),
    ):
        assert (reply.status_code, reply.json()["error"]["code"]) == (403, "foreign_page")
    assert waited(client) == before
    assert client.get("/", headers=headers).status_code == 200  # a link to the page may stand anywhere


def waited(client: httpx.Client) -> str:
    """What the server says of answers that had to be computed."""
    return next(
        line for line in client.get("/metrics").text.splitlines() if line.startswith("tgap_answer_cache_misses")
    )


def test_our_own_page_and_programs_may_ask(client: httpx.Client) -> None:
    own = f"http://{client.base_url.netloc.decode()}"
    for headers in ({"sec-fetch-site": "same-origin", "origin": own}, {"sec-fetch-site": "none"}, {"origin": own}):
        assert client.post("/api/v1/predict", json=QUESTION, headers=headers).status_code == 200


def test_host_names_without_their_port() -> None:
    assert [host_name(text) for text in ("LocalHost:80", "[::1]:80", "127.0.0.1", "[::1]")] == [
        "localhost",
        "[::1]",
        "127.0.0.1",
        "[::1]",
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/../app.py",
        "/static/v/../app.py",
        "/static/v/..%2fapp.py",
        "/static/v/%2e%2e/app.py",
        "/static/v/js/../../app.py",
        "/static/v/js/%2e%2e/%2e%2e/app.py",
        "/static/v/..%5capp.py",
        "/static/v//etc/passwd",
        "/static/v/%2fetc%2fpasswd",
        "/static/v/js/....//....//app.py",
        "/static/v/index.html%00.py",
        "/static/v/../../../../../../etc/passwd",
    ],
)
def test_no_file_outside_the_page_is_served(client: httpx.Client, path: str) -> None:
    """Sent by hand: a polite client would tidy the path first."""
    place = urlsplit(str(client.base_url))
    connection = http.client.HTTPConnection(str(place.hostname), place.port)
    connection.putrequest("GET", path, skip_host=False)
    connection.endheaders()
    reply = connection.getresponse()
    body = reply.read()
    assert reply.status in (400, 404)
    assert b"create_app" not in body
    assert b"root:" not in body
    connection.close()


def test_every_answer_keeps_the_browser_strict(client: httpx.Client) -> None:
    for path in ("/", "/api/v1/model", "/api/v1/nothing", "/health"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert "server" not in headers


def test_the_pages_files_are_asked_for_once(client: httpx.Client) -> None:
    page = client.get("/")
    assert page.headers["cache-control"] == "no-cache"
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    assert len(addresses) > 10
    for address in addresses:
        found = client.get(address)
        assert found.status_code == 200, address
        assert "immutable" in found.headers["cache-control"]
    assert "immutable" not in client.get(f"{addresses[0]}x").headers["cache-control"]


def test_the_page_takes_nothing_from_elsewhere() -> None:
    """No address of another host, no inline script or style, no handler attribute (the policy forbids them, too)."""
    allowed = ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink")
    files = [file for file in Path(STATIC).rglob("*") if file.suffix in (".html", ".js", ".css", ".svg")]
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        for address in allowed:
            text = text.replace(address, "")
        assert "://" not in text, file
        for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", " onclick="):
            assert forbidden not in text, (file, forbidden)
    page = (Path(STATIC) / "index.html").read_text(encoding="utf-8")
    assert " style=" not in page
    assert "<style" not in page


def test_a_script_in_a_name_is_sent_as_json_text(client: httpx.Client) -> None:
    reply = client.get("/api/v1/search", params={"q": "<script>"})
    assert reply.headers["content-type"] == "application/json"
    assert reply.json()["matches"][0]["name"] == SCRIPT
    wrong = client.post("/api/v1/predict", json={**QUESTION, "subject": "<img src=x onerror=alert(1)>"})
    assert wrong.headers["content-type"] == "application/json"
    assert json.loads(wrong.text)["error"]["code"] == "unknown_name"
