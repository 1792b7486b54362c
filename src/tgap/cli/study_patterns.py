"""tgap study patterns: which kinds of events bring a model's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tgap.cli.output import simple_table, write_output
from tgap.cli.study_options import json_option, seed_option, side_option, split_option
from tgap.cli.study_shared import progress_bar, split_questions, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.data import Dataset
    from tgap.explain.naming import Names
    from tgap.explain.patterns import Pattern, RelationPatterns

_VERSION = "tgap.patterns/2"
_WAYS = {
    "same": "from the same subject to the same object",
    "inverse": "the other way round",
    "given": "of the entity that is asked about, with others",
    "answer": "of the answer, with others",
    "elsewhere": "between others",
}


@click.command("patterns", short_help="Which kinds of events bring the answers, relation by relation.")
@click.argument("run")
@click.option(
    "--relation",
    "relations",
    multiple=True,
    metavar="NAME",
    help="Relation whose questions to study; may be repeated. [default: all, and the most asked]",
)
@split_option
@side_option("both")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only a random sample of N questions.")
@seed_option("that sample")
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", default=8, show_default=True, help="Patterns of each relation."
)
@click.option(
    "--rules",
    "rules_file",
    metavar="FILE",
    help="Write the patterns of one event between the same two as rules (.tsv, AnyBURL's columns first).",
)
@json_option
def patterns(
    run: str,
    relations: tuple[str, ...],
    split: str,
    side: str,
    limit: int | None,
    seed: int,
    top: int,
    rules_file: str | None,
    json_file: str | None,
) -> None:
    """What the model has learned: the patterns of events that bring its answers, in words.

    A pattern is the relation of an event, how its ends lie to those of the predicted fact, and how far away in time it
    is. Its share is the mean part of the way to the model's first answer that such events carried; it leads where no
    other pattern carried more; and right is the part of those answers that was right. That is no rule of the world: the
    confidence beside it is the part of all such events in the training facts that the predicted one goes with.

    \b
    Examples:
      tgap study patterns world
      tgap study patterns icews14 --relation Threaten
      tgap study patterns world --rules rules.tsv
    """
    from dataclasses import asdict

    import numpy as np

    from tgap.cli.terminal import make_console
    from tgap.errors import QueryError
    from tgap.explain.patterns import count_patterns
    from tgap.predict import Predictor

    predictor = Predictor.from_run(run)
    dataset, names = predictor.dataset, predictor.names
    asked = split_questions(dataset, split, side)
    chosen = [dataset.relations.find(text) for text in relations]
    if chosen:
        asked = asked.only(np.isin(asked.batch.relation % dataset.num_relations, chosen))
    if not len(asked):
        raise QueryError(f"no {split} fact has the relation {relations[0]!r}; choose another relation or --split")
    if limit is not None:
        asked = asked.sample(limit, seed)
    with progress_bar("patterns") as progress:
        counts = count_patterns(predictor.explainer, dataset, asked, split, progress)
    found = []
    if not chosen:
        found.append(counts.strongest(range(dataset.num_relations), top, None))
        chosen = [place for place in np.argsort(-counts.questions, kind="stable")[:10] if counts.questions[place]]
    found += [counts.strongest([relation], top, int(relation)) for relation in chosen]
    if json_file != "-":
        console = make_console()
        for one in found:
            _print(console, names, dataset, one)
    if rules_file is not None:
        from tgap.explain.rules import rule_lines, rules_of

        studied = [place for place in range(dataset.num_relations) if counts.questions[place]]
        every = (counts.strongest([relation], top, relation) for relation in studied)
        rules = [rule for one in every for rule in rules_of(dataset, int(one.relation or 0), one.patterns)]
        write_output(rules_file, rule_lines(dataset, rules))
    document = {"schema": _VERSION, "dataset": dataset.name, "split": split, "side": side}
    rows = [
        {
            **asdict(one),
            "relation": None if one.relation is None else names.label(one.relation),
            "patterns": [_row(names, pattern) for pattern in one.patterns],
        }
        for one in found
    ]
    write_json(json_file, {**document, "relations": rows})


def _row(names: Names, pattern: Pattern) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(pattern), "relation": names.label(pattern.relation), "words": _words(names, pattern)}


def _words(names: Names, pattern: Pattern) -> str:
    """A pattern in words."""
    line = names.dataset.timeline
    if pattern.nearest == 0:
        when = line.describe(0)
    elif pattern.farthest is None:
        when = f"{line.describe(pattern.nearest)} or more"
    elif pattern.nearest == pattern.farthest:
        when = line.describe(pattern.nearest)
    else:
        when = f"{abs(pattern.nearest)} to {line.describe(pattern.farthest)}"
    return f"{names.label(pattern.relation)}, {_WAYS[pattern.way]}, {when}"


def _print(console: Console, names: Names, dataset: Dataset, found: RelationPatterns) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.rules import rules_of
    from tgap.explain.wording import counted, percent

    title = "All relations" if found.relation is None else names.label(found.relation)
    asked = f"{counted(found.questions, 'question')}, first answer right in {percent(found.right)}"
    console.print(f"{cell(title)}: {asked}", style="bold")
    rules = [] if found.relation is None else rules_of(dataset, found.relation, found.patterns)
    confidence = {rule.pattern: percent(rule.confidence) for rule in rules}
    table = simple_table(
        ("share", "right"), ("leads", "right"), ("right", "right"), ("confidence", "right"), ("events", "left")
    )
    for pattern in found.patterns:
        right = percent(pattern.right) if pattern.leads else ""
        numbers = percent(pattern.share), f"{pattern.leads:,}", right, confidence.get(pattern, "")
        table.add_row(*numbers, cell(_words(names, pattern)))
    console.print(table)
    console.print(
        f"All other patterns bring {percent(found.rest)}; {percent(found.self_loops)} stayed on self-loops.\n"
    )
