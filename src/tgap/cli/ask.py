"""tgap ask: a question about a table of events, answered at once."""

from __future__ import annotations

import click

from tgap.cli.generated import QUESTION, split_parts


@click.command("ask")
@click.argument("source")
@click.argument("parts", nargs=-1, metavar=QUESTION)
@click.option(
    "--object", "object_name", metavar="NAME", help="The object, where SUBJECT is ? and only three parts follow."
)
@click.option("--answer", metavar="NAME", help="The answer to explain. [default: the best one, or OBJECT]")
@click.option("--top", type=click.IntRange(min=1), metavar="N", default=5, show_default=True, help="Answers to list.")
@click.option(
    "--task",
    type=click.Choice(["completion", "forecast"]),
    default="completion",
    show_default=True,
    help="forecast: see only what lies strictly before the question.",
)
@click.option("--no-check", is_flag=True, help="Do not measure how often it is right on facts of the table itself.")
@click.option("--json", "json_file", metavar="FILE", help="Write the result as JSON; - prints it.")
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="Processor threads. [default: all cores]")
def ask(
    source: str,
    parts: tuple[str, ...],
    object_name: str | None,
    answer: str | None,
    top: int,
    task: str,
    no_check: bool,
    json_file: str | None,
    threads: int | None,
) -> None:
    """Answer a question about a table of events, with the reason, without training.

    SOURCE is a table (CSV, TSV, Parquet, JSON lines, .xlsx ...; - reads standard input), a folder of tables, or the
    name of a dataset. Its columns say who did what to whom and when. Then come the parts of the fact in their order; ?
    stands where the answer goes, and an OBJECT that is asked for may be left out. Nothing is written.

    \b
    Examples:
      tgap ask events.csv "Ann Lee" calls 2024-05-01
      tgap ask events.csv "?" calls "Ann Lee" 2024-05-01 --task forecast
      tgap ask icews14 "North Korea" Threaten 2014-04-29
    """
    from tgap.asking.tables import ask as ask_table
    from tgap.cli.blocks import print_blocks
    from tgap.cli.output import check_target, write_file
    from tgap.cli.terminal import make_console
    from tgap.kernels import set_threads

    check_target(json_file)
    question = split_parts(parts, object_name)
    set_threads(threads, whole_process=True)
    found = ask_table(
        source,
        question["subject"],
        str(question["relation"]),
        question["object"],
        question["time"],
        task=task,
        answer=answer,
        top=top,
        check=not no_check,
    )
    if json_file is not None:
        write_file(json_file, (found.to_json() + "\n").encode())
    if json_file != "-":
        print_blocks(make_console(), found.text())
