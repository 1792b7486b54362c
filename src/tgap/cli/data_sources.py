"""``tgap data download`` and ``tgap data make-world``: datasets that need no files of your own."""

from __future__ import annotations

import click

from tgap.cli.output import command


@click.command("download")
@click.argument("name")
@click.option("--mirror", metavar="URL", help="Fetch from here instead of the public home (else TGAP_MIRROR, if set).")
def download_command(name: str, mirror: str | None) -> None:
    """Fetch public dataset NAME; `tgap data list` has the names.

    Every file is verified by its hash and appears only when it is whole. If the connection breaks, the same command
    goes on where it stopped. Variants (icews14-unseen, wikidata11k-clean) are made from the files of their parent.
    """
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from tgap.cli.terminal import make_console
    from tgap.data import CATALOG
    from tgap.data.download import download_dataset, public_names
    from tgap.data.entries import source_of
    from tgap.errors import DownloadError

    if name not in CATALOG:
        raise DownloadError(f"unknown public dataset {name!r}; expected one of {', '.join(public_names())}")
    if CATALOG[name].make is not None:
        raise DownloadError(f"{name!r} needs no download; `tgap data make-world` writes it to a folder if you want one")
    source = source_of(name).name
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = make_console(stderr=True)
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bars:
        tasks = {}

        def progress(file: str, done: int, total: int | None) -> None:
            if file not in tasks:
                tasks[file] = bars.add_task(f"{source}/{file}", total=total)
            bars.update(tasks[file], completed=done, total=total)

        folder = download_dataset(source, mirror=mirror, progress=progress)
    fetched = f"{len(tasks)} file{'s' if len(tasks) != 1 else ''} fetched and verified" if tasks else "already there"
    click.echo(f"{source}: {fetched}, in {folder}")
    click.echo(f"Look at it with: {command('data', 'show', name)}")


@click.command("make-world")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Another seed, another world."
)
@click.option("--out", metavar="NAME", help="Name (or folder with '/') to store it under.  [default: world-SEED]")
@click.option("--replace", is_flag=True, help="Overwrite a stored dataset of that name.")
def make_world_command(seed: int, out: str | None, replace: bool) -> None:
    """Make the synthetic world and store it as a dataset.

    About 150 countries, people and organisations and 6,000 facts over two years, which follow planted rules: a
    criticism is answered within days, a deputy takes over when an office ends, a prize goes each year to whom the last
    winner recommended, a visit is returned within a fortnight, studies end in a membership. The causes of test facts
    are kept with it. The world of seed 0 is also there without this command, as dataset 'world'.
    """
    from dataclasses import replace as copy

    from tgap.cli.data_output import print_examples
    from tgap.cli.data_place import storage_place
    from tgap.data import make_world
    from tgap.data.stored import store_dataset

    name, folder = storage_place(out or f"world-{seed}")
    world = copy(make_world(seed), name=name)
    store_dataset(world, folder, f"synthetic world of seed {seed}", replace)
    counts = " / ".join(f"{len(facts):,}" for facts in world.splits.values())
    click.echo(f"{name}: {world.num_entities} entities, {world.num_relations} relations, {counts} facts, in {folder}")
    print_examples(world)
