"""The page's pure modules, tested by Node's own runner, and what they must share with Python."""

from __future__ import annotations

import json
import random
from dataclasses import asdict

from tests.web.node import ROOT, run_node
from tgap.explain.evidence_schema import CalibrationRow
from tgap.explain.wording import calibration_words, percent, points

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


CALIBRATION = """
import { calibrationWords } from "./src/tgap/server/static/js/format.js";
let text = "";
for await (const part of process.stdin) text += part;
console.log(JSON.stringify(JSON.parse(text).map(calibrationWords)));
"""


def test_the_page_tells_calibration_as_the_command_line_does() -> None:
    rows = [
        CalibrationRow("Japan", share, share, share + 0.1, 12_345 + place, share + 0.03, share + 0.02, "valid")
        for place, share in enumerate(number / 20 for number in range(19))
    ]
    text = json.dumps([asdict(row) for row in rows])
    shown = json.loads(run_node("--input-type=module", "-e", CALIBRATION, text=text))
    assert shown == [calibration_words(row) for row in rows]


def test_the_lock_file_names_no_host_to_install_from() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert all("resolved" not in package for package in lock["packages"].values())
    assert all(package.get("integrity") for name, package in lock["packages"].items() if name)
