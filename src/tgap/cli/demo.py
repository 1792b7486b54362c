"""tgap demo: the whole product on the embedded world, as the commands that one would type oneself."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tgap.data import Dataset
    from tgap.predict import Predictor

_SETTINGS = ("training.epochs=2", "training.validate_every=1", "training.validation_queries=500")
_LOOK_AT = 30  # test facts among which the demo looks for one to ask about


@click.command("demo")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    show_default=True,
    metavar="FOLDER",
    help="Folder for the run and the report.",
)
def demo(out: Path) -> None:
    """Train on the embedded world, evaluate, and answer one question with its reasons.

    Shows the commands it runs. A second call finds the trained run and goes straight to the answers.
    """
    from tgap.data import load_dataset
    from tgap.predict import Predictor

    run, report = out / "run", out / "report.html"
    if not (run / "weights.safetensors").exists() or not _finished(run):
        resume = ["--resume", str(run)] if (run / "config.toml").exists() else None
        settings = [part for setting in _SETTINGS for part in ("--set", setting)]
        _tgap("train", *(resume or ["--dataset", "world", "--out", str(run), *settings]))
    _tgap("evaluate", str(run))
    subject, relation, answer, time = _question(Predictor.from_run(run), load_dataset("world"))
    _tgap("explain", str(run), subject, relation, time, "--html", str(report))
    click.echo(f"\nThe world's own records say: {answer}.")
    click.echo(f"Report with the picture of the walk: {report.resolve()}")
    click.echo(f"Ask more:   tgap predict {run} {shlex.quote(subject)} {shlex.quote(relation)} {time}")
    click.echo(f"Explore:    tgap serve {run}   then open http://127.0.0.1:8080")


def _finished(run: Path) -> bool:
    """Did training come to its end, or was it stopped on the way?"""
    from tgap.runs import find_run

    return bool(find_run(run).report().get("status") == "finished")


def _tgap(*arguments: str) -> None:
    """Show a command and run it in this process."""
    from tgap.cli.main import cli

    click.echo(f"\n$ tgap {shlex.join(arguments)}")
    cli.main(list(arguments), standalone_mode=False)


def _question(predictor: Predictor, world: Dataset) -> tuple[str, str, str, str]:
    """A test fact with a planted cause, preferably one that the model gets right: subject, relation, object, time."""
    facts, first = world.test, None
    for index in list(world.causes)[:_LOOK_AT]:
        names = (
            world.entities.name(int(facts.subject[index])),
            world.relations.name(int(facts.relation[index])),
            world.entities.name(int(facts.object[index])),
            world.timeline.format(int(facts.time[index])),
        )
        first = first or names
        if predictor.predict(names[0], names[1], None, names[3], top=1).answers[0].name == names[2]:
            return names
    assert first is not None, "the world has test facts with causes"
    return first
