"""tgap study dial: accuracy against cost over the size of the sample, when answering and when training."""

from __future__ import annotations

from pathlib import Path

import click

from tgap.cli.study_options import limit_option, minutes_option, out_option, threads_option


@click.command("dial", short_help="Accuracy against cost over x, y, z.")
@click.argument("run", default="icews14")
@click.option("--train", is_flag=True, help="Also train each size anew, on the run's dataset.")
@click.option("--epochs", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True, metavar="N")
@click.option(
    "--split", type=click.Choice(["valid", "test"]), default="valid", show_default=True, help="What is asked."
)
@limit_option
@minutes_option
@out_option("runs/dial-RUN")
@threads_option
def dial(
    run: str,
    train: bool,
    epochs: float,
    split: str,
    limit: int | None,
    minutes: float,
    out: Path | None,
    threads: int | None,
) -> None:
    """Turn the paper's dial: core nodes x, sampled edges y and added edges z, from few to many.

    The weights of RUN are asked with every size, which costs minutes; with --train, T-GAP is also trained with every
    size for --epochs and asked with its own. Writes dial.md, dial.csv and dial.png; goes on where it stopped.

    \b
    Examples:
      tgap study dial icews14 --limit 4000
      tgap study dial icews14 --train --epochs 1
    """
    from tgap.cli.compare import carry_out
    from tgap.cli.reports import print_table
    from tgap.cli.study_shared import progress_bar
    from tgap.cli.terminal import make_console
    from tgap.compare.dial import ask_sizes, dial_table, of_training, write_dial
    from tgap.compare.plan import Variant, plan_variants
    from tgap.compare.variants import trained_sizes
    from tgap.kernels import set_threads
    from tgap.runs import find_run

    folder = find_run(run)
    target = out or Path("runs") / f"dial-{folder.path.name}"
    set_threads(threads, whole_process=True)
    with progress_bar("sizes") as progress:
        points = ask_sizes(folder, split, limit, progress)
    if train:
        variants = [Variant(one.name, one.title, {**one.values, "training.epochs": epochs}) for one in trained_sizes()]
        plan = plan_variants(folder.config().dataset, target, "tgap", variants)
        points += of_training(carry_out(plan, split, limit, minutes, threads))
    print_table(make_console(), dial_table(points, split))
    write_dial(target, points, split)
    click.echo(f"wrote {target}/dial.{{md,csv,png}}")
