"""How many tokens a text is to the embedding model, estimated on the safe side and cheaply.

Calibrated against the word pieces of all-MiniLM-L6-v2 (BERT, uncased): English words mostly are one
piece, long and rare ones split every few letters, digits every two or three; every mark of punctuation
and every ideograph is one; scripts that the vocabulary barely knows come out letter by letter.
"""

from __future__ import annotations

import re

__all__ = ["cut", "estimate"]

_WORD = re.compile(r"[A-Za-z]+")
_OTHER = re.compile(r"[0-9]{1,2}|[^\sA-Za-z0-9]")
_SYLLABLES = re.compile(r"[\uac00-\ud7a3]")
_PIECE = 7  # letters; a longer word is counted as several pieces of _REST letters
_REST = 4


def estimate(text: str) -> int:
    """Return an upper estimate of the word pieces of ``text``, markers of start and end not counted."""
    words = _WORD.findall(text)
    long_ones = sum((len(w) - _PIECE + _REST - 1) // _REST for w in words if len(w) > _PIECE)
    total = len(words) + long_ones + len(_OTHER.findall(text))
    return total if text.isascii() else total + 2 * len(_SYLLABLES.findall(text))


def cut(text: str, tokens: int) -> str:
    """Return the beginning of ``text`` that fits into ``tokens``, cut between words where it has any."""
    if len(text) <= tokens or estimate(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * 12)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) <= tokens:
            low = middle
        else:
            high = middle - 1
    space = text.rfind(" ", 0, low + 1)
    return text[: space if space > low // 2 else low].rstrip()
