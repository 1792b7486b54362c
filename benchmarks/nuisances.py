"""What do clients that leave, stall or ask for very much cost the others? And does the server still stop when told to?

    python -m benchmarks.nuisances                   the shipped icews14; writes results/nuisances-DATE.{md,json}
    python -m benchmarks.nuisances RUN --seconds 20 --quick

Some clients ask one question after the other, first alone, then beside three kinds of others, which run in a process of
their own: some send an explanation with measured effects and leave before its answer, some open connections and stall
(silent, in the middle of a head, of a body, or reading nothing), and some send bulk requests with reasons and sweeps,
again and again. Then SIGTERM comes while they all go on. Ends with 1 if the 99th percentile of a question is more than
three times as long beside the others, if a question fails, or if the server lives longer than ten seconds after it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil  # type: ignore[import-untyped, unused-ignore]

from benchmarks.load import Names, ask, circumstances, made_with, resident, served, spread, write

TIMES_AS_LONG = 3.0  # bar on the 99th percentile
STOP = 10.0  # seconds from SIGTERM to the end, at most
LEAVING, STALLING, BULK = 40, 300, 3  # clients of each kind
DEAF = 75  # of those that stall: they ask for much and read nothing
PATIENCE, AWAY = 0.2, 1.8  # seconds after which those that leave have left, and after which they come again
CALM, TROUBLED = "alone", "beside the others"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", default="icews14", help="run folder or name of a pretrained run")
    parser.add_argument("--clients", type=int, default=8, help="that ask one question after the other")
    parser.add_argument("--seconds", type=float, default=60, help="of each part")
    parser.add_argument("--quick", action="store_true", help="write no result file")
    arguments = parser.parse_args()
    load = round(psutil.getloadavg()[0], 1)  # of others, before anything is measured
    with served(arguments.run) as (address, process):
        card = httpx.get(f"{address}/api/v1/model").json()
        found = asyncio.run(measure(address, process, arguments.clients, arguments.seconds))
    figures = {**circumstances(card), "load": load, **found}
    report = page(figures)
    print(report)
    if not arguments.quick:
        write("nuisances", report, figures)
    failed = figures["failures"] or figures["times_as_long"] > TIMES_AS_LONG or figures["stop_seconds"] > STOP
    return int(bool(failed))


async def measure(address: str, process: psutil.Process, clients: int, seconds: float) -> dict[str, Any]:
    """Questions alone, then beside the others, then the end."""
    names = Names(address)
    counts: Counter[str] = Counter()
    memory = [resident(process)]
    times = {CALM: await questions(address, names, clients, seconds, counts, seed=0)}
    memory.append(resident(process))
    ours, theirs = multiprocessing.Pipe()
    others = multiprocessing.get_context("spawn").Process(target=disturb, args=(address, theirs), daemon=True)
    others.start()
    await asyncio.to_thread(ours.recv)  # all of them are at it
    times[TROUBLED] = await questions(address, names, clients, seconds, counts, seed=1)
    memory.append(resident(process))
    begun = time.perf_counter()
    process.terminate()
    await asyncio.to_thread(process.wait, 60)
    stopped = time.perf_counter() - begun
    ours.send("enough")
    done: dict[str, int] = await asyncio.to_thread(ours.recv)
    others.join(10)
    latency = {kind: {"answered": len(values), **spread(values)} for kind, values in times.items()}
    return {
        "clients": clients,
        "seconds": seconds,
        "latency": latency,
        "times_as_long": round(latency[TROUBLED]["p99"] / latency[CALM]["p99"], 2),
        "failures": sum(count for name, count in counts.items() if name.startswith("failed")),
        "others": done,
        "megabytes": memory,
        "stop_seconds": round(stopped, 2),
    }


async def questions(
    address: str, names: Names, clients: int, seconds: float, counts: Counter[str], seed: int
) -> list[float]:
    """Seconds of every question that ``clients`` asked, each one after the other, for so long."""
    took: list[float] = []
    end = time.perf_counter() + seconds

    async def one(number: int) -> None:
        chance = random.Random(1000 * seed + number)  # noqa: S311
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            while time.perf_counter() < end:
                asked = {**names.question(chance), "top": 10}
                found = await ask(client, "/api/v1/predict", {"json": asked}, counts)
                if found is not None:
                    took.append(found)

    await asyncio.gather(*(one(number) for number in range(clients)))
    return took


def disturb(address: str, told: Connection) -> None:
    """In a process of its own: be a nuisance until told that it is enough, then tell what was done."""

    async def work() -> dict[str, int]:
        others = Others(address, Names(address))
        tasks = [asyncio.create_task(one) for one in others.all()]
        await asyncio.sleep(2.0)
        told.send("begun")
        await asyncio.to_thread(told.recv)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        return dict(others.counts)

    told.send(asyncio.run(work()))


class Others:
    """Clients that nobody wants."""

    def __init__(self, address: str, names: Names) -> None:
        place = urlsplit(address)
        self._host, self._port = str(place.hostname), place.port or 80
        self._address = address
        self._names = names
        self._chance = random.Random(2)  # noqa: S311
        self.counts: Counter[str] = Counter()

    def all(self) -> list[Any]:
        leaving = [self._until_gone(self._leave) for _ in range(LEAVING)]
        stalling = [self._until_gone(self._stall, place) for place in range(STALLING)]
        return [*leaving, *stalling, *(self._until_gone(self._bulk, place) for place in range(BULK))]

    async def _until_gone(self, work: Any, *arguments: Any) -> None:
        while True:
            try:
                await work(*arguments)
            except (OSError, httpx.TransportError):
                await asyncio.sleep(1.0)  # it was ended in the middle, or the server is gone

    def _request(self, path: str, body: dict[str, Any]) -> bytes:
        content = json.dumps(body).encode()
        head = f"POST /api/v1/{path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        return f"{head}content-length: {len(content)}\r\n\r\n".encode() + content

    async def _leave(self) -> None:
        """Ask why, and go before the answer has come."""
        _, writer = await asyncio.open_connection(self._host, self._port)
        writer.write(self._request("explain", self._names.question(self._chance)))
        await writer.drain()
        await asyncio.sleep(PATIENCE)
        writer.close()
        self.counts["explanations abandoned"] += 1
        await asyncio.sleep(AWAY)

    async def _stall(self, place: int) -> None:
        """Say nothing, half a head or half a body, or ask much and read nothing; then wait until it is ended."""
        reader, writer = await asyncio.open_connection(self._host, self._port, limit=1024)
        question = self._request("predict", self._names.question(self._chance))
        much = b"GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 50
        deaf = place < DEAF
        writer.write(much if deaf else (b"", b"GET /health HTTP/1.1\r\nhost: loc", question[:-10])[place % 3])
        try:
            if deaf:
                await asyncio.sleep(30)
            else:
                await reader.read()
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
        self.counts["stalled connections"] += 1

    async def _bulk(self, place: int) -> None:
        """Many questions with reasons, or an answer followed through time."""
        async with httpx.AsyncClient(base_url=self._address, timeout=120) as client:
            asked = self._names.question(self._chance)
            if place % 3 == 2:
                named = {name: asked.get(name) for name in ("subject", "relation", "object")}
                ends = {"since": self._names.times[0], "until": self._names.times[-1], "points": 121}
                path, body = "/api/v1/sweep", {**named, **ends, "answers": self._names.entities[:5]}
            else:
                many = [{**self._names.question(self._chance), "reason": True} for _ in range(256)]
                path, body = "/api/v1/bulk", {"questions": many}
            async with client.stream("POST", path, json=body) as reply:
                async for line in reply.aiter_lines():
                    answered = json.loads(line)["error"] is None
                    self.counts["lines of bulk answers and sweeps"] += answered  # those not answered were told to stop


def page(figures: dict[str, Any]) -> str:
    """The result in words."""
    rows = [
        f"| {kind} | {t['answered']:,} | {t['p50']} | {t['p90']} | {t['p99']} |"
        for kind, t in figures["latency"].items()
    ]
    others = "; ".join(f"{count:,} {name}" for name, count in sorted(figures["others"].items()))
    return "\n".join(
        [
            f"# Clients that leave, stall or ask for very much, {figures['date']}",
            "",
            f"{made_with(figures)}; clients and server share the machine (load before: {figures['load']}).",
            (
                f"{figures['clients']} clients ask one question after the other for {figures['seconds']:g} s, then "
                f"again beside {LEAVING} that leave, {STALLING} that stall ({DEAF} of them send fifty requests and "
                f"read nothing), {BULK} that send bulk requests and sweeps."
            ),
            "",
            "| milliseconds of a question | answered | p50 | p90 | p99 |",
            "| --- | ---: | ---: | ---: | ---: |",
            *rows,
            "",
            (
                f"The 99th percentile is {figures['times_as_long']:g} times as long beside them "
                f"(bar {TIMES_AS_LONG:g}); {figures['failures']} failures. The others: {others}."
            ),
            (
                f"SIGTERM in the middle of it all: the process ended after {figures['stop_seconds']:.1f} s "
                f"(bar {STOP:g}). Memory at the start, after the first part and at the end: "
                f"{', '.join(str(value) for value in figures['megabytes'])} MB."
            ),
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
