"""The sentence: why this answer, in one line of plain words, as the measured effects have it.

Its kind says what was found when facts were taken away (p: the answer's probability):

    one        one fact alone brings at least half of p
    few        not one, but the 2, 3 or 5 facts of highest share together bring at least half of p
    pair       not these, but all events of one subject, relation and object together do
    many       none of these: evidence is spread, and the sentence says so
    none       no fact that was tried speaks for the answer
    stays      attention never left the entity that is asked about
    unreached  no attention arrived

What a reader should know besides stands behind it: that the asked fact itself was hidden, that most of the evidence
lies after the time asked about, that this time lies outside the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Outcome
from tgap.explain.evidence import Effect, Evidence
from tgap.explain.naming import NamedFact, Names
from tgap.explain.wording import counted, percent

_FEW = 5  # facts that a sentence calls few
_MOST = 0.505  # of the evidence: rounded, it is more than half


@dataclass(frozen=True)
class Verdict:
    """Why, in one line."""

    kind: str
    sentence: str


def verdict(names: Names, flow: AnswerFlow, evidence: Evidence, *, hidden: bool = False) -> Verdict:
    """The sentence for an answer. ``hidden``: the asked fact was taken out of the graph."""
    found = _Words(names, flow, evidence).verdict()
    remarks = _remarks(names, flow, hidden)
    return Verdict(found.kind, " ".join([found.sentence, *remarks]))


def future_share(flow: AnswerFlow) -> float:
    """Part of the evidence, by share, that lies after the time asked about."""
    times, shares = flow.by_time()
    total = float(shares.sum())
    return float(shares[times > flow.trace.query.time].sum()) / total if total > 0 else 0.0


def _remarks(names: Names, flow: AnswerFlow, hidden: bool) -> list[str]:
    remarks = []
    if hidden:
        remarks.append("The fact itself is in the training data; it was hidden, as it is in training.")
    line = names.dataset.timeline
    if not 0 <= flow.trace.query.time <= line.span:
        remarks.append("The time asked about lies outside the data.")
    elif (future := future_share(flow)) >= _MOST:
        remarks.append(f"Most of the evidence ({percent(future)}) lies after the time asked about.")
    return remarks


class _Words:
    """One answer's evidence on its way into words."""

    def __init__(self, names: Names, flow: AnswerFlow, evidence: Evidence) -> None:
        self.names = names
        self.flow = flow
        self.evidence = evidence
        self.before = evidence.before
        self.answer = names.entity(flow.answer)
        rank = "" if self.before.leads else f" and rank {self.before.rank:g}"
        self.lead = f"{self.answer} has {percent(self.before.probability)}{rank}"

    def verdict(self) -> Verdict:
        start = self.names.entity(self.flow.trace.query.subject)
        alone = self._alone()
        if self.flow.mass <= 0:
            why = f"nothing is known of {start}, it has no event in sight" if alone else "no attention arrived there"
            prior = "; what it has comes from the relation's own prior" if self.before.probability > 0 else ""
            return Verdict("unreached", f"{self.answer} has {percent(self.before.probability)}: {why}{prior}.")
        if not self.evidence.facts:
            if alone:
                kept = percent(self.before.probability)
                return Verdict(
                    "stays", f"Nothing is known of {start}: it has no event in sight, so it keeps {kept} itself."
                )
            return Verdict("stays", f"{self.lead} only because attention stays at {start}: no event leads anywhere.")
        best, half = self.evidence.facts[0], self.before.probability / 2
        few = [found for found in self.evidence.firsts if found.effect >= half and len(found.facts) <= _FEW]
        pairs = [found for found in self.evidence.pairs if found.effect >= half]
        if best.effect >= half:
            return Verdict("one", self._one(best))
        if few:
            return Verdict("few", self._few(few[0]))
        if pairs:
            return Verdict("pair", self._pair(pairs[0]))
        if best.effect <= 0:
            tried = counted(len(self.evidence.facts), "event")
            return Verdict("none", f"{self.lead}, but no event speaks for it: none of the {tried} tried lowers it.")
        return Verdict("many", self._many(best))

    def _alone(self) -> bool:
        """Whether the entity that is asked about has no visible fact: nothing is known of it."""
        graph, subject = self.flow.graph, self.flow.trace.query.subject
        facts = graph.fact[graph.row[subject] : graph.row[subject + 1]]
        return not self.flow.visible[facts[facts >= 0]].any()

    def _one(self, best: Effect) -> str:
        carried = f"which carried {percent(best.share)} of the way there" if best.share else "which no walk took"
        return (
            f"{self.lead} mainly because of one event, {self._fact(best).clause}, {carried}; "
            f"{self._without('it', best.after)}."
        )

    def _few(self, found: Effect) -> str:
        strongest = next(single for single in self.evidence.facts if single.facts[0] in found.facts)
        return (
            f"{self.lead} because of {len(found.facts)} events together, first of all {self._fact(strongest).clause}; "
            f"they carried {percent(found.share)} of the way there, and {self._without('them', found.after)}."
        )

    def _pair(self, found: Effect) -> str:
        first, last = self._range(found)
        kind = f"{len(found.facts)} events of one kind, {self._fact(found).arrow} ({first} to {last})"
        return (
            f"{self.lead} mainly because of {kind}, which carried {percent(found.share)} of the way there; "
            f"{self._without('them', found.after)}."
        )

    def _many(self, best: Effect) -> str:
        narrow = self.before.leads and not best.after.leads
        lead = "narrowly, from many events" if narrow else "from many events, of which none decides it"
        words = f"{self.lead} {lead}: {self._without(f'the strongest, {self._fact(best).clause},', best.after)}"
        most = max(self.evidence.firsts, key=lambda found: found.effect, default=best)
        if len(most.facts) > 1 and most.effect > 0:
            carried = f"the {len(most.facts)} that carried most of the way ({percent(most.share)})"
            words += f"; {self._without(carried, most.after)}"
        return words + "."

    def _without(self, what: str, after: Outcome) -> str:
        """How things would stand without something."""
        left = f"without {what} the probability would be {percent(after.probability)}"
        if self.before.leads and not after.leads:
            return f"{left}, and {self.names.entity(after.first)} would come first"
        return left

    def _fact(self, found: Effect) -> NamedFact:
        return self.names.fact(self.flow.graph, found.facts[0], self.flow.trace.query.time)

    def _range(self, found: Effect) -> tuple[str, str]:
        """First and last time of some facts."""
        times = self.flow.graph.time[self.flow.stored_edge[list(found.facts)]]
        return self.names.date(int(times.min())), self.names.date(int(times.max()))
