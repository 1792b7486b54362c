"""Commands made from operations: arguments, options, help, output and files come from the operation's entry."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import click
from click.core import ParameterSource

from tgap.asking.operation import QUESTION as PARTS
from tgap.asking.operation import FileOutput, Operation, json_text
from tgap.asking.options import Cli, Options
from tgap.cli.option_names import remember

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from tgap.asking.model import Model

QUESTION = "SUBJECT RELATION [OBJECT] TIME"
_RUN = "RUN is a run folder, the name of a pretrained model, or, with --dataset, a method that needs no training or a "
_RUN += "scorer of your own (package.module:Class)."
_ASKS = (
    "Then come the parts of the fact in their order; ? stands where the answer goes, and an OBJECT that is asked for "
)
_ASKS += "may be left out."
_JSON = FileOutput[Any, Any](
    name="json", description="Write the result as JSON", write=lambda found, _, __: json_text(found).encode()
)


class OperationCommand(click.Command):
    """A command of an operation. Messages about its options name them as it writes them."""

    def invoke(self, ctx: click.Context) -> Any:
        """Carry the operation out."""
        names = {name: name.upper() for name in PARTS}
        for one in self.params:
            names[str(one.name)] = one.opts[0] if isinstance(one, click.Option) else str(one.name).upper()
        remember(ctx, names)
        return super().invoke(ctx)


def command_of(operation: Operation[Any, Any]) -> click.Command:
    """The command that carries an operation out."""
    files = (_JSON, *operation.files)

    def run(**values: Any) -> None:
        source = click.get_current_context().get_parameter_source
        fields = operation.options.model_fields
        left_out = {name for name in fields if source(name) is ParameterSource.DEFAULT}
        carry_out(operation, {name: value for name, value in values.items() if name not in left_out}, files)

    parameters: list[click.Parameter] = [click.Argument(["run"])] if operation.on == "model" else []
    parameters += list(_places(operation))
    parameters += [
        _option(name, field)
        for name, field in operation.options.model_fields.items()
        if not _by_place(operation, name, field)
    ]
    parameters += [_file_option(file) for file in files]
    parameters += _model_options() if operation.on == "model" else [_threads()]
    return OperationCommand(
        operation.title,
        callback=run,
        params=parameters,
        help=_help(operation),
        short_help=operation.summary,
    )


def carry_out(operation: Operation[Any, Any], given: dict[str, Any], files: tuple[FileOutput[Any, Any], ...]) -> None:
    """Run an operation as a command line asks for it. Files are written before anything is printed."""
    from tgap.cli.blocks import print_blocks
    from tgap.cli.hooks import hooks_of
    from tgap.cli.output import check_one_stdout, check_target, write_file
    from tgap.cli.terminal import make_console
    from tgap.kernels import set_threads

    targets = {file.name: given.pop(f"{file.name}_file") for file in files}
    check_one_stdout(**targets)
    for file in files:
        check_target(targets[file.name], file.endings)
    own = operation.options.model_fields  # a study of a dataset has options of these names itself
    arguments = {name: given.pop(name, None) for name in ("run", "dataset", "task", "threads") if name not in own}
    values = dict(_values(operation, given, files, targets))
    asked = operation.read((), values)
    set_threads(arguments.get("threads"), whole_process=True)
    with hooks_of(operation) as hooks:
        if operation.on == "model":
            model = _load(arguments)
            operation, asked, files = _possible(operation, model, asked, files, targets)
            found = operation.run(model, asked, **hooks)
        else:
            found = operation.run(asked, **hooks)
    chosen = [(file, target) for file in files if (target := targets[file.name]) is not None]
    chosen.sort(key=lambda pair: pair[1] == "-")  # printed last: the reader of a pipe may leave
    for file, target in chosen:
        ending = Path(target).suffix.removeprefix(".").lower()
        write_file(target, file.write(found, asked, ending))
    if "-" not in targets.values():
        print_blocks(make_console(), operation.text(found, asked))


def _load(arguments: Mapping[str, Any]) -> Model:
    import warnings

    from tgap.asking.load import load_model
    from tgap.data import LeakWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # notes under tables say it about the very queries
        return load_model(arguments["run"], arguments["dataset"], task=arguments["task"])


def _possible(
    operation: Operation[Any, Any],
    model: Model,
    asked: Options,
    files: tuple[FileOutput[Any, Any], ...],
    targets: Mapping[str, str | None],
) -> tuple[Operation[Any, Any], Options, tuple[FileOutput[Any, Any], ...]]:
    """The operation itself, or the one that stands in for it where the method does not walk.

    Nothing stands in for a file, or for printed text, that only a walk has.
    """
    from tgap.asking.operations import OPERATIONS

    wanted = [file.name for file in files if targets[file.name] is not None and file is not _JSON]
    fields = type(asked).model_fields
    wanted += [name for name in asked.model_fields_set if name in fields and _cli(fields[name]).text]
    if model.walks or not operation.instead or wanted:
        return operation, asked, files
    other = OPERATIONS.find(operation.instead)
    shared = asked.model_dump(include=set(other.options.model_fields), exclude_defaults=True)
    return other, other.read((), shared), (_JSON,)


def _values(
    operation: Operation[Any, Any],
    given: Mapping[str, Any],
    files: tuple[FileOutput[Any, Any], ...],
    targets: Mapping[str, str | None],
) -> Iterator[tuple[str, Any]]:
    """Options as the command line gives them; what it leaves out keeps its default, or what a file needs."""
    for file in files:
        if targets[file.name] is not None:
            yield from file.implies.items()
    for name, value in given.items():
        field = operation.options.model_fields.get(name)
        if name == "parts":
            if value or operation.required:
                yield from split_parts(value, given.get("object")).items()
        elif operation.asks and name == "object":
            continue
        elif field is not None and _kind(field.annotation) is bool:
            if value:
                yield name, not (_cli(field).off or field.default is True)
        elif value is not None and value != ():
            yield name, value


def split_parts(parts: tuple[str, ...], object_name: str | None) -> dict[str, str | None]:
    """Subject, relation, object and time from three or four words on the command line."""
    from tgap.errors import QueryError

    if len(parts) not in (3, 4):
        raise QueryError(
            f"a question has three or four parts ({QUESTION}), {len(parts)} were given; quote names that hold spaces"
        )
    if len(parts) == 4 and object_name is not None:
        raise QueryError("the object is given twice, as a part and by --object; leave one out")
    obj = parts[2] if len(parts) == 4 else object_name
    return {"subject": parts[0], "relation": parts[1], "object": obj, "time": parts[-1]}


def _help(operation: Operation[Any, Any]) -> str:
    parts = [operation.summary]
    if operation.on == "model":
        parts.append(f"{_RUN} {_ASKS}" if operation.asks else _RUN)
    parts += [operation.description] if operation.description else []
    if operation.examples:
        parts.append("\b\nExamples:\n" + "\n".join(f"  tgap {example}" for example in operation.examples))
    return "\n\n".join(parts)


def _by_place(operation: Operation[Any, Any], name: str, field: FieldInfo) -> bool:
    if operation.asks and name in PARTS:
        return True
    return name in operation.positional and not _cli(field).option


def _places(operation: Operation[Any, Any]) -> Iterator[click.Parameter]:
    if operation.asks:
        yield click.Argument(["parts"], nargs=-1, metavar=QUESTION if operation.required else f"[{QUESTION}]")
        yield click.Option(
            ["--object"], metavar="NAME", help="The object, where SUBJECT is ? and only three parts follow."
        )
        return
    for place, name in enumerate(operation.positional):
        field = operation.options.model_fields[name]
        if not _cli(field).option:
            yield click.Argument([name], required=place < operation.required, metavar=name.upper())


def flag_of(operation: Operation[Any, Any], name: str) -> str:
    """How the command line writes an option: --past-only, or SUBJECT for what stands by its place."""
    field = operation.options.model_fields[name]
    return name.upper() if _by_place(operation, name, field) else _flag(name, field)


def _flag(name: str, field: FieldInfo) -> str:
    cli, plain = _cli(field), name.replace("_", "-")
    turned_off = _kind(field.annotation) is bool and field.default is True and not cli.off
    return cli.flag or (f"--no-{plain}" if turned_off else f"--{plain}")


def _option(name: str, field: FieldInfo) -> click.Option:
    """The command line's option for a field."""
    cli, kind, flag = _cli(field), _kind(field.annotation), _flag(name, field)
    words = f"{field.description}." if field.description else ""
    if kind is bool:
        if field.default is True and not cli.off:
            words = f"Turn off: {words[0].lower()}{words[1:]}"
        return click.Option([flag, name], is_flag=True, help=cli.help or words)
    more: dict[str, Any] = {"help": words, "required": field.is_required()}
    if kind is tuple:
        return click.Option([flag, name], multiple=True, metavar=cli.metavar or "NAME", **_items(field), **more)
    shown = not field.is_required() and field.default is not None
    if shown:
        more |= {"default": field.default, "show_default": True}
    return click.Option([flag, name], type=_type(field, kind), metavar=cli.metavar or _metavar(kind), **more)


