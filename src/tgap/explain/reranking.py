"""The re-ranker's part in an answer: what the walk alone gives, and the facts by which the re-ranker changes it.

The walk stays as it is; each of the facts that the re-ranker read about the answer is hidden from the re-ranker alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from tgap.capabilities import Walker, capabilities_of
from tgap.evaluation.ranks import scored_rank
from tgap.explain.answer_flow import AnswerFlow
from tgap.explain.naming import Names
from tgap.explain.wording import percent

NOTABLE = 0.1  # change of the probability that is worth a sentence
_READ = 6  # facts that are hidden one at a time
_SOME = 0.1  # part of the change that a fact must account for to be named


@dataclass(frozen=True)
class RerankedPart:
    """The walk's answer and the re-ranker's."""

    walk: float  # probability that the walk alone gives
    walk_rank: float
    probability: float  # after the re-ranker
    rank: float
    facts: tuple[
        tuple[int, float], ...
    ]  # fact, and the probability if the re-ranker alone did not see it; most telling first

    @property
    def notable(self) -> bool:
        """Whether it changes who is first, or the probability by much."""
        return abs(self.probability - self.walk) >= NOTABLE or (self.rank == 1.0) != (self.walk_rank == 1.0)

    @property
    def reason(self) -> tuple[int, float] | None:
        """The fact that accounts for most of the change, in its direction."""
        change = self.probability - self.walk
        telling = [(fact, left) for fact, left in self.facts if (self.probability - left) * change > 0]
        best = max(telling, key=lambda found: abs(self.probability - found[1]), default=None)
        return best if best and abs(self.probability - best[1]) >= _SOME * abs(change) else None


def reranked_part(explainer: Walker, flow: AnswerFlow) -> RerankedPart | None:
    """What a re-ranker did to the answer; None where there is none."""
    declared = capabilities_of(explainer)
    reranker, reader = declared.reranks, declared.reads_facts
    if reranker is None or reader is None:
        return None
    walk = scored_rank(reranker.walk_scores(flow.trace), flow.answer)
    final = scored_rank(flow.trace.scores, flow.answer)
    read = reader.facts_read(flow.trace, flow.answer, _READ).tolist()
    left = reranker.reranked_without(flow.trace, [(fact,) for fact in read])[:, flow.answer] if read else ()
    facts = sorted(
        ((fact, float(p)) for fact, p in zip(read, left, strict=True)),
        key=lambda found: (-abs(final.score - found[1]), found[0]),
    )
    return RerankedPart(walk.score, float(walk.rank), final.score, float(final.rank), tuple(facts))


def reranked_words(names: Names, flow: AnswerFlow, found: RerankedPart) -> str:
    """The re-ranker's part in a sentence."""
    verb = "raises" if found.probability > found.walk else "lowers"
    rank = "" if found.walk_rank == 1.0 else f" and rank {found.walk_rank:g}"
    words = (
        f"The walk alone gives {percent(found.walk)}{rank}; the re-ranker {verb} that to {percent(found.probability)}"
    )
    if found.reason is None:
        return f"{words}, from many events that it reads together."
    fact, left = found.reason
    told = names.fact(flow.graph, fact, flow.trace.query.time).told
    return f"{words}, most of all because it reads this event: {told} (else {percent(left)})."
