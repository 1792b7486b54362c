"""Write the reference pages that come from the code.

docs/cli.md has all commands, docs/operations.md all that a model can be asked, docs/settings.md all settings.

python docs/generate.py            write them
python docs/generate.py --check    exit with 1 if one is not what the code says
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import click
import tomli_w
from pydantic.fields import FieldInfo
from pydantic.json_schema import models_json_schema

from tgap.asking.operation import Operation
from tgap.asking.operations import OPERATIONS
from tgap.asking.operations.bulk import BulkQuestion
from tgap.asking.options import Cli
from tgap.cli.generated import flag_of
from tgap.cli.main import cli
from tgap.config import EvaluationConfig, RunConfig, Settings, TrainingConfig
from tgap.methods import METHODS, config_for, find_method
from tgap.studies import STUDIES

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


def operations() -> str:
    """Everything that a model can be asked: the Python method, the command, the REST path and the options."""
    parts = [
        "# Operations",
        "",
        "Written by `make docs` from the entries in `tgap.asking.operations`. Each is a method of `tgap.Model`. Most",
        "are commands ([command line](cli.md)) and REST routes ([server](server.md)), too. They take the same options",
        "and give the same document: `model.NAME(...).to_dict()` in Python, `--json` on the command line, the reply",
        'over REST. Three or four parts of a fact ask a question; `"?"` or null stands where the answer goes, and in',
        "Python a `model.question(...)` may stand for the parts.",
        "",
    ]
    for operation in OPERATIONS:
        parts += described(operation, f"model.{operation.name}", f"tgap {operation.title}")
    parts += ["# Studies", "", "Functions of `tgap.studies`, and commands (`tgap study`). They take minutes.", ""]
    for study in STUDIES:
        parts += described(study, f"tgap.studies.{study.name}", f"tgap study {study.title}")
    return "\n".join(parts)


def described(operation: Operation[Any, Any], called: str, command: str) -> list[str]:
    """The section of one operation."""
    kinds = [(kind, "validation") for kind in (operation.options, BulkQuestion)]
    _, schemas = models_json_schema(kinds, ref_template="#/components/schemas/{model}")
    properties = schemas["$defs"][operation.options.__name__].get("properties", {})
    description = [operation.description, ""] if operation.description else []
    lines = [*ways(operation, called, command), "", *option_table(operation, properties)]
    return [f"## {operation.name}", "", operation.summary, "", *description, *lines]


def ways(operation: Operation[Any, Any], called: str, command: str) -> Iterator[str]:
    """How an operation is called in Python, on the command line and over REST, and what it gives."""
    names = ["model"] if operation.on == "model" and not called.startswith("model.") else []
    names += [
        name if one.default is inspect.Parameter.empty else f"{name}={one.default!r}"
        for name, one in operation.signature().parameters.items()
        if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    by_name = any(one.kind is inspect.Parameter.KEYWORD_ONLY for one in operation.signature().parameters.values())
    yield f"- Python: `{called}({', '.join([*names, *(['...'] if by_name else [])])})`"
    if operation.command:
        yield f"- Command: `{command}`"
    if operation.web is not None:
        lines = ", one line of JSON per entry" if operation.web.media.endswith("ndjson") else ""
        yield f"- REST: `{operation.web.method} /api/v1/{operation.web.path or operation.title}`{lines}"
    yield f"- Document: `{operation.reply.partition(':')[2]}`"
    if operation.command and operation.files:
        files = ", ".join(f"`--{file.name}` ({file.description.rstrip('.')})" for file in operation.files)
        yield f"- Files of the command: {files}"


def option_table(operation: Operation[Any, Any], properties: Mapping[str, Any]) -> list[str]:
    """Every option with its default, its bounds and how the command line writes it."""
    fields = operation.options.model_fields
    if not fields:
        return ["No options.", ""]
    rows = ["| option | default | allowed | command line | meaning |", "|---|---|---|---|---|"]
    for name, field in fields.items():
        default = "required" if field.is_required() else json.dumps(field.get_default(call_default_factory=True))
        flag = f"`{flag_of(operation, name)}`" if operation.command else ""
        meaning = (field.description or "").replace("|", chr(92) + "|")
        printed = " (printed text only)" if any(isinstance(one, Cli) and one.text for one in field.metadata) else ""
        rows.append(f"| `{name}` | {default} | {permitted(properties[name])} | {flag} | {meaning}{printed} |")
    return [*rows, ""]


def permitted(schema: Mapping[str, Any]) -> str:
    """Type, choices and bounds of an option, from its JSON schema."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(permitted(part) for part in schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if "prefixItems" in schema:
        return "subject, relation, object, time"
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    kind = str(schema["type"])
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems", "any number")
        return f"{least} to {most} of: {permitted(schema['items'])}"
    if kind == "string":
        return (
            f"text of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
            if "maxLength" in schema
            else "text"
        )
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    bounds = [f"{sign} {schema[key]:,}" for key, sign in signs.items() if key in schema]
    return " ".join([kind, " and ".join(bounds)]).strip()


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


PAGES = {"cli.md": commands, "operations.md": operations, "settings.md": settings}


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
