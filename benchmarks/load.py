"""How does the server bear a crowd? Many clients at once on loopback, then its memory over many requests.

    python benchmarks/load.py RUN       200 clients; memory over 20,000 requests; writes results/load-DATE.{md,json}
    python benchmarks/load.py RUN --clients 50 --requests 500 --memory 1000 --quick
    python benchmarks/load.py RUN --memory 0    the crowd only; the other part is taken over from today's result
    python benchmarks/load.py RUN --clients 0   memory only, likewise

The server is a process of its own (`tgap serve RUN --port 0`). Questions are made of stored names and all dates, so
most of them are new to its caches. A 503 with Retry-After is no failure: the client waits as told and asks again; the
time of a request counts from its first attempt to its answer. Ends with 1 if a request fails or memory keeps growing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped, unused-ignore]

RESULTS = Path(__file__).parent / "results"
ATTEMPTS = 200
GROWTH = 0.05  # of memory over the second half of the requests
MIX = (("predict", 66), ("explain", 10), ("displacement", 4), ("search", 15), ("facts", 5))
SAMPLED = 5  # test questions behind a displacement profile


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", help="run folder or name of a pretrained run")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--requests", type=int, default=3000, help="of all clients together")
    parser.add_argument("--memory", type=int, default=20_000, help="requests watched; the first half fills caches")
    parser.add_argument("--quick", action="store_true", help="write no result file")
    arguments = parser.parse_args()
    with served(arguments.run) as (address, process):
        card = httpx.get(f"{address}/api/v1/model").json()
        world = Names(address)
        parts: dict[str, Any] = {}
        if arguments.clients:
            parts["crowd"] = asyncio.run(press(address, world, arguments.clients, arguments.requests))
        if arguments.memory:
            parts["memory"] = asyncio.run(watch(address, world, process, arguments.memory))
    figures = {**earlier(circumstances(card)), **parts}
    report = page(figures)
    print(report)
    if not arguments.quick:
        write("load", report, figures)
    crowd, memory = figures.get("crowd", {}), figures.get("memory", {})
    failed = crowd.get("failures") or memory.get("failures") or memory.get("growth", 0.0) >= GROWTH
    return 1 if failed else 0


def earlier(now: dict[str, Any]) -> dict[str, Any]:
    """What was measured today under the same circumstances, else nothing but these."""
    file = RESULTS / f"load-{now['date']}.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found if all(found.get(name) == value for name, value in now.items()) else dict(now)


def circumstances(card: dict[str, Any]) -> dict[str, Any]:
    """When, where and of which model a measurement is; ``card`` is the server's model card."""
    return {
        "date": date.today().isoformat(),
        "machine": f"{platform.processor() or platform.machine()}, {psutil.cpu_count()} cores",
        "python": platform.python_version(),
        "dataset": card["dataset"]["name"],
        "dimension": card["settings"]["model"]["dimension"],
    }


def made_with(figures: dict[str, Any]) -> str:
    """The same in words."""
    return f"{figures['machine']}, Python {figures['python']}; {figures['dataset']}, d = {figures['dimension']}"


