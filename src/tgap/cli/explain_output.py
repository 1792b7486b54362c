"""What tgap explain prints: first why, measured, then (if wanted) the walk itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tgap.cli.output import print_item, print_notes, simple_table

if TYPE_CHECKING:
    from rich.console import Console

    from tgap.explain.evidence_schema import FlipRow, SufficientTable
    from tgap.explain.schema import Document, ProfileTable

_WIDE = 96  # columns of a terminal that has room for the table of edges with a column for each part
_FOR, _AGAINST = 8, 3  # facts that are printed; JSON has all
_FIRSTS = (2, 5, 20)  # of the sets of first facts, those that are printed
_NOTABLE = 0.01  # effects and shares below this part of the whole are not printed


def print_explanation(console: Console, document: Document) -> None:
    """The answer, the sentence, and what bears it out."""
    from tgap.cli.terminal import cell, say
    from tgap.explain.wording import calibration_words
    from tgap.predict.prediction import known_words

    answer = document.answer
    known = known_words(answer)
    console.print(cell(document.question.text), style="bold")
    stands = f"{answer.name}: probability {answer.score:.4f}, rank {answer.rank:g}{', ' + known if known else ''}"
    console.print(cell(stands), style="green")
    if document.calibration is not None:
        say(console, cell(calibration_words(document.calibration)))
    if document.sentence is not None:
        console.print()
        say(console, cell(document.sentence))
        console.print()
    if document.kind in (None, "stays", "unreached"):
        console.print(cell(document.reach.sentence))
    print_notes(console, document.notes)
    _print_evidence(console, document)
    _print_groups(console, document)
    _print_couples(console, document)
    if document.flips is not None:
        _print_flip(console, answer.name, document.flips)
    elif document.flip_tried:
        _print_no_flip(console, document)
    if document.sufficient is not None:
        _print_sufficient(console, answer.name, document.sufficient)
    _print_chains(console, document)
    _print_times(console, document)


def _print_evidence(console: Console, document: Document) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import counted, percent, points

    if not document.evidence:
        return
    tried = counted(len(document.evidence), "event")
    console.print(f"What each event does: the {tried} that the answer leans on most, taken away one at a time")
    table = simple_table(
        ("effect", "right"), ("without it", "right"), ("rank", "right"), ("share", "right"), ("event", "left")
    )
    least = _NOTABLE * document.answer.score
    speaking = [row for row in document.evidence if row.effect > 0]
    shown = [row for row in speaking[:_FOR] if row.effect >= least] or speaking[:1]
    shown += [row for row in document.evidence if row.effect <= -least][-_AGAINST:]
    for row in shown:
        numbers = (points(row.effect), percent(row.probability), f"{row.rank:g}", percent(row.share))
        table.add_row(*numbers, cell(f"{row.told}{_labels(row.labels)}"))
    console.print(table)
    if len(shown) < len(document.evidence):
        console.print(f"The other {len(document.evidence) - len(shown)} have smaller effects.\n")


def _print_groups(console: Console, document: Document) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import group_words, percent, points

    least = _NOTABLE * document.answer.score
    groups = [
        row for row in document.groups if (row.facts in _FIRSTS if row.kind == "first" else abs(row.effect) >= least)
    ]
    if not groups:
        return
    console.print("What events do together")
    table = simple_table(
        ("effect", "right"), ("without them", "right"), ("rank", "right"), ("share", "right"), ("events", "left")
    )
    for row in groups:
        numbers = (points(row.effect), percent(row.probability), f"{row.rank:g}", percent(row.share))
        table.add_row(*numbers, cell(group_words(row)))
    console.print(table)


def _labels(labels: tuple[str, ...]) -> str:
    from tgap.explain.wording import labels_words

    return f" [{labels_words(labels)}]" if labels else ""


def _print_couples(console: Console, document: Document) -> None:
    """Two events that are both needed, or of which either is enough."""
    from tgap.explain.wording import couple_words

    notable = [row for row in document.couples if row.joint != "sum"]
    if notable:
        console.print("How two events work together")
        for row in notable[:_FOR]:
            print_item(console, couple_words(row))
        console.print()


def _print_no_flip(console: Console, document: Document) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import no_flip_words

    console.print(cell(no_flip_words(document.answer.name, document.flip_tried)))
    console.print()


def _print_flip(console: Console, answer: str, flip: FlipRow) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import flip_words

    console.print(cell(flip_words(answer, flip)), style="bold")
    for fact in flip.facts:
        print_item(console, fact.told)
    console.print()


def _print_sufficient(console: Console, answer: str, found: SufficientTable) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import percent, sufficient_words

    console.print(cell(sufficient_words(answer, found)))
    table = simple_table(("events left", "right"), ("probability", "right"), ("rank", "right"), ("kept", "right"))
    for row in found.rows:
        table.add_row(f"{row.facts}", percent(row.probability), f"{row.rank:g}", percent(row.kept))
    console.print(table)


def _print_chains(console: Console, document: Document) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import chains_words, percent

    found = document.chains
    console.print(chains_words(found))
    if found.chains:
        table = simple_table(("share", "right"), ("through", "left"))
        for place, row in enumerate(found.chains):
            if place == 0 or row.share >= _NOTABLE:
                table.add_row(percent(row.share), cell(row.sentence))
        console.print(table)


def _print_times(console: Console, document: Document) -> None:
    from tgap.explain.wording import times_words

    if document.answer.score > 0:
        console.print(times_words(document.shares))


def print_walk(console: Console, document: Document) -> None:
    """The walk itself, whatever answer it led to: strongest edges, paths to the answer, attention over time."""
    print_steps(console, document)
    _print_paths(console, document)
    console.print("How far in time attention looked", style="bold")
    print_profile(console, document.profile)


def print_steps(console: Console, document: Document) -> None:
    """The paper's case-study table, one a step; on a narrow screen an edge is one clause instead of three columns."""
    from tgap.cli.terminal import cell
    from tgap.explain.wording import edge_arrow, percent

    narrow = console.width < _WIDE
    ends = (("edge", "left"),) if narrow else (("subject", "left"), ("relation", "left"), ("object", "left"))
    for step in document.steps:
        waiting = f"{step.used_edges:,} edges carried attention, {percent(step.self_loops)} stayed on self-loops"
        console.print(f"\n[bold]Step {step.step}[/bold]  {waiting}")
        when = (("date", "whole"), ("displacement", "whole"))
        table = simple_table(*ends, *when, ("attention", "right"), ("of answer", "right"))
        for edge in step.edges:
            named = (edge_arrow(edge),) if narrow else (edge.subject, edge.label, edge.object)
            table.add_row(
                *map(cell, (*named, edge.time, edge.relative_time)), f"{edge.attention:.4f}", percent(edge.answer_share)
            )
        console.print(table)


