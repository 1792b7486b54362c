"""How long does an analyst wait for the first useful picture? From pressing Ask to the walk being drawn, in a browser.

    python -m benchmarks.explorer                    the shipped icews14; writes results/explorer-DATE.{md,json}
    python -m benchmarks.explorer RUN --questions 5 --quick

The server is a process of its own and the browser a real headless Chromium. Every question is new. On a cold date the
server has computed nothing for that date yet; on a warm one it was asked about the date before, never with this
question. A first question is the very first that a server gets once it is ready, in a browser that has just opened the
page; server and browser are started anew for each. The clock starts with the press and stops when the browser has
painted the picture (the second frame after its elements are in the page); the times of the answers' list and of the
evidence with its measured effects are told beside it. Ends with 1 if a median misses its bar.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from playwright.sync_api import Page, sync_playwright

from benchmarks.load import circumstances, made_with, served, write

BARS = {"first": 1.5, "cold": 1.5, "warm": 0.3}  # seconds to the picture
KINDS = {"first": "first question", "cold": "cold date", "warm": "warm date"}
STARTS = 3  # first questions
EVIDENCE = 1.0  # seconds to the measured effects
PARTS = ("answers", "picture", "evidence")
PRESS = """async () => {
  const results = document.getElementById("results");
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))));
  const once = (condition) => new Promise((done) => {
    const look = () => {
      if (!condition()) return;
      watcher.disconnect();
      painted().then(done);
    };
    const watcher = new MutationObserver(look);
    watcher.observe(results, { attributes: true, childList: true, subtree: true });
  });
  const begun = performance.now();
  document.querySelector(".ask-go").click();
  const [answers, picture, evidence] = await Promise.all([
    once(() => results.querySelector(".answers .name")),
    once(() => results.querySelector(".picture .node.answer")),
    once(() => !results.hasAttribute("aria-busy")),
  ]);
  return Object.fromEntries(
    Object.entries({ answers, picture, evidence }).map(([part, time]) => [part, (time - begun) / 1000]),
  );
}"""  # noqa: E501


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", default="icews14", help="run folder or name of a pretrained run")
    parser.add_argument("--questions", type=int, default=20, help="of each kind")
    parser.add_argument("--quick", action="store_true", help="write no result file")
    arguments = parser.parse_args()
    firsts = []
    for number in range(STARTS):
        with served(arguments.run) as (address, _), opened(address) as page:
            firsts.append(press(page, Asked(address, seed=number).question()))
    with served(arguments.run) as (address, _), opened(address) as page:
        card = httpx.get(f"{address}/api/v1/model").json()
        times = {"first": by_part(firsts), **measure(page, Asked(address), arguments.questions)}
    figures = {
        **circumstances(card),
        "seconds": times,
        "summary": {kind: {part: spread(values) for part, values in parts.items()} for kind, parts in times.items()},
    }
    report = page_of(figures)
    print(report)
    if not arguments.quick:
        write("explorer", report, figures)
    found = figures["summary"]
    late = [
        found[kind]["picture"]["median"] > bar or found[kind]["evidence"]["median"] > EVIDENCE
        for kind, bar in BARS.items()
    ]
    return int(any(late))


def measure(page: Page, asked: Asked, count: int) -> dict[str, dict[str, list[float]]]:
    """Seconds of ``count`` cold and ``count`` warm questions, to each part."""
    press(page, asked.question())  # the browser compiles the page's scripts
    return {
        kind: by_part([press(page, asked.question(new_date=kind == "cold")) for _ in range(count)])
        for kind in ("cold", "warm")
    }


@contextmanager
def opened(address: str) -> Iterator[Page]:
    """The start page in a browser of its own."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        raise SystemExit("no Chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.wait_for_selector(".starter")
        yield page
        browser.close()


def by_part(rows: list[dict[str, float]]) -> dict[str, list[float]]:
    return {part: [round(row[part], 4) for row in rows] for part in PARTS}


class Asked:
    """Questions of held-out facts, each once; dates that were asked about are remembered."""

    def __init__(self, address: str, seed: int = 5) -> None:
        self._address = address
        self._chance = random.Random(seed)  # noqa: S311
        self._dates: list[str] = []
        self._times: list[str] = httpx.get(f"{address}/api/v1/timeline", params={"points": 4000}).json()["texts"]
        self._chance.shuffle(self._times)

    def question(self, *, new_date: bool = True) -> dict[str, Any]:
        """A held-out question, moved to a date that is new to the server or one that is not."""
        seed = self._chance.randrange(2**32)
        found = httpx.get(f"{self._address}/api/v1/questions/random", params={"seed": seed}).json()["question"]
        if new_date:
            self._dates.append(self._times.pop())
        return {**found, "time": self._dates[-1] if new_date else self._chance.choice(self._dates)}


def press(page: Page, question: dict[str, Any]) -> dict[str, float]:
    """Fill in a question, wait until the page is at rest, press Ask."""
    for name in ("subject", "relation", "object", "time"):
        page.locator(f"#ask-{name}").evaluate("(field, text) => { field.value = text; }", question[name] or "")
    page.wait_for_timeout(150)
    times: dict[str, float] = page.evaluate(PRESS)
    return times


def spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {"median": statistics.median(ordered), "p90": ordered[len(ordered) * 9 // 10], "worst": ordered[-1]}


def page_of(figures: dict[str, Any]) -> str:
    rows = [
        f"| {KINDS[kind]}: {words} | " + " | ".join(f"{seconds:.3f}" for seconds in found[part].values()) + " |"
        for kind, found in figures["summary"].items()
        for part, words in zip(
            PARTS,
            ("answers listed", f"walk drawn (bar {BARS[kind]} s)", f"effects measured (bar {EVIDENCE} s)"),
            strict=True,
        )
    ]
    count = len(figures["seconds"]["cold"]["picture"])
    return "\n".join(
        [
            f"# From pressing Ask to the picture, {figures['date']}",
            "",
            f"{made_with(figures)}; headless Chromium and the server share the machine.",
            f"{count} new questions on cold and on warm dates; {STARTS} first ones, each of a server just started.",
            "",
            "| seconds from the press | median | p90 | worst |",
            "| --- | ---: | ---: | ---: |",
            *rows,
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
