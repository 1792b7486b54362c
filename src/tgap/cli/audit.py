"""tgap audit: another program's scores, ranked by our rules and searched for known faults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tgap.cli.progress import progress_bars
from tgap.cli.protocol import ProtocolName

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.data import Dataset
    from tgap.evaluation.audit import Finding
    from tgap.scorer import Scorer

FAULTY = 1  # exit code when a check finds a fault
_STYLES = {"ok": "green", "note": "yellow", "fault": "bold red", "open": "dim"}


@click.command("audit")
@click.argument("dataset")
@click.argument("scores", type=click.Path(path_type=Path))
@click.option("--split", type=click.Choice(["valid", "test"]), default="test", show_default=True)
@click.option("--name", metavar="NAME", help="What tables call it. [default: the file's name]")
@click.option(
    "--entities",
    "entities_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Whose scores full rows hold: one entity a line, in the order of the columns.",
)
@click.option(
    "--rest",
    type=float,
    metavar="NUMBER",
    help="Score of entities that a row does not list. [default: behind all that it lists]",
)
@click.option(
    "--against",
    multiple=True,
    metavar="RUN",
    help="Compare with a run, a baseline or package.module:Class on the same queries; may be repeated.",
)
@click.option(
    "--bootstrap",
    type=click.IntRange(min=2),
    metavar="N",
    default=1000,
    show_default=True,
    help="Draws of the facts for intervals of metrics and differences.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True, help="Seed of the draws."
)
@click.option("--protocol", type=ProtocolName(), default="all", show_default=True, help="Which filter tables show.")
@click.option("--details", is_flag=True, help="Also print the breakdowns, for instance by evidence.")
@click.option(
    "--json", "json_file", metavar="FILE", help="Write everything as JSON; - prints it instead of the tables."
)
@click.option("--csv", "csv_file", metavar="FILE", help="Write every metric as CSV.")
@click.option("--markdown", "markdown_file", metavar="FILE", help="Write the tables as a Markdown page.")
@click.pass_context
def audit(
    ctx: click.Context,
    dataset: str,
    scores: Path,
    split: str,
    name: str | None,
    entities_file: Path | None,
    rest: float | None,
    against: tuple[str, ...],
    bootstrap: int,
    seed: int,
    protocol: str,
    details: bool,
    json_file: str | None,
    csv_file: str | None,
    markdown_file: str | None,
) -> None:
    """Check another program's scores on a split of DATASET.

    SCORES is a Parquet, CSV or .npz file with the program's scores, full rows or the best few of each query;
    docs/audit.md shows how to write one. The exit code is 1 if a fault is found.

    \b
    Examples:
      tgap audit icews14 scores.npz --against recency
      tgap audit icews14 best100.parquet --against icews14 --json audit.json
    """
    from tgap.cli.blocks import print_blocks
    from tgap.cli.output import check_one_stdout, check_target, write_output
    from tgap.cli.terminal import make_console
    from tgap.data.display import shown
    from tgap.evaluation import PROTOCOLS, Bootstrap, Filters, markdown_page, report_csv, with_intervals
    from tgap.evaluation.audit import audit_json, audit_scores, read_scores, run_checks
    from tgap.evaluation.audit.document import count_faults
    from tgap.evaluation.scoring import evaluate_queries
    from tgap.evaluation.tables import report_blocks

    check_one_stdout(json=json_file, csv=csv_file, markdown=markdown_file)
    for target in (json_file, csv_file, markdown_file):
        check_target(target)
    data = _load(dataset)
    names = None if entities_file is None else _lines(entities_file)
    file = read_scores(scores, data, names)
    filters = Filters.of(data)
    others = [_answerer(run, dataset, data) for run in against]
    with progress_bars() as track:
        found = audit_scores(
            file, data, split, name=name or "", rest=rest, filters=filters, progress=track(shown(name or scores.stem))
        )
        evaluations = [found.evaluation]
        for scorer, batch_size in others:
            update = track(scorer.name)
            evaluations.append(
                evaluate_queries(
                    scorer, data, split, found.queries, batch_size=batch_size, filters=filters, progress=update
                )
            )
    findings = run_checks(found)
    reports = with_intervals(evaluations, Bootstrap(samples=bootstrap, seed=seed))
    protocols = tuple(PROTOCOLS) if protocol == "all" else (protocol,)
    write_output(json_file, audit_json(file, rest, findings, reports[0], reports[1:]))
    write_output(csv_file, report_csv(reports))
    write_output(markdown_file, markdown_page(reports, protocols))
    if "-" not in (json_file, csv_file, markdown_file):
        console = make_console()
        print_findings(console, f"{scores.name}: {file.shape}", findings)
        print_blocks(console, report_blocks(reports, protocols, details))
    if count_faults(findings):
        ctx.exit(FAULTY)


def print_findings(console: Console, title: str, findings: Mapping[str, Finding]) -> None:
    """What each check asked and found."""
    from rich.padding import Padding
    from rich.text import Text

    from tgap.evaluation.audit import CHECKS

    console.print(Text(title, style="bold"))
    for check in CHECKS:
        finding = findings[check.name]
        line = Text.assemble((f"{finding.verdict:<6}", _STYLES[finding.verdict]), check.asks)
        console.print(line, highlight=False)
        console.print(Padding(Text(finding.sentence), (0, 0, 0, 6), expand=False))
    console.print()


def _load(dataset: str) -> Dataset:
    import warnings

    from tgap.data import LeakWarning, load_dataset

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeakWarning)  # a check tells it
        return load_dataset(dataset)


def _lines(path: Path) -> list[str]:
    from tgap.errors import EvaluationError

    try:
        return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"cannot read {path}: {error}; expected one entity a line") from error


def _answerer(run: str, dataset: str, data: Dataset) -> tuple[Scorer, int]:
    """A run of ours, or a scorer that needs no training, and its batch size."""
    from tgap.errors import EvaluationError, RunError
    from tgap.kernels import set_threads
    from tgap.methods import needs_dataset, untrained
    from tgap.runs import load_scorer, shipped_runs

    set_threads(None, whole_process=True)
    try:
        found = load_scorer(run, dataset=dataset if needs_dataset(run) else None)
    except RunError as error:
        if Path(run).exists():
            raise
        known = f"a shipped run ({', '.join(shipped_runs())}), a method without training ({', '.join(untrained())})"
        raise EvaluationError(
            f"--against {run!r} is nothing of ours; expected a run folder, {known} or package.module:Class"
        ) from error
    theirs = found.dataset
    if theirs.checksum != data.checksum:
        raise EvaluationError(
            f"{run} was made with the dataset {theirs.name}, which is not the {data.name} that is audited; "
            "leave it out, or audit on its dataset"
        )
    return found.scorer, found.config.evaluation.batch_size
