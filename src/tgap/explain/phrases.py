"""Facts as clauses of plain English: "Philippines consulted Thailand", not "Philippines —Consult→ Thailand".

Relations of event data are verbs ("Express intent to cooperate") and are told in the past tense, with the preposition
that leads to the object. Relations that begin with no known verb ("position held", "P102-occurSince") stay as they are,
between dashes. Names lose what only a file format needs: underscores and angle brackets.
"""

from __future__ import annotations

import re
from functools import lru_cache

_IRREGULAR = {
    "become": "became", "begin": "began", "break": "broke", "bring": "brought", "buy": "bought", "build": "built",
    "come": "came", "do": "did", "fight": "fought", "find": "found", "forgive": "forgave", "get": "got", "give": "gave",
    "go": "went", "hold": "held", "keep": "kept", "lead": "led", "leave": "left", "lose": "lost", "make": "made",
    "meet": "met", "pay": "paid", "retreat": "retreated", "say": "said", "see": "saw", "seek": "sought", "sell": "sold",
    "send": "sent", "stop": "stopped", "shoot": "shot", "speak": "spoke", "take": "took", "tell": "told", "win": "won",
    "withdraw": "withdrew", "write": "wrote", "ban": "banned", "expel": "expelled", "veto": "vetoed",
}  # fmt: skip
_REGULAR = {
    "abduct", "accede", "accept", "accuse", "acknowledge", "allow", "announce", "apologize", "appeal", "appoint",
    "approve", "arrest", "assassinate", "assault", "attack", "attempt", "award", "ban", "block", "boycott", "carry",
    "charge", "claim", "coerce", "commit", "complain", "complete", "conduct", "confiscate", "consider", "consult",
    "contact", "cooperate", "create", "criticize", "damage", "declare", "decline", "defend", "defy", "demand",
    "demobilize", "demonstrate", "denounce", "deny", "deport", "destroy", "detain", "detonate", "discuss", "ease",
    "edit", "employ", "endorse", "engage", "enter", "express", "fix", "grant", "halt", "hijack", "host", "impose",
    "increase", "investigate", "invite", "join", "kill", "launch", "mediate", "mention", "merge", "mobilize",
    "obstruct", "occupy", "open", "own", "participate", "persuade", "praise", "protest", "provide", "rally",
    "receive", "recommend", "reduce", "refuse", "reject", "release", "replace", "request", "restrict", "retaliate",
    "return", "review", "riot", "seize", "share", "sign", "stop", "support", "surrender", "threaten", "torture",
    "touch", "use", "violate", "visit", "vote", "work", "yield",
}  # fmt: skip
_ADVERBS = ("physically", "sexually")
_PREPOSITIONS = ("about", "against", "at", "by", "for", "from", "in", "of", "on", "to", "toward", "with")
_WHOLE = {  # what no rule would get right
    "abduct, hijack, or take hostage": "abducted, hijacked or took hostage",
    "appeal to others to meet or negotiate": "appealed to others to meet or negotiate about",
    "appeal to others to settle dispute": "appealed to others to settle the dispute with",
    "arrest, detain, or charge with legal action": "arrested, detained or charged",
    "attempt to assassinate": "attempted to assassinate",
    "defend verbally": "verbally defended",
    "demand": "made demands on",
    "demonstrate or rally": "demonstrated against",
    "discuss by telephone": "talked by telephone with",
    "ease political dissent": "eased political dissent toward",
    "impose blockade, restrict movement": "imposed a blockade or restricted movement on",
    "investigate": "investigated",
    "make a visit": "visited",
    "make statement": "made a statement to",
    "meet at a 'third' location": "met at a third location with",
    "obstruct passage, block": "obstructed or blocked the passage of",
    "refuse to yield": "refused to yield to",
    "reject": "rejected",
}
_INTO = {  # first verb, and what follows it, where the object stands between the two
    "accuse": ("of",),
    "threaten": ("with",),
    "kill": ("by",),
    "fight": ("with",),
    "use": ("as",),
}
_LEADS = (  # beginning of a relation, and the preposition before its object; the first that fits
    ("host a visit", "by"),
    ("make", "to"),
    ("discuss", "with"),
    ("express intent to provide", "to"),
    ("express intent to yield", "to"),
    ("express intent to release", "to"),
    ("express", "with"),
    ("engage in negotiation", "with"),
    ("engage in diplomatic", "with"),
    ("engage in judicial", "with"),
    ("engage in material", "with"),
    ("sign", "with"),
    ("cooperate", "with"),
    ("halt", "with"),
    ("share", "with"),
    ("declare truce", "with"),
    ("mediate", "with"),
    ("violate", "with"),
    ("reduce or stop", "to"),
    ("reduce", "with"),
    ("provide", "to"),
    ("grant", "to"),
    ("give", "to"),
    ("return", "to"),
    ("yield", "to"),
    ("retreat", "to"),
    ("apologize", "to"),
    ("allow", "to"),
    ("complain", "about"),
    ("demand", "from"),
    ("receive", "from"),
    ("confiscate", "of"),
    ("destroy", "of"),
    ("seize", "of"),
    ("occupy", "of"),
    ("obstruct", "of"),
    ("investigate", "of"),
    ("reject", "of"),
    ("impose", "on"),
    ("physically assault", ""),
    ("sexually assault", ""),
    ("defend", ""),
    ("meet", ""),
    ("threaten to", "toward"),
)
_KEPT = 1 << 14  # relations and names kept ready


