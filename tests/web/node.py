"""Node.js for tests of the page's pure JavaScript. Without it they are skipped, except where CI is true."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.web.needed import missing

ROOT = Path(__file__).parents[2]


def run_node(*arguments: str, text: str = "") -> str:
    """What a Node.js process prints, run at the root of the repository with ``text`` as its input."""
    program = shutil.which("node")
    if program is None:
        missing("Node.js is not on this machine (Debian: apt-get install nodejs)")
    done = subprocess.run(
        [program, *arguments], cwd=ROOT, input=text, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
