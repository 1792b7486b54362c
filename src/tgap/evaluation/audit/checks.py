"""The checks of an audit: each a value with a name, what it asks, and how it judges by what was measured.

A verdict is "ok", "note" (worth knowing), "fault" (metrics made so must not be compared) or "open" (the file does not
hold what the check needs). ``CHECKS`` lists them in the order in which they are told; another one is one entry more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from tgap.data.known_splits import identify
from tgap.evaluation.audit.measure import Audit
from tgap.evaluation.audit.scores import ANSWER_SCORE, RANK, Float64Array
from tgap.evaluation.metrics import Metrics
from tgap.evaluation.protocols import HEADLINE, RAW
from tgap.evaluation.ranks import TIES, Ranks

Verdict = Literal["ok", "note", "fault", "open"]
SMALL = 1e-3  # of a row's spread: what rounding and another order of summing may change
AGREE = 0.999  # share of equal ranks from which they are the same; the rest is rounding
ENOUGH = 20  # observations before a share is taken for a rule
WIDE_TIES = 0.01  # MRR between lost and won ties from which ties decide too much
KNOWN_UNSEEN = 0.1  # MRR on answers without a train fact that no honest scorer has ...
ABOVE_CHANCE = 4  # ... if it is also so many times the MRR of a random order


@dataclass(frozen=True)
class Finding:
    """What a check found."""

    verdict: Verdict
    sentence: str
    values: dict[str, Any] = field(default_factory=dict)  # for programs


@dataclass(frozen=True)
class Check:
    """A question to an audit."""

    name: str
    asks: str
    judge: Callable[[Audit], Finding]


def run_checks(audit: Audit) -> dict[str, Finding]:
    """Every check's finding, by its name."""
    return {check.name: check.judge(audit) for check in CHECKS}


def check_split(audit: Audit) -> Finding:
    """Which facts were asked: those of the split that is named, of another one, or of one that is known elsewhere."""
    dataset, split = audit.dataset, audit.evaluation.report.split
    known = identify(dataset, audit.file.facts)
    values = {"dataset": known.name, "split": known.split} if known else {"dataset": None, "split": None}
    if known is None and not audit.coverage.foreign:
        return Finding("note", f"the facts are a part of the {split} split of {dataset.name}", values)
    if known is None:
        return Finding("fault", f"the facts are no split that is known; {split} of {dataset.name} has others", values)
    if (known.name, known.split) == (dataset.name, split):
        return Finding("ok", f"the facts are those of the {split} split of {dataset.name}", values)
    are = "are" if known.mark or known.name == dataset.name else "are as many as those of"
    return Finding("fault", f"the facts {are} the {known.split} split of {known.name}, not {dataset.name}", values)


def check_coverage(audit: Audit) -> Finding:
    """Every query once, in both directions."""
    found, ranked = audit.coverage, audit.evaluation.report
    values = {"rows": found.rows, "missing": found.missing, "foreign": found.foreign, "repeated": found.repeated}
    if not found.missing and not found.foreign:
        again = f"; {found.repeated:,} rows say a query again" if found.repeated else ""
        return Finding("ok", f"all {ranked.available:,} queries are there, both directions{again}", values)
    parts = [f"{found.missing:,} of {ranked.available:,} queries of the split are missing"] if found.missing else []
    if found.foreign:
        parts.append(f"{found.foreign:,} rows are no queries of the split")
    absent = [direction for direction in ("tail", "head") if direction not in ranked.counts]
    only = f"; there is no {absent[0]} query at all" if absent else ""
    return Finding("fault", f"{' and '.join(parts)}{only}: metrics are of the other {ranked.queries:,}", values)


def check_target(audit: Audit) -> Finding:
    """Whether the score that was compared with others is the one that the answer has as a candidate."""
    claim = audit.file.claims.get(ANSWER_SCORE)
    if claim is None or audit.claimed is None:
        return Finding("open", f"the file does not say which score it compared others with ({ANSWER_SCORE})")
    offset = claim[audit.row] - audit.own
    known = np.isfinite(offset)
    large = known & (np.abs(offset) > _small(audit.spread, audit.own))
    lifted = int(large.sum())
    values: dict[str, Any] = {"compared": int(known.sum()), "differ": lifted}
    if not known.any():
        return Finding("open", "no row lists its answer, so its score cannot be compared", values)
    if not lifted:
        return Finding(
            "ok", f"in all {int(known.sum()):,} rows the answer's score is the one it has among them", values
        )
    claimed = Metrics.of(audit.claimed.of()).mrr
    ours = audit.evaluation.report.headline.mrr
    values |= {**_offset_values(offset[large]), "mrr_claimed": claimed, "mrr": ours}
    return Finding(
        "fault",
        f"in {lifted:,} of {int(known.sum()):,} rows the answer is given another score than it has as a candidate: "
        f"{_offset_words(offset[large])}; {HEADLINE.title} MRR with it {claimed:.3f}, without it {ours:.3f}",
        values,
    )


