"""The rules of what may stand around a cue phrase, one function a frame (see ``cue_table.py``)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from genesys.parse.cue_table import Cue
from genesys.parse.cue_text import CODE, LINK
from genesys.parse.cue_words import Words

__all__ = ["Place", "fits"]

_CLAUSE = re.compile(
    r"[;:()–—]| - | ?, ?(?=(?:and|but|while|whereas|so|although|though|yet|or|which|it|we|i|they|he|she|this"
    r"|that|aber|und|oder|während|sondern|obwohl|wir|ich|es|das|was)\b)"
    r"|\b(?:but|while|whereas|although|though|aber|während|sondern|obwohl)\b"
)
_SUBJECT_LINK = re.compile(
    rf"^(?:(?:the|this|that|our|my|der|die|das|diese[rs]?|unser|unsere) )?(?:\w+ )?{LINK}"
)
_ARTICLE = re.compile(r"^(?:an?|the|ein|eine|der|die|das) (?:[\w'-]+ ){1,5}$")
_NO_FRAGMENT = re.compile(
    r"\b(?:to|that|which|who|is|are|was|were|be|used|uses|can|for|of|when|where|has|have|in|on|with|from|by|and|or"
    r"|für|von|mit|auf|ist|sind|war)\b"
)
_REAL_MODALS = frozenset({"can", "could", "couldn't", "should", "must", "kann", "sollte"})
_NEAR = 3  # words before a direct cue in which a negation still hits it


@dataclass(frozen=True, slots=True)
class Place:
    """Where a cue stands. ``lead`` is the sentence before it, ``gap`` lies between it and the link."""

    cue: Cue
    words: Words
    lead: str
    gap: str
    after: str

    @property
    def clause(self) -> str:
        """The cue's own clause, up to the cue."""
        at = 0
        for match in _CLAUSE.finditer(self.lead):
            at = match.end()
        return self.lead[at:].strip(" ")

    @property
    def boundary(self) -> str:
        """The sign or word that begins the clause, "" where it begins the sentence."""
        found = ""
        for match in _CLAUSE.finditer(self.lead):
            found = match[0].strip()
        return found


def fits(place: Place) -> bool:
    """Does the text before the cue let it count?"""
    if _unreal(place) or _negated(place) or _SUBJECT_LINK.match(place.lead):
        return False
    return _FRAMES[place.cue.frame](place)


def _tokens(text: str) -> list[str]:
    return re.findall(rf"[\w'-]+|{LINK}|{CODE}", text)


def _unreal(place: Place) -> bool:
    """Conditions anywhere before, modals in the clause; a cause of what one could not do is real."""
    words, clause = place.words, _tokens(place.clause)
    if not words.conditions.isdisjoint(_tokens(place.lead)):
        return True
    if place.cue.frame == "choice":
        return False
    if place.cue.frame in {"adjunct", "thanks"}:
        clause = [
            word for word in clause if word not in {"can", "could", "should", "must", "kann", "sollte"}
        ] + clause[-2:]
    return not words.modals.isdisjoint(clause) or (place.cue.frame == "verb" and "will" in clause[-2:])


def _negated(place: Place) -> bool:
    if any(phrase in place.lead for phrase in place.words.denied):
        return True
    if place.cue.frame == "choice":
        return False
    text = place.clause.replace("could not", "couldn't").replace("can not", "cannot")
    for phrase in place.words.affirmed:
        text = text.replace(phrase, "")
    tokens = _tokens(text)
    if place.cue.direct:
        tokens = tokens[-_NEAR:]
        if tokens[-1:] and tokens[-1] not in place.words.negations and "n't" not in tokens[-1]:
            tokens = [word for word in tokens if word not in place.words.inability]
    elif place.cue.frame == "adjunct":
        tokens = [word for word in tokens if word not in place.words.inability]
    elif place.cue.frame == "swap":
        tokens = []
    return any(word in place.words.negations for word in tokens)


def _adjunct(place: Place) -> bool:
    if not place.lead and re.match(rf", (?:the |der |die |das )?{LINK}", place.after):
        return False  # "Because of [[a]], [[b]] was late" is about a and b
    if not place.words.remedies.isdisjoint(_tokens(place.clause)):
        return False
    if LINK not in place.lead:
        return True
    first = (_tokens(place.clause) or [""])[0]
    whole = (_tokens(place.lead) or [""])[0]
    return first in place.words.pronouns or (not place.clause and whole in place.words.pronouns)


def _thanks(place: Place) -> bool:
    last = (_tokens(place.clause) or [""])[-1]
    if last in {
        "special",
        "many",
        "big",
        "my",
        "huge",
        "much",
        "with",
        "vielen",
        "herzlichen",
        "besten",
        "gott",
        "zum",
        "sei",
    }:
        return False
    opens = not place.clause and not place.after.startswith(",")
    return not opens and not re.match(r" (?:for|für)\b", place.after) and _adjunct(place)


