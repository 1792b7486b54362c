"""tgap calibrate: how often answers of a probability are right, measured on validation and kept in the run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from tgap.cli.explain import check_format, file_format, write_bytes
from tgap.cli.output import simple_table, write_output
from tgap.cli.progress import progress_bars

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.evaluation.calibration import Calibration
    from tgap.evaluation.reliability import Reliability


@click.command("calibrate")
@click.argument("run")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Ask only a random sample of N questions.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Seed of that sample."
)
@click.option("--test", is_flag=True, help="Also judge the calibrated probabilities by the test split.")
@click.option("--figure", "figure_file", metavar="FILE", help="Draw the reliability curve (.png, .svg or .pdf).")
@click.option("--json", "json_file", metavar="FILE", help="Write every number as JSON; - prints it and nothing else.")
def calibrate(
    run: str, limit: int | None, seed: int, test: bool, figure_file: str | None, json_file: str | None
) -> None:
    """Measure how often answers given a probability are right, and keep it in the run folder.

    RUN is a run folder or the name of a pretrained model. Every answer of at least 1 % to the questions of the
    validation split counts, but for those that another split holds. A rising curve through them gives calibrated
    probabilities; tgap predict, tgap explain and the server then say beside an answer how far its probability can be
    trusted. The order of answers does not change.

    \b
    Example:
      tgap calibrate icews14 --test
    """
    from dataclasses import asdict

    from tgap.cli.terminal import make_console
    from tgap.evaluation.calibration import calibrate as measure
    from tgap.evaluation.calibration import collect, judge
    from tgap.runs import find_run, load_scorer

    check_format(figure_file, ("png", "svg", "pdf"))
    loaded = load_scorer(run)
    with progress_bars() as track:
        found = measure(loaded.scorer, loaded.dataset, limit=limit, seed=seed, progress=track("validation"))
        parts = {}
        if test:
            answers = collect(loaded.scorer, loaded.dataset, "test", limit=limit, seed=seed, progress=track("test"))
            parts = {"test": judge(found, answers)}
    find_run(run).write_calibration(found)
    if json_file != "-":
        console = make_console()
        print_calibration(console, found)
        for name, (raw, calibrated) in parts.items():
            _print_errors(console, name, raw, calibrated)
        console.print(f"kept in {find_run(run).calibration_file}")
    if figure_file is not None:
        from tgap.drawing.calibration_figure import calibration_figure
        from tgap.drawing.rendering import render

        title = f"{loaded.dataset.name}: {found.answers:,} answers ({found.split})"
        write_bytes(figure_file, render(calibration_figure(title, found), file_format(figure_file)))
    checked = {name: {"raw": asdict(raw), "calibrated": asdict(fitted)} for name, (raw, fitted) in parts.items()}
    write_output(json_file, json.dumps({**found.to_dict(), **checked}, indent=2) + "\n")


def print_calibration(console: Console, found: Calibration) -> None:
    """Reliability as a table, then the errors."""
    from tgap.explain.wording import percent

    console.print(f"{found.answers:,} answers to {found.questions:,} questions ({found.split})", style="bold")
    table = simple_table(
        ("given", "right"), ("answers", "right"), ("mean", "right"), ("right", "right"), ("calibrated", "right")
    )
    for entry in found.raw.bins:
        given = f"{100 * entry.low:g} to {100 * entry.high:g} %"
        shares = (percent(entry.mean), percent(entry.right), percent(found(entry.mean)))
        table.add_row(given, f"{entry.answers:,}", *shares)
    console.print(table)
    _print_errors(console, found.split, found.raw, found.calibrated)


def _print_errors(console: Console, split: str, raw: Reliability, calibrated: Reliability) -> None:
    console.print(
        f"{split}: expected calibration error {100 * raw.error:.2f} % raw, {100 * calibrated.error:.2f} % calibrated; "
        f"of first answers alone {100 * raw.first_error:.2f} % and {100 * calibrated.first_error:.2f} %"
    )