def check_siblings(audit: Audit) -> Finding:
    """Whether rows of the same query are the same, whichever answer is looked for."""
    found = audit.siblings.offsets()
    small = _small(audit.spread, audit.own)
    lifted = found.answers[np.abs(found.answers) > small[found.answer_query]]
    apart = int((found.others > small[found.other_query]).sum())
    values: dict[str, Any] = {"compared": len(found.answers), "differ": len(lifted), "others_differ": apart}
    if not len(found.answers):
        return Finding("open", "no two rows ask the same query and list the same entities", values)
    if apart > len(found.others) / 2:
        return Finding("fault", "rows of the same query differ everywhere: the scores depend on more than it", values)
    if len(lifted):
        values |= _offset_values(lifted)
        return Finding(
            "fault",
            f"in {len(lifted):,} of {len(found.answers):,} rows the answer's score differs from the one that the same "
            f"query gives it where another answer is looked for: {_offset_words(lifted)}",
            values,
        )
    return Finding("ok", f"{len(found.answers):,} rows that ask the same query as another agree", values)


def check_ranks(audit: Audit) -> Finding:
    """Whether claimed ranks are those that the scores have, and under which protocol and tie rule."""
    claims = {name: values[audit.row] for name, values in audit.file.claims.items() if name.startswith(RANK)}
    if not claims or not audit.placed.any():
        return Finding("open", f"the file claims no ranks (column {RANK})" if not claims else "no rank is certain")
    found = {name: _judge_rank(audit, name, claim) for name, claim in claims.items()}
    verdict: Verdict = "fault" if any(part.verdict == "fault" for part in found.values()) else "ok"
    sentence = "; ".join(f"{name}: {part.sentence}" for name, part in found.items())
    return Finding(verdict, sentence, {name: part.values for name, part in found.items()})


def _judge_rank(audit: Audit, name: str, claim: Float64Array) -> Finding:
    """One column of claimed ranks: the rule that fits it best, and whether it is the rule that the column names."""
    ranks, mrr = audit.evaluation.ranks, Metrics.of(np.maximum(claim, 1.0)).mrr
    certain = audit.placed

    def within(some: Ranks, protocol: str) -> bool:
        """Whether some order of the ties allows the claims."""
        low, high = some.of(protocol, "optimistic"), some.of(protocol, "pessimistic")
        return float(((low <= claim) & (claim <= high))[certain].mean()) >= AGREE

    stated = name.removeprefix(RANK).removeprefix("_")
    order = sorted(ranks.protocols, key=lambda protocol: protocol != stated)  # of rules that fit alike, the one named
    fits = {
        (protocol, ties): float((ranks.of(protocol, ties) == claim)[certain].mean())
        for protocol in order
        for ties in TIES
    }
    (protocol, ties), equal = max(fits.items(), key=lambda fit: fit[1])
    values = {"protocol": protocol, "ties": ties, "equal": equal, "compared": int(certain.sum()), "mrr": mrr}
    if stated in ranks.protocols and within(ranks, stated):
        return Finding("ok", f"the {stated} rank of the scores, {ties} ties ({equal:.1%} equal)", values)
    if within(ranks, protocol):
        words = f"the {protocol} rank of the scores, {ties} ties ({equal:.1%} equal)"
        other = stated in ranks.protocols
        return Finding("fault", f"not the {stated} but {words}", values) if other else Finding("ok", words, values)
    lifted = [] if audit.claimed is None else [rule for rule in order if within(audit.claimed, rule)]
    if lifted:
        return Finding("fault", f"the {lifted[0]} rank of {ANSWER_SCORE}, not of the answer's own score", values)
    ours = audit.evaluation.report.of(protocol, ties).mrr
    return Finding(
        "fault",
        f"no rank of these scores; nearest is {protocol}, {ties} ties ({equal:.1%} equal, MRR {mrr:.3f} claimed, "
        f"{ours:.3f} recomputed)",
        values,
    )


