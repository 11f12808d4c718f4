"""Cue phrases: the words around a link that make it causal ("because of [[x]]", "led to [[y]]").

Precision before recall. The phrase must stand right at the link, in its clause, with nothing between but
an article, a few describing words or other links of the same list; negations, conditions and questions do
not count; and where another link is the subject ("[[a]] led to [[b]]") the note itself says nothing about
either, so neither gets a relation. The phrases are data in ``cue_table.py``, the rules for what may stand
before one in ``cue_frames.py``. Chinese has no spaces between words and its own module.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ahocorasick_rs import AhoCorasick

from genesys.model import CreatedBy, EdgeType, Relation
from genesys.parse.cue_cjk import relation_cjk
from genesys.parse.cue_frames import Place, fits
from genesys.parse.cue_table import AFTER, AROUND, BEFORE, Cue
from genesys.parse.cue_text import LINK, after_link, before_link, is_cjk, is_question, last
from genesys.parse.cue_words import WORDS, Words

__all__ = ["CUE_WEIGHT", "relations"]

CUE_WEIGHT = 0.7  # below what a writer states in a property or field (1.0)
_REACH = 400  # characters read on each side of the link
_MOST_WORDS = 4  # between cue and link, without articles: "because of the long and slow [[build]]"

_SPACED_BEFORE = {cue.phrase: cue for cue in BEFORE if cue.language != "zh"}
_SPACED_AFTER = {cue.phrase: cue for cue in AFTER if cue.language != "zh"}


def _alternation(phrases: list[str]) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


_FIND_BEFORE = re.compile(rf"(?<![\w'’-])(?:{_alternation(list(_SPACED_BEFORE))})(?![\w'’-])")
_FIND_AFTER = re.compile(rf" ?(?P<cue>{_alternation(list(_SPACED_AFTER))})(?![\w-])")
_ITEM = re.compile(rf"{LINK}|[,/]|[^\s,/{LINK}]+")
_FINITE = re.compile(r" (?:is|are|was|were|has|had|have|did|does|will|would|can|could|ist|war|waren|hat)\b")
_LIST_GOES_ON = re.compile(rf"(?:, {LINK})*,? (?:and|or|&|und|oder|sowie) (?:\w+ ){{0,3}}{LINK}|[\s.!;:)]*$")


def _stems() -> tuple[str, ...]:
    """A small set of substrings one of which is part of every phrase: the test that rejects most."""
    whole = {cue.phrase for cue in (*BEFORE, *AFTER) if cue.frame != "choice"}
    starts = {" ".join(cue.phrase.split()[:2]): cue.phrase for cue in BEFORE if cue.frame == "choice"}
    found: list[str] = []
    for phrase in sorted(whole, key=len):
        if not any(stem in phrase for stem in found):
            found.append(phrase)
    found += [start for start, phrase in starts.items() if not any(stem in phrase for stem in found)]
    return (*found, *sorted({around.opening for around in AROUND}))


_STEMS = AhoCorasick(_stems())  # all of them in one pass over the sentence


def relations(sentence: str, start: int, end: int) -> tuple[Relation, ...]:
    """Return what the clause around the link at ``sentence[start:end)`` says of it, () for nothing.

    ``sentence`` may be longer than the sentence; ``start`` and ``end`` enclose the whole link, brackets
    included. At most one relation comes back, of weight :data:`CUE_WEIGHT`.
    """
    if not _may_hold_cue(sentence):
        return ()
    before = before_link(sentence[max(0, start - _REACH) : start])
    after = after_link(sentence[end : end + _REACH])
    if is_question(after):
        return ()
    if is_cjk(before[-20:] + after[:20]):
        found = relation_cjk(before, after)
    else:
        found = _before(before, after) or _behind(before, after)
    return () if found is None else (Relation(found[0], found[1], CUE_WEIGHT, CreatedBy.CUE),)


@lru_cache(maxsize=64)
def _may_hold_cue(sentence: str) -> bool:
    """The cheap test that most sentences fail, done once for all the links of a sentence."""
    low = sentence.lower().replace("\n", " ")
    return bool(_STEMS.find_matches_as_indexes(low))


def _before(before: str, after: str) -> tuple[EdgeType, bool] | None:
    """Look for a cue before the link; only the nearest one counts."""
    match = last(_FIND_BEFORE, before)
    if match is None:
        return None
    cue = _SPACED_BEFORE[match[0]]
    words = WORDS[cue.language]
    gap = before[match.end() :]
    if not _bridges(gap, after, words):
        return None
    return (cue.type, cue.forward) if fits(Place(cue, words, before[: match.start()], gap, after)) else None


def _bridges(gap: str, after: str, words: Words) -> bool:
    """May the words between cue and link stand there: describing words, or earlier links of one list?"""
    count, links, comma, join = 0, 0, False, False
    tokens: list[str] = _ITEM.findall(gap)
    for at, token in enumerate(tokens):
        if token == LINK:
            links, count, comma, join = links + 1, 0, False, False
        elif token in {",", "/"}:
            if not links or comma:
                return False
            comma, count = True, 0
        elif links and token in words.joins:
            join, count = True, 0
        elif token in words.determiners:
            continue
        elif token in words.prepositions and at and tokens[at - 1] in words.light:
            count = 0
        elif token in words.blocked or not _describes(token, words):
            return False
        else:
            count += 1
        if count > (0 if comma or join else 2 if links else _MOST_WORDS):
            return False
    if not links:
        return True
    if _FINITE.match(after) or not (comma or join):
        return False  # "because of [[a]], [[b]] was late": the second link begins the main clause
    return join or bool(_LIST_GOES_ON.match(after))


def _describes(token: str, words: Words) -> bool:
    """Nouns and adjectives may describe the link; a gerund rather takes it as its object."""
    if token.endswith("ing") and len(token) > 5 and words is WORDS["en"]:
        return token in {"existing", "growing", "increasing", "rising", "ongoing", "underlying", "following"}
    return bool(re.fullmatch(r"[\w'’.-]+", token))


def _behind(before: str, after: str) -> tuple[EdgeType, bool] | None:
    """Look for a cue behind a link that begins its sentence: "[[x]] led to this"."""
    match = _FIND_AFTER.match(after)
    if match is None:
        return None
    cue: Cue = _SPACED_AFTER[match["cue"]]
    words = WORDS[cue.language]
    lead = before.split()
    if any(
        word not in words.determiners and word not in {"and", "but", "so", "und", "aber"} for word in lead
    ):
        return None
    return cue.type, cue.forward