def write(name: str, report: str, figures: dict[str, Any]) -> None:
    """A dated result, for people and for programs."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}-{figures['date']}"
    file.with_suffix(".md").write_text(report, encoding="utf-8")
    file.with_suffix(".json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


@contextmanager
def served(run: str) -> Iterator[tuple[str, psutil.Process]]:
    command = [sys.executable, "-m", "tgap.cli.main", "serve", run, "--port", "0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            if found is None:
                raise SystemExit("the server did not start")
            while httpx.get(f"{found.group()}/ready").status_code != 200:
                time.sleep(0.2)
            yield found.group(), psutil.Process(process.pid)
        finally:
            process.terminate()


class Names:
    """Names and dates to make questions of."""

    def __init__(self, address: str) -> None:
        def names(kind: str) -> list[str]:
            matches = httpx.get(f"{address}/api/v1/search", params={"kind": kind, "limit": 50}).json()["matches"]
            return [match["name"] for match in matches]

        self.entities = names("entity")
        self.relations = names("relation")
        self.times = httpx.get(f"{address}/api/v1/timeline", params={"points": 4000}).json()["texts"]
        drawn = (httpx.get(f"{address}/api/v1/questions/random", params={"seed": seed}).json() for seed in range(50))
        self.profiled = sorted({found["question"]["relation"] for found in drawn})  # of held-out facts

    def request(self, chance: random.Random) -> tuple[str, str, dict[str, Any]]:
        """Kind, path and arguments of a made-up request."""
        kind = chance.choices([name for name, _ in MIX], [weight for _, weight in MIX])[0]
        entity, when = chance.choice(self.entities), chance.choice(self.times)
        if kind == "search":
            return kind, "/api/v1/search", {"params": {"q": entity[: chance.randint(1, 5)]}}
        if kind == "facts":
            return kind, "/api/v1/facts", {"params": {"entity": entity, "time": when}}
        if kind == "displacement":
            asked = {"relation": chance.choice(self.profiled), "limit": SAMPLED}
            return kind, "/api/v1/displacement", {"params": asked}
        return kind, f"/api/v1/{kind}", {"json": self.question(chance)}

    def question(self, chance: random.Random) -> dict[str, Any]:
        """A made-up question."""
        entity, relation, when = (chance.choice(names) for names in (self.entities, self.relations, self.times))
        return {chance.choice(["subject", "object"]): entity, "relation": relation, "time": when}


async def ask(client: httpx.AsyncClient, path: str, arguments: dict[str, Any], counts: Counter[str]) -> float | None:
    """Seconds from the first attempt to the answer; None if it failed."""
    method = "POST" if "json" in arguments else "GET"
    begun = time.perf_counter()
    for _ in range(ATTEMPTS):
        try:
            reply = await client.request(method, path, **arguments)
        except httpx.TransportError as error:
            counts[f"failed: {type(error).__name__}"] += 1
            return None
        counts[str(reply.status_code)] += 1
        if reply.status_code == 200:
            return time.perf_counter() - begun
        if reply.status_code != 503 or "retry-after" not in reply.headers:
            counts[f"failed: {reply.status_code}"] += 1
            return None
        await asyncio.sleep(float(reply.headers["retry-after"]) * random.uniform(0.5, 1.5))  # noqa: S311
    counts["failed: never had a turn"] += 1
    return None


async def press(address: str, names: Names, clients: int, requests: int) -> dict[str, Any]:
    """All clients at once, each asking one question after the other."""
    counts: Counter[str] = Counter()
    seconds: dict[str, list[float]] = {kind: [] for kind, _ in MIX}

    async def one(number: int) -> None:
        chance = random.Random(number)  # noqa: S311
        async with httpx.AsyncClient(base_url=address, timeout=60, verify=False) as client:  # noqa: S501  no TLS here
            for _ in range(max(1, requests // clients)):
                kind, path, arguments = names.request(chance)
                took = await ask(client, path, arguments, counts)
                if took is not None:
                    seconds[kind].append(took)

    begun = time.perf_counter()
    await asyncio.gather(*(one(number) for number in range(clients)))
    elapsed = time.perf_counter() - begun
    answered = [took for kind in seconds.values() for took in kind]
    return {
        "clients": clients,
        "answered": len(answered),
        "failures": sum(count for name, count in counts.items() if name.startswith("failed")),
        "statuses": dict(sorted(counts.items())),
        "seconds": round(elapsed, 1),
        "per_second": round(len(answered) / elapsed, 1),
        "latency": {"all": spread(answered), **{kind: spread(values) for kind, values in seconds.items()}},
    }


def spread(seconds: list[float]) -> dict[str, float]:
    """Percentiles in milliseconds."""
    ordered = sorted(seconds) or [0.0]
    last = len(ordered) - 1
    return {f"p{part}": round(1000 * ordered[min(last, len(ordered) * part // 100)], 1) for part in (50, 90, 99)}


async def watch(address: str, names: Names, process: psutil.Process, requests: int) -> dict[str, Any]:
    """Resident memory while eight clients ask; after half of the requests it should have stopped growing.

    Answers kept ready are told beside it: their store grows by design until it has reached its bound (64 MB).
    """
    counts: Counter[str] = Counter()
    chance = random.Random(-1)  # noqa: S311
    megabytes, kept = [resident(process)], [answers_kept(address)]
    async with httpx.AsyncClient(base_url=address, timeout=60, verify=False) as client:  # noqa: S501
        for _ in range(10):
            made = [names.request(chance) for _ in range(requests // 10)]
            for place in range(0, len(made), 8):
                await asyncio.gather(*(ask(client, path, given, counts) for _, path, given in made[place : place + 8]))
            megabytes.append(resident(process))
            kept.append(answers_kept(address))
    return {
        "requests": requests,
        "failures": sum(count for name, count in counts.items() if name.startswith("failed")),
        "megabytes": megabytes,
        "kept": kept,
        "growth": round(megabytes[10] / megabytes[5] - 1, 4),
        "growth_at_the_end": round(megabytes[10] / megabytes[7] - 1, 4),
    }


def resident(process: psutil.Process) -> float:
    """Resident memory in MB."""
    used: int = process.memory_info().rss
    return round(used / 2**20, 1)


def answers_kept(address: str) -> float:
    """Answers that the server keeps ready, in MB."""
    found = re.search(r"^tgap_answer_cache_bytes (\S+)", httpx.get(f"{address}/metrics").text, re.MULTILINE)
    assert found is not None
    return round(float(found.group(1)) / 2**20, 1)


def page(figures: dict[str, Any]) -> str:
    """The result in words."""
    lines = [f"# The server under load, {figures['date']}", ""]
    lines += [f"{made_with(figures)}; clients and server share the machine.", ""]
    if "crowd" in figures:
        crowd = figures["crowd"]
        retried = f"; {crowd['statuses']['503']} times 503, then success" if "503" in crowd["statuses"] else ", no 503"
        lines += [
            (
                f"{crowd['clients']} clients at once: {crowd['answered']:,} answers in {crowd['seconds']} s "
                f"({crowd['per_second']} a second), {crowd['failures']} failures{retried}."
            ),
            "",
            "| from first attempt to answer | p50 ms | p90 ms | p99 ms |",
            "| --- | ---: | ---: | ---: |",
            *(f"| {kind} | {t['p50']} | {t['p90']} | {t['p99']} |" for kind, t in crowd["latency"].items()),
            "",
        ]
    if "memory" in figures:
        memory = figures["memory"]
        lines += [
            (
                f"Memory over {memory['requests']:,} requests, {memory['failures']} failures: "
                f"{' '.join(str(value) for value in memory['megabytes'])} MB (at the start and after every tenth), "
                f"of which answers kept ready {' '.join(str(value) for value in memory['kept'])} MB (bound 64). "
                f"{100 * memory['growth']:+.1f} % over the second half (bar {100 * GROWTH:g} %), "
                f"{100 * memory['growth_at_the_end']:+.1f} % over the last three tenths."
            ),
            "",
        ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