@lru_cache(_KEPT)
def plain_name(name: str) -> str:
    """A name without what only a file format needs.

    >>> plain_name("Citizen_(India)"), plain_name("<A_River_Sutra>"), plain_name("snake_case entity")
    ('Citizen (India)', 'A River Sutra', 'snake_case entity')
    """
    bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name
    return bare if " " in bare else bare.replace("_", " ").strip() or name


def clause(subject: str, relation: str, obj: str) -> str:
    """A fact as a clause.

    >>> clause("Japan", "Express intent to cooperate", "North_Korea")
    'Japan expressed intent to cooperate with North Korea'
    >>> clause("Japan", "Accuse of war crimes", "China"), clause("Ann", "<worksAt>", "<Some_Firm>")
    ('Japan accused China of war crimes', 'Ann works at Some Firm')
    >>> clause("1095", "P102-occurSince", "31")
    '1095 — P102 (since) — 31'
    """
    before, after = _parts(relation)
    words = f"{plain_name(subject)} {before} {plain_name(obj)}"
    return f"{words} {after}" if after else words


def relation_words(relation: str) -> str:
    """A relation by itself, as a table or a sentence about its kind names it.

    >>> relation_words("Make_a_visit"), relation_words("<playsFor>"), relation_words("P102-occurUntil")
    ('make a visit', 'plays for', 'P102 (until)')
    """
    bare = plain_name(relation)
    ends = re.fullmatch(r"(.+)-occur(Since|Until)", bare)
    if ends:
        return f"{ends[1]} ({ends[2].lower()})"
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare)
    return split.lower() if split != bare else bare[:1].lower() + bare[1:] if _verb(bare) else bare


@lru_cache(_KEPT)
def _parts(relation: str) -> tuple[str, str]:
    """What stands between subject and object, and what stands behind the object."""
    words = relation_words(relation)
    if words in _WHOLE:
        return _WHOLE[words], ""
    if relation.startswith("<"):
        return words, ""  # the name of a property: a phrase in the present already
    if " " not in plain_name(relation) and words != plain_name(relation) and " " in words and "(" not in words:
        return words, ""  # camel case: a phrase in the present already
    if not _verb(words):
        return f"— {words} —", ""
    first, _, rest = words.partition(" ")
    told = _past_of(words)
    if first in _INTO and rest.split(" ")[0] in _INTO[first]:
        verb, _, rest = told.partition(" ")
        return verb, rest
    if first == "appeal" and rest.split(" ")[0] in ("for", "to") and not rest.startswith("to others"):
        return "appealed to", rest
    if words.split(" ")[-1] in _PREPOSITIONS:
        return told, ""
    lead = next((lead for start, lead in _LEADS if words.startswith(start)), None)
    if lead is None:
        lead = "" if _transitive(words) else "against" if _hostile(words) else "toward"
    return f"{told} {lead}".strip(), ""


def _verb(words: str) -> bool:
    """Whether a relation begins with a verb that is known here."""
    parts = words.lower().replace(",", "").split(" ")
    first = parts[1] if parts[0] in _ADVERBS and len(parts) > 1 else parts[0]
    return first in _IRREGULAR or first in _REGULAR


def _past_of(words: str) -> str:
    """The first verb, and those that "or" joins to it, in the past tense."""
    told, expected, joining = [], True, False  # whether a verb may come next, or the "or" before it
    for word in words.split(" "):
        bare = word.rstrip(",")
        verb = expected and (bare in _IRREGULAR or bare in _REGULAR)
        told.append(_past(bare) + word[len(bare) :] if verb else word)
        expected = (expected and word in _ADVERBS) or (joining and word == "or") or (verb and word.endswith(","))
        joining = verb
    return " ".join(told)


def _past(verb: str) -> str:
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def _transitive(words: str) -> bool:
    """Whether nothing but verbs stands there, so that the object follows at once."""
    return all(word.rstrip(",") in (*_REGULAR, *_IRREGULAR, "or", "and") for word in words.split(" "))


def _hostile(words: str) -> bool:
    signs = (
        "force",
        "strike",
        "bomb",
        "weapon",
        "viol",
        "protest",
        "riot",
        "demonstrat",
        "alert",
        "troop",
        "cleansing",
    )
    return any(sign in words for sign in (*signs, "killing", "expulsion", "dissent", "mobiliz", "tactics", "police"))
