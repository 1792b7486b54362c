"""tgap study ablation: what each part of T-GAP is worth, trained alike."""

from __future__ import annotations

from pathlib import Path

import click

from tgap.cli.study_options import limit_option, minutes_option, out_option, threads_option
from tgap.errors import ConfigError


@click.command("ablation", short_help="What each part of T-GAP is worth.")
@click.argument("dataset", default="icews14")
@click.option(
    "--variants",
    metavar="A,B,...",
    help="Which ones. [default: all but no-subgraph, which takes hours per epoch]",
)
@click.option("--epochs", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True, metavar="N")
@click.option("--split", type=click.Choice(["test", "valid"]), default="test", show_default=True, help="What is asked.")
@limit_option
@minutes_option
@out_option("runs/ablation-DATASET")
@threads_option
def ablation(
    dataset: str,
    variants: str | None,
    epochs: float,
    split: str,
    limit: int | None,
    minutes: float,
    out: Path | None,
    threads: int | None,
) -> None:
    """Train T-GAP without one of its parts at a time, all alike, and rank them in one table beside the paper's.

    Variants: full, no-displacement, no-subgraph, no-pgnn, two-layer-pgnn, two-steps, four-steps. The same command goes
    on where an earlier one stopped.

    \b
    Examples:
      tgap study ablation icews14 --epochs 1
      tgap study ablation icews14 --variants full,no-subgraph --epochs 0.05
    """
    from tgap.cli.compare import carry_out
    from tgap.compare.plan import Variant, plan_variants
    from tgap.compare.variants import ABLATIONS, SLOW

    known = {variant.name: variant for variant in ABLATIONS}
    names = [name.strip() for name in (variants or "").split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise ConfigError(f"unknown variant {name!r}; expected one of {', '.join(known)}")
    chosen = [
        Variant(variant.name, variant.title, {**variant.values, "training.epochs": epochs})
        for variant in ABLATIONS
        if (variant.name in names if names else variant.name not in SLOW)
    ]
    folder = out or Path("runs") / f"ablation-{Path(dataset).name}"
    carry_out(plan_variants(dataset, folder, "tgap", chosen), split, limit, minutes, threads)
