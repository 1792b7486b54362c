"""Write the reference pages that come from the code: docs/cli.md (all commands) and docs/settings.md (all settings).

python docs/generate.py            write them
python docs/generate.py --check    exit with 1 if one is not what the code says
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
import sys
from pathlib import Path

import click

from tgap import config
from tgap.cli.main import cli

DOCS = Path(__file__).parent


def commands() -> str:
    """Help texts of all commands."""
    parts = ["# Command line", "", "Written by `make docs` from the commands' own help texts.", ""]

    def add(command: click.Command, path: str, parent: click.Context | None) -> None:
        context = click.Context(command, info_name=path.rsplit(" ", 1)[-1], parent=parent, terminal_width=100)
        parts.extend([f"## {path}", "", "```", command.get_help(context), "```", ""])
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None, "a listed command exists"
                add(child, f"{path} {name}", context)

    add(cli, "tgap", None)
    return "\n".join(parts)


def settings() -> str:
    """Tables of all settings: name, type, default, meaning (the comment beside the field)."""
    parts = [
        "# Settings",
        "",
        "Written by `make docs` from `src/tgap/config.py`. Change one with `--set name=value`.",
        "",
    ]
    for section, owner in (
        ("model", config.ModelConfig),
        ("training", config.TrainingConfig),
        ("evaluation", config.EvaluationConfig),
    ):
        comments = dict(re.findall(r"^    (\w+): .*?  # (.*)$", inspect.getsource(owner), flags=re.MULTILINE))
        parts += [f"## [{section}]", "", (owner.__doc__ or "").strip(), ""]
        parts += ["| setting | recommended | paper (icews14) | meaning |", "|---|---|---|---|"]
        paper = getattr(config.preset("paper", "icews14"), section)
        for field in dataclasses.fields(owner):
            default = field.default if not isinstance(field.default, str) else f'"{field.default}"'
            other = getattr(paper, field.name)
            shown = "" if other == field.default else (f'"{other}"' if isinstance(other, str) else str(other))
            parts.append(
                f"| `{section}.{field.name}` | {default} | {shown} | {comments[field.name].replace('|', chr(92) + '|')} |"
            )
        parts.append("")
    return "\n".join(parts)


PAGES = {"cli.md": commands, "settings.md": settings}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = [
        name for name, write in PAGES.items() if not (DOCS / name).exists() or (DOCS / name).read_text() != write()
    ]
    for name in stale:
        if check:
            sys.stderr.write(f"docs/{name} is not what the code says; run make docs\n")
        else:
            (DOCS / name).write_text(PAGES[name]())
            sys.stdout.write(f"wrote docs/{name}\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
