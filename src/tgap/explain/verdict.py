"""The sentence: why this answer, in a few plain words, as the measured effects have it.

Its kind says what was found when facts were taken away (p: the answer's probability):

    one        one fact alone brings at least half of p, and no other does
    both       each of several facts brings at least half of p: all of them are needed
    either     two facts together bring at least half of p, each alone less than a quarter: either is enough
    few        not these, but 2 to 5 facts together bring at least half of p
    pair, between, time, day, own, toward
               not these, but all events of such a group do, see ``groups.py``
    many       none of these: evidence is spread, and the sentence says so
    none       no fact that was tried speaks for the answer
    stays      attention never left the entity that is asked about
    unreached  no attention arrived

What a reader should know besides stands behind it: the re-ranker's part, that the asked fact itself was hidden, that
evidence lies after the time asked about, that this time lies outside the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.counterfactual import Outcome
from tgap.explain.evidence import FEW, Effect, Evidence, GroupEffect, joint_kind
from tgap.explain.groups import BETWEEN, DAY, OWN, PAIR, TIME
from tgap.explain.labels import AFTER, COPY, MIRROR, OTHER_END, RIVAL, SAME_DAY, fact_labels
from tgap.explain.naming import Names
from tgap.explain.phrases import plain_name, relation_words
from tgap.explain.reranking import RerankedPart, reranked_words
from tgap.explain.wording import LABEL_WORDS, counted, listed, percent, points

LATE = 0.3  # part of the evidence after the time asked about that the sentence mentions
_SECOND = 0.25  # part of p that a second fact must bring to be named beside the first
_MOST = 0.5  # part of the way that is called most of it


@dataclass(frozen=True)
class Verdict:
    """Why, in one line."""

    kind: str
    sentence: str


def verdict(
    names: Names, flow: AnswerFlow, evidence: Evidence, *, hidden: bool = False, reranked: RerankedPart | None = None
) -> Verdict:
    """The sentence for an answer. ``hidden``: the asked fact was taken out of the graph."""
    found = _Words(names, flow, evidence).verdict()
    part = [] if reranked is None or not reranked.notable else [reranked_words(names, flow, reranked)]
    return Verdict(found.kind, " ".join([found.sentence, *part, *_remarks(names, flow, evidence, hidden)]))


def future_share(flow: AnswerFlow) -> float:
    """Part of the evidence, by share, that lies after the time asked about."""
    times, shares = flow.by_time()
    total = float(shares.sum())
    return float(shares[times > flow.trace.query.time].sum()) / total if total > 0 else 0.0


def _remarks(names: Names, flow: AnswerFlow, evidence: Evidence, hidden: bool) -> list[str]:
    remarks = []
    if evidence.spread:
        remarks.append(
            f"Hubs are sampled: over several samples the probability ranges over {points(evidence.spread)[1:]} points, "
            "and smaller effects are left out."
        )
    if hidden:
        remarks.append("The asked fact is in the training data; it was hidden for this explanation.")
    line = names.dataset.timeline
    if not 0 <= flow.trace.query.time <= line.span:
        remarks.append("The time asked about lies outside the data.")
    elif (future := future_share(flow)) >= LATE:
        late = f"Note that {percent(future)} of the evidence lies after the time asked about"
        remarks.append(f"{late}; asked with the past only, it is left out.")
    return remarks


class _Words:
    """One answer's evidence on its way into words."""

    def __init__(self, names: Names, flow: AnswerFlow, evidence: Evidence) -> None:
        self.names = names
        self.flow = flow
        self.evidence = evidence
        self.before = evidence.before
        self.answer = plain_name(names.entity(flow.answer))
        self.start = plain_name(names.entity(flow.trace.query.subject))
        rank = "" if self.before.leads else f" and rank {self.before.rank:g}"
        self.lead = f"{self.answer} has {percent(self.before.probability)}{rank}"

    def verdict(self) -> Verdict:
        alone, found = self._alone(), self.evidence
        if self.flow.mass <= 0:
            why = f"nothing is known of {self.start}, it has no event in sight" if alone else "no walk arrived there"
            rest = "; what it has does not come from a walk" if self.before.probability > 0 else ""
            return Verdict("unreached", f"{self.lead}: {why}{rest}.")
        if not found.facts:
            if alone:
                kept = percent(self.before.probability)
                why = f"Nothing is known of {self.start}: it has no event in sight, so it keeps {kept} itself."
                return Verdict("stays", why)
            if found.tried:
                return Verdict("none", f"{self.lead}. No event that was tried changes that beyond the spread.")
            return Verdict("stays", f"{self.lead} only because the walk stayed at {self.start}: no event was used.")
        needed = [one for one in found.facts if found.decides(one)]
        if len(needed) > 1:
            return Verdict("both", self._both(needed[:FEW], len(needed)))
        if needed:
            return Verdict("one", self._one(needed[0]))
        effects = {one.facts[0]: one.effect for one in found.facts}
        couples = [one for one in found.couples if found.decides(one)]
        either = [one for one in couples if joint_kind(found, one) == "or"]
        if either:
            return Verdict("either", self._either(either[0], effects))
        few = [one for one in found.firsts if found.decides(one) and len(one.facts) <= FEW]
        if couples or few:
            return Verdict("few", self._few((couples or few)[0]))
        groups = [one for one in found.groups if found.decides(one)]
        if groups:
            return Verdict(groups[0].group.kind, self._group(groups[0]))
        if found.facts[0].effect <= 0:
            tried = counted(found.tried, "event")
            why = f"none of the {tried} tried speaks for it: without any single one of them it would not fall"
            return Verdict("none", f"{self.lead}, but {why}.")
        return Verdict("many", self._many(found.facts[0]))

    def _alone(self) -> bool:
        """Whether the entity that is asked about has no visible fact: nothing is known of it."""
        graph, subject = self.flow.graph, self.flow.trace.query.subject
        facts = graph.fact[graph.row[subject] : graph.row[subject + 1]]
        return not self.flow.visible[facts[facts >= 0]].any()

    def _one(self, best: Effect) -> str:
        words = f"{self.lead}. {self._introduction(best)}: {self._fact(best)}. {self._without('it', best.after)}."
        second = [one for one in self.evidence.facts[1:2] if one.effect >= _SECOND * self.before.probability]
        if second:
            words += f" A second event helps: {self._fact(second[0])}; without that one, {self._left(second[0].after)}."
        named = any(self._touches(one) for one in second)
        return words + ("" if named else self._link(best))

    def _both(self, needed: list[Effect], count: int) -> str:
        number = "Two events are both" if count == 2 else f"{_number(count)} events are all"
        more = "" if count == len(needed) else f" ({len(needed)} of them: "
        facts = listed([self._tagged(one.facts[0]) for one in needed])
        told = f"{facts}" if not more else f"{facts})"
        worst, best = max(one.after.probability for one in needed), min(one.after.probability for one in needed)
        left = percent(worst) if percent(best) == percent(worst) else f"{percent(best)} to {percent(worst)}"
        head = f"{number} needed{more or ': '}{told}."
        links = "" if any(self._touches(one) for one in needed) else self._link(needed[0])
        which = "either" if count == 2 else "any single one"
        return f"{self.lead}. {head} Without {which} of them the probability would be {left}.{links}"

    def _either(self, found: Effect, effects: dict[int, float]) -> str:
        kept = self.before.probability - max(effects.get(fact, 0.0) for fact in found.facts)
        facts = "; or ".join(self._tagged(fact) for fact in found.facts)
        words = f"{self.lead}. Either of two events is enough: {facts}. With only one of them gone the probability "
        words += f"would still be {percent(kept)} or more; {self._without('both', found.after, start=False)}."
        return words + ("" if self._touches(found) else self._link(found))

    def _few(self, found: Effect) -> str:
        effects = [one.effect for one in self.evidence.facts if one.facts[0] in found.facts]
        facts = listed([self._tagged(fact) for fact in found.facts])
        alone = (
            f" No single one of them changes it by more than {points(max(map(abs, effects)))[1:]} points."
            if effects
            else ""
        )
        number = _number(len(found.facts))
        what = "later events together fit with it" if self._later(found) else "events together explain it"
        words = f"{self.lead}. {number} {what}: {facts}. "
        words += f"{self._without(f'all {number.lower()}' if len(found.facts) > 2 else 'both', found.after)}.{alone}"
        return words + ("" if self._touches(found) else self._link(found))

    def _group(self, found: GroupEffect) -> str:
        count, ends = counted(len(found.facts), "event"), [plain_name(self.names.entity(e)) for e in found.group.ends]
        first, last = self._range(found)
        when = f" ({first} to {last})" if first != last else f" ({first})"
        relation = relation_words(self.names.relation(self.flow.trace.query.relation)[0])
        match found.group.kind:
            case kind if kind == PAIR:
                what = f"{count} of one kind: {self._clause(found.facts[0])}{when}"
            case kind if kind == BETWEEN:
                what = f"all {count} between {ends[0]} and {ends[1]}{when}"
            case kind if kind == DAY:
                what = f"the {count} of {self.start} and {self.answer} at that time{when}"
            case kind if kind == TIME:
                what = f"all {count} of that date{when}"
            case kind:
                whose = self.start if kind == OWN else self.answer
                what = f"the {count} of the same kind ('{relation}') that {whose} had with anyone{when}"
        best = self.evidence.facts[0]
        strongest = (
            f" The strongest is: {self._fact(best)}." if best.facts[0] in found.facts and best.effect > 0 else ""
        )
        later = " (all of them later)" if self._later(found) else ""
        left = self._without("them", found.after)
        return f"{self.lead}. No single event decides it; it rests on {what}{later}. {left}.{strongest}"

    def _many(self, best: Effect) -> str:
        narrow = self.before.leads and not best.after.leads
        head = "Its lead is narrow" if narrow else "No single event or group of events that was tried decides it"
        words = f"{self.lead}. {head}. "
        words += f"The strongest is: {self._fact(best)}; {self._without('it', best.after, start=False)}."
        most = max(self.evidence.firsts, key=lambda found: found.effect, default=best)
        if len(most.facts) > 1 and most.effect > 0:
            carried = f", which carried {percent(most.share)} of the way," if most.share >= _MOST else ""
            words += f" {self._without(f'the {len(most.facts)} that the walk used most{carried}', most.after)}."
        return words

    def _introduction(self, best: Effect) -> str:
        labels = fact_labels(self.names, self.flow, best.facts[0])
        unit = self.names.dataset.timeline.unit_word
        said = {
            COPY: "The data hold this very fact",
            MIRROR: "The data hold the same event, recorded from the other side",
            OTHER_END: "The data hold the other end of the same statement",
            RIVAL: f"Another answer is on record for the same {unit}",
            SAME_DAY: f"The two have another event on record for the same {unit}",
            AFTER: "It fits best with one later event",
        }
        return next((words for label, words in said.items() if label in labels), "The main reason is one event")

    def _link(self, found: Effect) -> str:
        """The event that leads on to the answer, where a reason does not contain it."""
        graph, edges = self.flow.graph, self.flow.stored_edge
        if self._touches(found):
            return ""
        carried = np.flatnonzero(self.flow.facts > 0)
        edge = edges[carried]
        ends = np.stack([graph.source[edge], graph.neighbour[edge]])
        own = {int(end[edges[fact]]) for fact in found.facts for end in (graph.source, graph.neighbour)}
        own = own - {self.flow.trace.query.subject} or own
        near = (ends == self.flow.answer).any(axis=0)
        joined = near & np.isin(ends, list(own)).any(axis=0)
        chosen = carried[joined if joined.any() else near]
        if not len(chosen):
            return ""
        link = int(chosen[np.argmax(self.flow.facts[chosen])])
        return f" From there the way leads on to {self.answer}: {self._told(link)}."

    def _later(self, found: Effect) -> bool:
        """Whether all of the facts lie after the time asked about: they fit with it and cannot have caused it."""
        times = self.flow.graph.time[self.flow.stored_edge[list(found.facts)]]
        return bool((times > self.flow.trace.query.time).all())

    def _touches(self, found: Effect) -> bool:
        """Whether one of the facts has the answer at an end."""
        edges = self.flow.stored_edge[list(found.facts)]
        graph = self.flow.graph
        return bool(((graph.source[edges] == self.flow.answer) | (graph.neighbour[edges] == self.flow.answer)).any())

    def _without(self, what: str, after: Outcome, *, start: bool = True) -> str:
        """How things would stand without something."""
        return f"{'W' if start else 'w'}ithout {what} {self._left(after)}"

    def _left(self, after: Outcome) -> str:
        left = f"the probability would be {percent(after.probability)}"
        if self.before.leads and not after.leads:
            return f"{left}, and {plain_name(self.names.entity(after.first))} would come first"
        return left

    def _fact(self, found: Effect) -> str:
        return self._told(found.facts[0])

    def _told(self, fact: int) -> str:
        return self.names.fact(self.flow.graph, fact, self.flow.trace.query.time).told

    def _tagged(self, fact: int) -> str:
        """The same, and whether it is another record of what is asked."""
        labels = fact_labels(self.names, self.flow, fact)
        known = next((LABEL_WORDS[label] for label in (COPY, MIRROR, OTHER_END) if label in labels), None)
        return self._told(fact) if known is None else f"{self._told(fact)}, {known}"

    def _clause(self, fact: int) -> str:
        return self.names.fact(self.flow.graph, fact, self.flow.trace.query.time).words

    def _range(self, found: Effect) -> tuple[str, str]:
        """First and last time of some facts."""
        times = self.flow.graph.time[self.flow.stored_edge[list(found.facts)]]
        return self.names.date(int(times.min())), self.names.date(int(times.max()))


def _number(count: int) -> str:
    """A number at the beginning of a sentence."""
    return {2: "Two", 3: "Three", 4: "Four", 5: "Five"}.get(count, str(count))
