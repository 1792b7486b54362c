"""The command ``tgap``: a group that knows its commands by name and imports one only when it is called.

Some commands are written by hand, in files of this folder; the others are made from the operations
(``tgap.cli.generated``). ``tgap --help`` needs neither torch nor numba nor polars. A ``TgapError`` anywhere below
becomes one line on stderr and exit code 2; any other exception is our own bug and keeps its traceback.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import IO, Any

import click

from tgap import __version__
from tgap.cli.option_names import as_written, option_writer, renamed
from tgap.errors import TgapError
from tgap.waiting import wait_briefly

INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 1  # how click and rich leave when the reader of our output has left; nothing of ours leaves so


# Written by hand: the file in this folder that holds the command under its name, and the line in the list.
COMMANDS: dict[str, str] = {
    "ask": "Answer a question about a table of events, without training.",
    "demo": "See the whole product on a small invented world.",
    "data": "List, show, fetch, import, export and mend datasets.",
    "methods": "List the methods that can be trained and asked.",
    "train": "Train a model on a dataset.",
    "tune": "Search for good settings of a method on a dataset.",
    "compare": "Train and rank many methods on a dataset, in one table.",
    "backtest": "Ask for one window of time after another, knowing only the past.",
    "audit": "Check another program's scores.",
    "complete": "Answer many questions, or all about a relation, to files.",
    "study": "Repeat the paper's interpretation studies, and ours.",
    "serve": "Serve answers and explanations over HTTP.",
    "export": "Write the small form of a run, to ship or to share.",
}
SECTIONS: dict[str, tuple[str, ...]] = {  # of the list in ``--help``; commands that none names come last
    "Start": ("ask", "demo", "data", "methods", "train"),
    "Ask": ("predict", "explain", "why", "what-if", "support", "sweep", "complete", "serve"),
    "Measure": ("evaluate", "compare", "backtest", "calibrate", "audit", "study", "tune", "export"),
    "Look up": ("search", "entity", "facts", "timeline", "examples", "random-question", "card"),
}


class UserError(click.ClickException):
    """A ``TgapError`` as the command line shows it."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message after ``error:``."""
        from tgap.data.display import shown

        lines = "\n".join(map(shown, self.message.split("\n")))
        click.echo(f"error: {lines}", file=file, err=file is None)


class LazyGroup(click.Group):
    """A group whose commands live in files of their own, imported when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Names of all commands, in the order of the list."""
        known = [*COMMANDS, *_operations()]
        listed = [name for names in SECTIONS.values() for name in names if name in known]
        return [*listed, *(name for name in known if name not in listed)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself; this is where its file is imported."""
        if cmd_name in COMMANDS:
            command = getattr(import_module(f"tgap.cli.{cmd_name}"), cmd_name)
            return command if isinstance(command, click.Command) else None
        if cmd_name not in self.list_commands(ctx):
            return None
        from tgap.asking.operations import OPERATIONS
        from tgap.cli.generated import command_of

        return command_of(OPERATIONS.find(_operations()[cmd_name]))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a mistyped one gets the nearest names."""
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            import difflib

            near = difflib.get_close_matches(args[0], known, n=2, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(known)}"
            ctx.fail(f"no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in ``tgap --help``, without importing a command."""
        from tgap.asking.operations import OPERATIONS

        operations, remaining = _operations(), self.list_commands(ctx)
        for title, names in (*SECTIONS.items(), ("More", tuple(remaining))):
            rows = []
            for name in [name for name in names if name in remaining]:
                remaining.remove(name)
                rows.append((name, COMMANDS.get(name) or OPERATIONS.summary(operations[name])))
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the user can mend becomes one line."""
        try:
            return super().invoke(ctx)
        except TgapError as error:
            raise UserError(error.written(option_writer(ctx))) from error
        except click.NoSuchOption as error:
            told = renamed(error)
            if told is None:
                raise
            raise UserError(told) from error


def _operations() -> dict[str, str]:
    """Names of the generated commands, and of their operations."""
    from tgap.asking.operations import OPERATIONS

    return OPERATIONS.commands


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tgap")
def cli() -> None:
    """Answer questions about facts that change over time, and show the walk that led to the answer.

    \b
    Start with one of these:
      tgap demo         the whole road on a small invented world
      tgap data list    the datasets at hand
      tgap explain icews14 "North Korea" Threaten 2014-04-29
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the installed command."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code."""
    wait_briefly()
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that is not UTF-8 shows what it cannot write as \\u...
            stream.reconfigure(errors="backslashreplace")
    try:
        result = cli.main(args=None if arguments is None else list(arguments), prog_name="tgap", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except SystemExit as leaving:
        if leaving.code == PIPE_CLOSED:
            return 0
        raise
    except BrokenPipeError:
        # The reader (head, less) has left. Python would complain again when it closes stdout, so give it another.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,  # noqa: ARG001  the signature that the warnings module calls
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Our own warnings as one line for people; others as Python would print them."""
    if category.__module__.partition(".")[0] == "tgap":
        from tgap.data.display import shown

        said = message.args[0] if isinstance(message, Warning) and message.args else message
        text = as_written(said if isinstance(said, str) else str(message), click.get_current_context(silent=True))
        click.echo(f"warning: {shown(text)}", err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno), err=True, nl=False)


if __name__ == "__main__":
    main()
