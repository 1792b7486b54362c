"""An operation: something that a model can be asked, as a value.

One file in ``asking/operations`` holds options, what is computed, what it gives and how that is printed. The command
line, the REST route with its schema, the Python method and the reference pages are generated from the entry.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from tgap.asking.options import Options, QuestionOptions, read_options
from tgap.errors import QueryError
from tgap.text import Block

if TYPE_CHECKING:
    from tgap.asking.model import Model

Asked = TypeVar("Asked", bound=Options)
Result = TypeVar("Result")
Progress = Callable[[int, int], None]  # is told how many of how many are done
QUESTION = ("subject", "relation", "object", "time")
_HOOKS = {
    "progress": "Called with how many are done, and of how many",
    "watch": "Makes what watches a plan of trainings, as a context manager; default: nothing is shown",
    "interruption": "An ``Interruption`` through which the work is asked to stop, with everything saved",
}
Entries = Sequence[tuple[int, Callable[[], dict[str, Any]]]]


@dataclass(frozen=True, kw_only=True)
class FileOutput(Generic[Asked, Result]):
    """A file that the command line can write of a result: ``--html FILE``."""

    name: str
    description: str
    write: Callable[[Result, Asked, str], bytes]  # result, options, ending of the file's name
    endings: tuple[str, ...] = ()  # allowed endings; empty: it is text, and - prints it
    media: str = ""  # media type, where REST offers the file, too
    implies: Mapping[str, Any] = field(default_factory=dict)  # options that it needs, unless they are given


@dataclass(frozen=True, kw_only=True)
class Web:
    """How the REST API offers an operation."""

    path: str = ""  # default: the operation's name
    method: Literal["GET", "POST"] = "POST"
    patient: bool = False  # gives way to requests that somebody waits for
    media: Literal["application/json", "application/x-ndjson"] = "application/json"
    at_once: bool = False  # reads what is stored: needs no turn of the computing thread
    options: type[Options] | None = None  # what a request gives, where that is narrower than the operation's options


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[Asked, Result]):
    """Something that can be asked."""

    name: str  # in Python; the command line and REST write - for _
    summary: str  # one sentence
    options: type[Asked]
    run: Callable[..., Result]  # (model, options) or (options), and what ``hooks`` names
    reply: str  # type of the JSON document, as package.module:Type
    text: Callable[[Result, Asked], Iterable[Block]]
    description: str = ""  # paragraphs for the help page
    examples: tuple[str, ...] = ()  # command lines without the program's name
    positional: tuple[str, ...] = ()  # options that Python and the command line take by their place
    required: int = 0  # how many of those must be given
    files: tuple[FileOutput[Asked, Result], ...] = ()
    on: Literal["model", "nothing"] = "model"  # what ``run`` takes before the options
    web: Web | None = None  # None: not offered over REST
    entries: Callable[[Model, Asked], Entries] | None = None  # parts of the reply, each sent as a line when it is done
    entry: str = ""  # type of such a line, as package.module:Type
    command: bool = True  # offered on the command line
    long: bool = False  # takes minutes: shows progress
    trains: bool = False  # trains models: can be watched, interrupted, and called again to go on
    instead: str = ""  # operation that the command line carries out for a method without walks

    @property
    def title(self) -> str:
        """The name as the command line and REST write it."""
        return self.name.replace("_", "-")

    @property
    def asks(self) -> bool:
        """Whether it is about one question."""
        return issubclass(self.options, QuestionOptions)

    @property
    def hooks(self) -> tuple[str, ...]:
        """Arguments of ``run`` that are no options: they tell how far the work is, or end it."""
        return (*(("progress",) if self.long else ()), *(("watch", "interruption") if self.trains else ()))

    @property
    def document(self) -> Any:
        """The type of the JSON document."""
        return _imported(self.reply)

    @property
    def line(self) -> Any:
        """The type of one line, where the reply is sent line by line."""
        return _imported(self.entry)

    def read(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> Asked:
        """Options from the arguments of a Python call. A ``Question`` may stand for its parts."""
        from tgap.asking.question import Question  # noqa: PLC0415  the command line's help does without it

        places = QUESTION if self.asks else self.positional
        if arguments and isinstance(arguments[0], Question):
            question, rest = arguments[0], arguments[1:]
            if rest:
                raise QueryError(
                    f"{rest[0]!r} stands after a question that is complete; name the option that it is for"
                )
            options = read_options(self.options, {**question.parts, **named})
            assert isinstance(options, QuestionOptions), "an operation that asks"
            changed = {"answer", "as_of", "past_only", "window"} & named.keys()
            return options if changed else options.with_question(question)
        if len(arguments) > len(places):
            raise QueryError(
                f"{self.name} takes {', '.join(places) or 'no arguments'} by place; {arguments[-1]!r} is too many"
            )
        given = dict(zip(places, arguments, strict=False))
        twice = sorted(given.keys() & named.keys())
        if twice:
            raise QueryError(f"{twice[0]} is given twice, by place and by name; leave one out")
        return read_options(self.options, {**given, **named})

    def signature(self) -> inspect.Signature:
        """The Python signature: positional options, then the others by name."""
        places = QUESTION if self.asks else self.positional
        kinds = inspect.Parameter
        parameters = []
        fields = self.options.model_fields
        for name in (*places, *(name for name in fields if name not in places)):
            kind = kinds.POSITIONAL_OR_KEYWORD if name in places else kinds.KEYWORD_ONLY
            default = kinds.empty if fields[name].is_required() else fields[name].default
            parameters.append(kinds(name, kind, default=default, annotation=fields[name].annotation))
        later = [
            one for one in parameters if one.default is not kinds.empty and one.kind is kinds.POSITIONAL_OR_KEYWORD
        ]
        if later:  # what follows an optional argument must be optional, too: (subject, relation, object=None, time)
            first = parameters.index(later[0])
            parameters = [
                one.replace(default=None)
                if place > first and one.kind is kinds.POSITIONAL_OR_KEYWORD and one.default is kinds.empty
                else one
                for place, one in enumerate(parameters)
            ]
        hooks = [kinds(name, kinds.KEYWORD_ONLY, default=None) for name in self.hooks]
        return inspect.Signature([*parameters, *hooks])

    def documentation(self) -> str:
        """The docstring of the Python method."""
        lines = [self.summary, "", *([self.description, ""] if self.description else [])]
        lines += [
            f"{name}: {field.description}" for name, field in self.options.model_fields.items() if field.description
        ]
        lines += [f"{name}: {_HOOKS[name]}" for name in self.hooks]
        return "\n".join(lines)


def _imported(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def document_of(result: Any) -> dict[str, Any]:
    """The JSON document of a result."""
    found: dict[str, Any] = result.to_dict()
    return found


def json_text(result: Any) -> str:
    """The JSON document as text."""
    return json.dumps(document_of(result), indent=2, ensure_ascii=False) + "\n"


class OperationFolder:
    """The operations of a package, one file each. A file is found by its name; nothing lists it.

    Its first line is the summary, so that a list of all operations imports none of them.
    """

    def __init__(self, package: str, folder: Path, ending: str = "") -> None:
        self._package = package
        self._folder = folder
        self._ending = ending  # what follows the name of the operation in the name of the file

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all operations."""
        files = sorted(self._folder.glob(f"[a-z]*{self._ending}.py"))
        return tuple(file.stem.removesuffix(self._ending) for file in files)

    def summary(self, name: str) -> str:
        """One sentence about an operation."""
        return (ast.get_docstring(self._source(name)) or "").partition("\n")[0]

    @cached_property
    def commands(self) -> dict[str, str]:
        """Names of those that the command line offers, as it writes them, with the operation's name."""
        offered = [
            name
            for name in self.names
            if not any(
                isinstance(node, ast.keyword) and node.arg == "command" and ast.unparse(node.value) == "False"
                for node in ast.walk(self._source(name))
            )
        ]
        return {name.replace("_", "-"): name for name in offered}

    def _source(self, name: str) -> ast.Module:
        return ast.parse((self._folder / f"{name}{self._ending}.py").read_text(encoding="utf-8"))

    def find(self, name: str) -> Operation[Any, Any]:
        """The operation of that name."""
        found = import_module(f"{self._package}.{name}{self._ending}").OPERATION
        assert isinstance(found, Operation), f"{name} is an operation"
        return found

    def __iter__(self) -> Iterator[Operation[Any, Any]]:
        return map(self.find, self.names)