def _verb(place: Place) -> bool:
    """A finite verb: no link in its subject, no passive, no infinitive, no road that leads somewhere."""
    clause, words = _tokens(place.clause), place.words
    if LINK in clause or CODE in clause or re.match(r" (?:to|not to) ", place.after):
        return False
    if place.boundary in {"which", ", which", ","} and place.lead.rstrip(" ,").endswith(LINK):
        return False
    if not clause and place.lead and (LINK in place.lead or place.boundary in {"(", ":", ")"}):
        return False
    if clause and clause[-1] == "which" and re.search(rf"{LINK} ?, ?which\b[^,]*$", place.lead):
        return False
    if clause and (clause[-1] in {"to", "zu"} or _after_auxiliary(clause, words)):
        return False
    if "that" in clause[1:] and not _ARTICLE.match(place.clause.split(" that ")[0] + " "):
        return False
    if place.cue.phrase in {
        "triggered",
        "triggers",
        "caused",
        "causes",
        "prompted",
        "contradicted",
        "refuted",
    }:
        return clause[:1] != [] and clause[0] not in {"things", "bugs"} and not _ends_open(place)
    return words.ways.isdisjoint(clause)


def _after_auxiliary(clause: list[str], words: Words) -> bool:
    """ "was led to" is passive; "has led to" is not, and "is at odds with" needs its verb."""
    rest = [word for word in clause if word not in words.adverbs]
    return rest[-1:] != [] and rest[-1] in words.auxiliaries - {"has", "have", "had"}


def _ends_open(place: Place) -> bool:
    """ "caused [[x]] problems": the link only describes what was caused."""
    return bool(re.match(r" (?!and\b|in\b|on\b|at\b|last\b|again\b|for\b|but\b|when\b|und\b)\w", place.after))


def _claim(place: Place) -> bool:
    if place.cue.phrase == "evidence for":
        tail = _tokens(place.clause)[-2:]
        is_claim = not tail or bool(
            set(tail) & {"is", "as", "further", "more", "good", "strong", "provides", "gives"}
        )
        return is_claim and LINK not in place.lead
    clause, words = _tokens(place.clause), place.words
    near = _tokens(place.gap) + _tokens(place.after)[:1]
    plain = [word for word in clause if word not in words.adverbs and word not in {"has", "have"}]
    about = plain in (["this"], ["which"], ["das"], ["dies"]) or not words.claims.isdisjoint(near)
    about = about or (not words.evidence.isdisjoint(clause) and "that" not in clause)
    return about and _verb(place)


def _participle(place: Place) -> bool:
    """The note must be what is caused or based: alone, after to be, or in a definition's fragment."""
    words, clause = place.words, _tokens(place.clause)
    if place.boundary and not clause and place.boundary != ",":
        return False
    if LINK in place.lead or not words.remedies.isdisjoint(clause) or "'s" in clause:
        return False
    rest = [word for word in clause if word not in words.adverbs and not word.endswith("ly")]
    if not rest or rest[-1] in words.auxiliaries or place.lead.rstrip().endswith(","):
        return "to" not in clause and "that" not in clause
    if not words.deciders.isdisjoint(clause) and not words.decisions.isdisjoint(clause):
        return True
    if rest[-1] in words.self_nouns and len(rest) <= 3 and rest[0] in words.determiners:
        return True
    fragment = " ".join(clause) + " "
    return (
        bool(_ARTICLE.match(fragment))
        and not _NO_FRAGMENT.search(fragment)
        and place.clause == place.lead.strip()
    )


def _claimed(place: Place) -> bool:
    words = place.words
    near = _tokens(place.gap) + _tokens(place.after)[:1]
    about = not words.claims.isdisjoint(_tokens(place.clause)) or not words.evidence.isdisjoint(near)
    return about and _participle(place)


def _self(place: Place) -> bool:
    """The subject is nothing but this note: "Replaces", "This note has now been replaced by"."""
    words = place.words
    if place.lead.strip() != place.clause or re.match(r"^(?: \w|-)", place.after):
        return False
    rest = [w for w in _tokens(place.clause) if w not in words.adverbs and w not in words.auxiliaries]
    if not rest:
        return True
    return rest[0] in {"this", "it", "dies", "diese", "dieser", "dieses", "das"} and all(
        w in words.self_nouns for w in rest[1:]
    )


def _swap(place: Place) -> bool:
    """ "We switched to weekly reviews instead of [[x]]": a decision, and the other side is no link."""
    words, clause = place.words, _tokens(place.clause)
    if (
        LINK in clause
        or words.deciders.isdisjoint(clause)
        or "not" in clause
        or re.match(r"^(?: \w|-)", place.after)
    ):
        return False
    renewed = not words.renewals.isdisjoint(_tokens(place.lead)) and not words.uses.isdisjoint(clause)
    return renewed or not words.decisions.isdisjoint(clause)


def _choice(place: Place) -> bool:
    return LINK not in place.lead or (_tokens(place.lead) or [""])[0] in place.words.pronouns


_FRAMES: Mapping[str, Callable[[Place], bool]] = {
    "adjunct": _adjunct,
    "thanks": _thanks,
    "verb": _verb,
    "claim": _claim,
    "participle": _participle,
    "claimed": _claimed,
    "self": _self,
    "swap": _swap,
    "choice": _choice,
}