def check_filter(audit: Audit) -> Finding:
    """Whether other true answers were taken out of the scores before they were written."""
    then, otherwise, own = audit.others_then_hidden, audit.others_else_hidden, audit.answers_hidden
    values = {"then": then.share, "otherwise": otherwise.share, "answers": own.share}
    gone_then, gone_otherwise = (
        part.counted >= ENOUGH and part.share > 0.99 and own.share < 0.9 for part in (then, otherwise)
    )
    if gone_then and gone_otherwise:
        return Finding(
            "note", "entities true at any time are taken out of the rows: only static ranks mean anything", values
        )
    if gone_then:
        return Finding(
            "note", "entities true at that time are taken out of the rows: raw ranks are time-filtered", values
        )
    if then.counted < ENOUGH:
        return Finding("open", "too few queries have several true answers to tell whether rows are filtered", values)
    return Finding("ok", "other true answers have their scores: rows are not filtered", values)


def check_ties(audit: Audit) -> Finding:
    """Whether ties, or entities without a score, decide the metrics."""
    report = audit.evaluation.report
    worst, best = (report.of(ties=ties).mrr for ties in ("pessimistic", "optimistic"))
    unknown = int((~audit.placed).sum())
    values = {"pessimistic": worst, "optimistic": best, "unknown": unknown}
    words = f"{HEADLINE.title} MRR {worst:.3f} if all ties are lost, {best:.3f} if all are won"
    if unknown:
        words += f"; in {unknown:,} queries entities that are not listed tie with the answer"
    return Finding("note" if best - worst > WIDE_TIES else "ok", words, values)


def check_leaks(audit: Audit) -> Finding:
    """Whether the split asks for facts of train, and whether what cannot be known is known."""
    report = audit.evaluation.report
    unseen = [
        bucket for bucket in report.breakdowns["seen"] if bucket.label in ("answer not in train", "neither in train")
    ]
    count = sum(bucket.queries for bucket in unseen)
    mrr = sum(bucket.queries * bucket.metrics[RAW.name].mrr for bucket in unseen) / count if count else 0.0
    values = {"leaked": report.leaked, "unseen": count, "unseen_mrr": mrr}
    chance = float((1 / np.arange(1, report.num_entities + 1)).mean())
    if count >= ENOUGH and mrr > max(KNOWN_UNSEEN, ABOVE_CHANCE * chance):
        return Finding(
            "fault",
            f"answers that train does not have are known (raw MRR {mrr:.3f} on {count:,} queries): was the split "
            "itself trained on, or is the answer's score lifted?",
            values,
        )
    if report.leaked:
        return Finding("note", f"{report.leaked:,} queries ask for a fact that stands word for word in train", values)
    return Finding("ok", "no query asks for a fact of train, and nothing is known that train does not hold", values)


CHECKS = (
    Check("split", "Is it the split that is named?", check_split),
    Check("coverage", "Is every query there?", check_coverage),
    Check("target", "Is the answer scored as the candidates are?", check_target),
    Check("siblings", "Do equal queries have equal scores?", check_siblings),
    Check("ranks", "Are the claimed ranks those of the scores?", check_ranks),
    Check("filter", "Are the scores unfiltered?", check_filter),
    Check("ties", "Do ties decide?", check_ties),
    Check("leaks", "Does anything leak?", check_leaks),
)


def _small(spread: Float64Array, score: Float64Array) -> Float64Array:
    """Differences that mean nothing, for each query."""
    rounding: Float64Array = SMALL * spread + 1e-6 * np.abs(np.nan_to_num(score)) + 1e-12
    return rounding


def _offset_values(offset: Float64Array) -> dict[str, float]:
    return {"mean": float(offset.mean()), "deviation": float(offset.std()), "up": float((offset > 0).mean())}


def _offset_words(offset: Float64Array) -> str:
    mean, deviation = float(offset.mean()), float(offset.std())
    if deviation <= 0.05 * abs(mean):
        return f"{mean:+.4g}, the same everywhere: a term that candidates lack"
    return f"{mean:+.4g} on average (deviation {deviation:.4g}, {np.mean(offset > 0):.0%} upwards)"
