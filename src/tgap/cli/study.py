"""tgap study: the paper's interpretation studies and ours, each a command of its own."""

from __future__ import annotations

import click

from tgap.cli.study_ablation import ablation
from tgap.cli.study_case import case
from tgap.cli.study_causes import causes
from tgap.cli.study_deletion import deletion
from tgap.cli.study_dial import dial
from tgap.cli.study_displacement import displacement
from tgap.cli.study_faithfulness import faithfulness
from tgap.cli.study_patterns import patterns
from tgap.cli.study_sampling import sampling
from tgap.cli.study_unseen import unseen


@click.group("study")
def study() -> None:
    """Repeat the paper's studies on a run, or check its explanations."""


for command in (case, displacement, sampling, patterns, faithfulness, deletion, causes, ablation, dial, unseen):
    study.add_command(command)