def _file_option(file: FileOutput[Any, Any]) -> click.Option:
    ways = f"({', '.join(f'.{ending}' for ending in file.endings)})" if file.endings else "; - prints it"
    words = f"{file.description.rstrip('.')} {ways}." if file.endings else f"{file.description.rstrip('.')}{ways}."
    return click.Option([f"--{file.name}", f"{file.name}_file"], metavar="FILE", help=words)


def _threads() -> click.Option:
    return click.Option(
        ["--threads"], type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]"
    )


def _model_options() -> list[click.Parameter]:
    """What every command takes that asks a model."""
    words = "Dataset for what is no run, or another one than the run learned from, whose relations have the same names."
    return [
        click.Option(["--dataset"], metavar="NAME", help=words),
        click.Option(
            ["--task"], metavar="NAME", help="What a method without training is asked for: completion, forecast."
        ),
        _threads(),
    ]


def _cli(field: FieldInfo) -> Cli:
    return next((one for one in field.metadata if isinstance(one, Cli)), Cli())


def _kind(annotation: Any) -> Any:
    """bool, int, float, tuple, ``Literal`` or str: what a value of this annotation is on the command line."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        kinds = [_kind(part) for part in get_args(annotation) if part is not type(None)]
        return kinds[0] if len(set(kinds)) == 1 else str
    if get_origin(annotation) is Literal:
        return Literal
    if get_origin(annotation) in (tuple, list):
        return tuple
    return annotation if annotation in (bool, int, float, Path) else str


def _type(field: FieldInfo, kind: Any) -> Any:
    if kind is Literal:
        return click.Choice(_choices(field.annotation))
    if kind in (int, float):
        bounds = {
            key: getattr(part, key) for part in field.metadata for key in ("ge", "le", "gt", "lt") if hasattr(part, key)
        }
        bounded = click.IntRange if kind is int else click.FloatRange
        low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
        return bounded(low, high, min_open="gt" in bounds, max_open="lt" in bounds)
    return click.Path(path_type=Path) if kind is Path else str


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [choice for part in get_args(annotation) if part is not type(None) for choice in _choices(part)]


def _items(field: FieldInfo) -> dict[str, Any]:
    """How one entry of a list is given: four words for a fact, else one."""
    (entry, *_) = get_args(field.annotation)
    entry = get_args(entry)[0] if get_origin(entry) is Annotated else entry
    if get_origin(entry) is tuple:
        return {"nargs": len(get_args(entry))}
    return {"type": click.Choice(list(get_args(entry)))} if get_origin(entry) is Literal else {}


def _metavar(kind: Any) -> str | None:
    return {int: "N", float: "N", str: "TEXT", Path: "FILE"}.get(kind)
