"""Write the reference pages that come from the code: docs/cli.md (all commands) and docs/settings.md (all settings).

python docs/generate.py            write them
python docs/generate.py --check    exit with 1 if one is not what the code says
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import click
import tomli_w
from pydantic.fields import FieldInfo

from tgap.cli.main import cli
from tgap.config import EvaluationConfig, RunConfig, Settings, TrainingConfig
from tgap.methods import METHODS, config_for, find_method

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
    """Tables of all settings, from the fields themselves: name, default, bounds, meaning, and what presets change."""
    parts = [
        "# Settings",
        "",
        "Written by `make docs` from the fields of the settings classes. Change one with `--set name=value`; the",
        "section may be left out where the name is unambiguous. A method's preset `recommended` is what is used unless",
        "you say otherwise. Where a preset differs from the defaults of a model, its value stands in the column beside",
        "them; what it changes in training and evaluation stands under the table.",
        "",
    ]
    for name in METHODS:
        method = find_method(name)
        parts += [f"## [model] of {method.title} (`--method {name}`)", "", method.summary, ""]
        presets = {shown_preset(preset): config_for(name, "icews14", preset) for preset in method.presets}
        parts += table("model", method.settings, {title: config.model for title, config in presets.items()})
        parts += around(presets)
        parts += by_task(name)
    for section, owner in (("training", TrainingConfig), ("evaluation", EvaluationConfig)):
        parts += [f"## [{section}]", "", (owner.__doc__ or "").strip(), ""]
        parts += table(section, owner, {})
    return "\n".join(parts)


def shown_preset(preset: str) -> str:
    """A preset's name; the paper's settings depend on the dataset."""
    return preset + (" (icews14)" if preset == "paper" else "")


def around(presets: Mapping[str, RunConfig]) -> list[str]:
    """What presets change in training and evaluation, a line each."""
    lines = []
    for title, config in presets.items():
        changed = [
            f"`{section}.{name}` = {shown(value)}"
            for section, plain in (("training", TrainingConfig()), ("evaluation", EvaluationConfig()))
            for name, value in config.sections[section]
            if value != getattr(plain, name)
        ]
        if changed:
            lines += [f"{title}: {', '.join(changed)}.", ""]
    return lines


def by_task(method: str) -> list[str]:
    """What a task changes in the recommended settings, a line each."""
    plain, lines = config_for(method, "icews14"), []
    for task in find_method(method).tasks:
        changed = plain.changes(config_for(method, "icews14", task=task))
        changed.pop("task", None)
        if changed:
            settings = ", ".join(f"`{name}` = {shown(new)}" for name, (_, new) in changed.items())
            lines += [f"Task {task}: {settings}.", ""]
    return lines


def table(section: str, owner: type[Settings], presets: Mapping[str, Settings]) -> list[str]:
    """Rows of one section, with a column for every preset that changes something in it."""
    plain = owner()
    columns = {title: other for title, other in presets.items() if other != plain}
    rows = [f"| setting | default | {''.join(f'{title} | ' for title in columns)}allowed | meaning |"]
    rows.append("|" + "---|" * (4 + len(columns)))
    for name, field in owner.model_fields.items():
        default = getattr(plain, name)
        changed = "".join(
            f" {'' if getattr(other, name) == default else shown(getattr(other, name))} |" for other in columns.values()
        )
        meaning = (field.description or "").replace("|", chr(92) + "|")
        rows.append(f"| `{section}.{name}` | {shown(default)} |{changed} {allowed(field)} | {meaning} |")
    return [*rows, ""] if owner.model_fields else ["No settings of its own.", ""]


def shown(value: object) -> str:
    """A value as TOML writes it."""
    return tomli_w.dumps({"v": value}).removeprefix("v = ").strip()


def allowed(field: FieldInfo) -> str:
    """Bounds and choices of a field."""
    choices = get_args(field.annotation)
    if choices:
        return ", ".join(map(str, choices))
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    bounds = [
        f"{sign} {getattr(part, key):g}" for part in field.metadata for key, sign in signs.items() if hasattr(part, key)
    ]
    bounds += [f"a multiple of {part.multiple_of}" for part in field.metadata if hasattr(part, "multiple_of")]
    return " and ".join(bounds)


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