class OperationMethod(Generic[Result]):
    """An operation as a method of ``Model``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, model: Model | None, owner: type[Model]) -> BoundOperation[Result]:
        from tgap.asking.operations import OPERATIONS  # noqa: PLC0415  files of operations are read when used

        return BoundOperation(OPERATIONS.find(self._name), model)


class BoundOperation(Generic[Result]):
    """An operation of one model: call it with the parts of a question, or a ``Question``, and options by name."""

    def __init__(self, operation: Operation[Any, Result], model: Model | None) -> None:
        self._operation = operation
        self._model = model
        self.__name__ = operation.name
        self.__doc__ = operation.documentation()
        self.__signature__ = operation.signature()

    def __call__(self, *arguments: Any, **options: Any) -> Result:
        """Carry the operation out."""
        assert self._model is not None, f"{self.__name__} is a method of a model"
        hooks = {name: options.pop(name, None) for name in self._operation.hooks}
        return self._operation.run(self._model, self._operation.read(arguments, options), **hooks)

    def __repr__(self) -> str:
        return f"<operation {self.__name__}{self.__signature__}>"


class OperationFunction(Generic[Result]):
    """An operation as a function, whose first argument is the model where it is about one."""

    def __init__(self, operation: Operation[Any, Result]) -> None:
        self._operation = operation
        self.__name__ = operation.name
        self.__doc__ = operation.documentation()
        asked = operation.signature()
        model = inspect.Parameter("model", inspect.Parameter.POSITIONAL_ONLY)
        first = [model] if operation.on == "model" else []
        self.__signature__ = asked.replace(parameters=[*first, *asked.parameters.values()])

    def __call__(self, *arguments: Any, **options: Any) -> Result:
        """Carry the operation out."""
        from tgap.asking.model import Model  # noqa: PLC0415  it imports this module

        operation = self._operation
        if operation.on == "nothing":
            hooks = {name: options.pop(name, None) for name in operation.hooks}
            return operation.run(operation.read(arguments, options), **hooks)
        if not arguments or not isinstance(arguments[0], Model):
            given = repr(arguments[0]) if arguments else "nothing"
            raise QueryError(f"{operation.name} is asked of a model, and {given} was given first; see tgap.load")
        return BoundOperation(operation, arguments[0])(*arguments[1:], **options)

    def __repr__(self) -> str:
        return f"<operation {self.__name__}{self.__signature__}>"
