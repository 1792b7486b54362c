"""tgap demo: the whole product on the embedded world, as the commands that one would type oneself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.output import command

if TYPE_CHECKING:
    from tgap.asking.model import Model
    from tgap.data import Dataset, Fact

_Named = tuple[str, str, str, str]  # a fact: subject, relation, object, time

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
    from tgap.asking.load import load_model
    from tgap.data import load_dataset

    run, report = out / "run", out / "report.html"
    if not (run / "weights.safetensors").exists() or not _finished(run):
        resume = ["--resume", str(run)] if (run / "config.toml").exists() else None
        settings = [part for setting in _SETTINGS for part in ("--set", setting)]
        _tgap("train", *(resume or ["--dataset", "world", "--out", str(run), *settings]))
    _tgap("evaluate", str(run))
    model = load_model(run)
    fact, causes = _telling_fact(model, load_dataset("world"))
    subject, relation, answer, time = fact
    _tgap("explain", str(run), subject, relation, time, "--html", str(report))
    click.echo(f"\nThe world's own records say: {answer}. They name as the cause:")
    found = _strongest(model, fact)
    for cause in causes:
        click.echo(f"  {', '.join(cause)}  ({'among' if cause in found else 'not among'} the strongest edges above)")
    click.echo(f"\nReport with the picture of the walk: {report.resolve()}")
    click.echo(f"Ask more:   {command('predict', run, subject, relation, time)}")
    click.echo(f"Explore:    {command('serve', run)}   then open http://127.0.0.1:8080")
    click.echo(f"Your data:  {command('data', 'import', '--help')}")


def _finished(run: Path) -> bool:
    """Did training come to its end, or was it stopped on the way?"""
    from tgap.runs import find_run

    return bool(find_run(run).report().get("status") == "finished")


def _tgap(*arguments: str) -> None:
    """Show a command and run it in this process."""
    from tgap.cli.main import cli

    click.echo(f"\n$ {command(*arguments)}")
    cli.main(list(arguments), standalone_mode=False)


def _telling_fact(model: Model, world: Dataset) -> tuple[_Named, list[_Named]]:
    """A test fact that a rule of the world made, and its causes: preferably one that the model gets right for them."""
    best: tuple[int, _Named, list[_Named]] | None = None
    for index, cause in list(world.causes.items())[:_LOOK_AT]:
        fact, causes = _names(world, world.test[index]), [_names(world, part) for part in cause.facts]
        right = model.predict(fact[0], fact[1], None, fact[3], top=1).answers[0].name == fact[2]
        merit = right + (right and not _strongest(model, fact).isdisjoint(causes))
        if best is None or merit > best[0]:
            best = (merit, fact, causes)
        if merit == 2:  # right, and for its cause
            break
    assert best is not None, "the world has test facts with causes"
    return best[1], best[2]


def _strongest(model: Model, fact: _Named) -> set[_Named]:
    """The stored facts behind the strongest edges of each step of the walk to a fact's object."""
    walk = model.explain(*fact)
    return {edge.fact for step in walk.document.steps for edge in step.edges}


def _names(world: Dataset, fact: Fact) -> _Named:
    """A fact by name."""
    subject, obj = world.entities.name(fact.subject), world.entities.name(fact.object)
    return subject, world.relations.name(fact.relation), obj, world.timeline.format(fact.time)
