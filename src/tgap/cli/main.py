"""The command ``tgap``: a group that knows its commands by name and imports one only when it is called.

So ``tgap --help`` needs neither torch nor numba nor polars. A ``TgapError`` anywhere below becomes one line on stderr
and exit code 2; any other exception is our own bug and keeps its traceback.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple

import click

from tgap import __version__
from tgap.cli.flags import as_flags
from tgap.errors import TgapError
from tgap.waiting import wait_briefly

INTERRUPTED = 130  # 128 + SIGINT, as shells count
PIPE_CLOSED = 1  # how click and rich leave when the reader of our output has left; nothing of ours leaves so


class Entry(NamedTuple):
    """A command before it is imported: the file in this folder that holds it under its name, and its help line."""

    module: str
    summary: str


# The whole command line. A command is listed once its file exists.
COMMANDS: dict[str, Entry] = {
    "demo": Entry("demo", "See the whole product on a small invented world."),
    "data": Entry("data", "List, show, fetch, import, export and mend datasets."),
    "methods": Entry("methods", "List the methods that can be trained and asked."),
    "train": Entry("train", "Train a model on a dataset."),
    "tune": Entry("tune", "Search for good settings of a method on a dataset."),
    "compare": Entry("compare", "Train and rank many methods on a dataset, in one table."),
    "evaluate": Entry("evaluate", "Measure how well a trained model ranks the true answers."),
    "backtest": Entry("backtest", "Ask for one window of time after another, knowing only the past."),
    "calibrate": Entry("calibrate", "Measure how far the probabilities of a model can be trusted."),
    "audit": Entry("audit", "Check another program's scores."),
    "predict": Entry("predict", "Answer a question about the facts at a time."),
    "complete": Entry("complete", "Answer many questions, or all about a relation, to Parquet."),
    "explain": Entry("explain", "Say why an answer has its probability."),
    "study": Entry("study", "Repeat the paper's interpretation studies."),
    "serve": Entry("serve", "Serve answers and explanations over HTTP."),
    "export": Entry("export", "Write the small form of a run, to ship or to share."),
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
        """Names of the commands that exist, in the order of the table."""
        folder = Path(__file__).parent
        return [name for name, entry in COMMANDS.items() if (folder / f"{entry.module}.py").is_file()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself; this is where its file is imported."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = getattr(import_module(f"tgap.cli.{COMMANDS[cmd_name].module}"), cmd_name)
        return command if isinstance(command, click.Command) else None

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
        """The list in ``tgap --help``, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].summary) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what the user can mend becomes one line."""
        try:
            return super().invoke(ctx)
        except TgapError as error:
            raise UserError(as_flags(str(error))) from error


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

        click.echo(f"warning: {shown(as_flags(str(message)))}", err=True)
    else:
        click.echo(warnings.formatwarning(message, category, filename, lineno), err=True, nl=False)


if __name__ == "__main__":
    main()
