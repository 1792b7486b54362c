"""A real server in a thread, on a free port of this machine."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from fastapi import FastAPI

from tgap.server.serving import Server, address_of, listen

# A request on its own would read all certificates of the machine, for nothing.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@contextmanager
def running(app: FastAPI, *, ready: bool = True) -> Iterator[str]:
    """Serve ``app`` inside the block; gives its address once it is up (and ready)."""
    bound = listen("127.0.0.1", 0)
    server = Server(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    address = address_of(bound)
    try:
        wait_until_ready(address, "/ready" if ready else "/health")
        yield address
    finally:
        server.should_exit = True
        thread.join(30)
        bound.close()


def wait_until_ready(address: str, path: str = "/ready", seconds: float = 600) -> None:
    """Wait for a server; compiling kernels for the first time takes a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if httpx.get(address + path, verify=NO_TLS).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise TimeoutError(f"{address}{path} was not ready within {seconds} seconds")
