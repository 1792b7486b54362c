"""The page's pure modules, tested by Node's own runner, and what they must share with Python."""

from __future__ import annotations

import json
import random

from tests.web.node import ROOT, run_node
from tgap.explain.wording import percent, points

PERCENTS = """
import { percent, points } from "./src/tgap/server/static/js/format.js";
let text = "";
for await (const part of process.stdin) text += part;
const shares = JSON.parse(text);
console.log(JSON.stringify([shares.map(percent), shares.map((share) => points(-share))]));
"""


def test_the_unit_tests_of_the_pure_modules_pass() -> None:
    files = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests" / "web" / "js").glob("*.test.js"))
    assert files
    told = run_node("--test", "--test-reporter=tap", *files)
    assert "# fail 0" in told
    assert "# pass 0" not in told


def test_the_page_prints_shares_as_the_command_line_does() -> None:
    chance = random.Random(0)  # noqa: S311
    shares = [chance.random() * 10 ** -chance.randrange(6) for _ in range(20_000)]
    shares += [number / 4096 for number in range(4097)] + [number / 1000 for number in range(1001)]  # many half ways
    shown, effects = json.loads(run_node("--input-type=module", "-e", PERCENTS, text=json.dumps(shares)))
    assert shown == [percent(share) for share in shares]
    assert effects == [points(-share) for share in shares]


def test_the_lock_file_names_no_host_to_install_from() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert all("resolved" not in package for package in lock["packages"].values())
    assert all(package.get("integrity") for name, package in lock["packages"].items() if name)