def _print_paths(console: Console, document: Document) -> None:
    from tgap.cli.terminal import cell
    from tgap.explain.wording import percent

    console.print("Paths to the answer", style="bold")
    if not document.paths.walks:
        console.print("No walk leads to the answer.\n")
        return
    table = simple_table(("share", "right"), ("walk", "left"))
    for walk in document.paths.walks:
        table.add_row(percent(walk.share), cell(walk.sentence))
    console.print(table)
    console.print(f"The other walks ({document.paths.count:,.0f} in all) bring {percent(document.paths.rest)}.")
    if not document.paths.complete:
        console.print("The search was cut short: heavier walks may be missing.", style="yellow")
    console.print()


def print_profile(console: Console, profile: ProfileTable) -> None:
    """Past, same time and future: attention beside the edges within reach; then by edge relation."""
    from tgap.cli.terminal import cell
    from tgap.explain.naming import INVERSE
    from tgap.explain.wording import percent

    sides = ("past", "present", "future")
    table = simple_table(
        ("", "left"), ("past", "right"), ("same time", "right"), ("future", "right"), ("self-loops", "right")
    )
    table.add_row("attention", *(percent(profile.attention[side]) for side in sides), percent(profile.self_loops))
    table.add_row("edges within reach", *(percent(profile.base[side]) for side in sides), "")
    console.print(table)
    table = simple_table(
        ("edge relation", "left"),
        ("attention", "right"),
        ("past", "right"),
        ("same time", "right"),
        ("future", "right"),
    )
    for row in profile.relations[:5]:
        shares = (row.attention, row.past, row.present, row.future)
        table.add_row(cell(row.relation + (INVERSE if row.inverse else "")), *map(percent, shares))
    console.print(table)
