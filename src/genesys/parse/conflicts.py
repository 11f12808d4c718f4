"""Hints that two texts may contradict each other: the same subject with other numbers, or with a negation.

A hint is for a reader to judge and never becomes an edge. It is made without a model: sentences that share
most of their content words are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from genesys.parse.text import fold

__all__ = ["conflict"]

SHARED = 0.6  # share of the shorter sentence's content words that both must have to be about one thing
MIN_WORDS = 2  # content words: "it is 5" is about nothing that could be compared
MAX_SENTENCES = 60  # a text, compared pairwise: bounds the work on a long note

_NEGATIONS = """
no not never none without cannot cant dont doesnt didnt isnt wasnt arent werent wont shouldnt
nicht kein keine keinen nie niemals ohne 不 没 無 无 未 非
"""
NEGATIONS = frozenset(_NEGATIONS.split())
_STOP = """
a an the of to in on at by for from with as is are was were be been being it its this that these those
and or but so we i you he she they our my your their has have had do does did will would can could should
may might now then than about into per each der die das ein eine und oder ist sind war wir ich es auf mit
von zu im
"""
STOP = frozenset(_STOP.split())
NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
# A numbered thing is a name and no amount ("step 2", "version 3"): these words before a number say so.
_NAMING = """
step chapter section version v figure table page issue ticket room phase
"""
NAMING = frozenset(_NAMING.split())


def conflict(new: str, old: str) -> str:
    """Why ``new`` may contradict ``old``, in words; "" where nothing says so."""
    olds = list(_sentences(old))
    for text, words, numbers, negated in _sentences(new):
        for other_text, other_words, other_numbers, other_negated in olds:
            shared = words & other_words
            smaller = min(len(words), len(other_words))
            if smaller < MIN_WORDS or len(shared) < max(MIN_WORDS, SHARED * smaller):
                continue
            if numbers and other_numbers and not (numbers & other_numbers):
                return f"other numbers: “{text}” against “{other_text}”"
            if negated != other_negated and len(shared) >= max(
                MIN_WORDS, 0.75 * max(len(words), len(other_words))
            ):
                return f"negated: “{text}” against “{other_text}”"
    return ""


def _sentences(text: str) -> Iterator[tuple[str, frozenset[str], frozenset[str], bool]]:
    """(sentence, content words, numbers, negated) of each sentence, frontmatter and fields aside."""
    text = re.sub(r"\A\ufeff?---\n.*?\n---[ \t]*\n", "", text, flags=re.S)
    found = 0
    for part in re.split(r"(?<=[.!?])\s+|(?<=[。！？])|\n+", text):
        clean = " ".join(part.split())
        if not clean or "::" in clean:
            continue
        words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", fold(clean.replace("’", "'")))
        plain = [w.replace("'", "") for w in words]
        numbers = frozenset(NUMBER.findall(clean)) - _names(plain)
        content = frozenset(
            _stem(w) for w in plain if w not in STOP and w not in NEGATIONS and not w.isdigit()
        )
        yield clean, content, numbers, bool(NEGATIONS.intersection(plain))
        found += 1
        if found >= MAX_SENTENCES:
            return


def _names(words: list[str]) -> frozenset[str]:
    return frozenset(b for a, b in pairwise(words) if a in NAMING)


def _stem(word: str) -> str:
    """Plural and verb endings of English, roughly: enough to match "costs" with "cost"."""
    for ending in ("ing", "ed", "es", "s"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return word[: -len(ending)]
    return word
