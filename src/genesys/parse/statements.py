"""What a text states, sentence by sentence, in a form in which the same statement is the same. Pure.

For merging memories without a loss: case, articles, markup and a plural's s make no difference, every other
word and number does. Two sentences that differ in "north" and "south" are two statements, however alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from genesys.parse.text import fold

__all__ = ["says_all", "statements"]

_ARTICLES = frozenset(
    ("a", "an", "the", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer")
)
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_MARKUP = re.compile(r"^\s*(?:[>#]+\s*|[-*+]\s+(?:\[.\]\s+)?|\d+[.)]\s+)*|[*_`~]+|!?\[\[|\]\]")
_TOKEN = re.compile(r"[-+]?\d+(?:[.,:/-]\d+)*|[^\W_]+(?:['’][^\W_]+)?|[%€$£°<>=≤≥≠+*/^&@]")


def statements(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each sentence or line, in order; lines that say nothing are left out."""
    return tuple(found for part in _END.split(text) if (found := tuple(_words(part))))


def says_all(whole: str, part: str) -> bool:
    """Whether every statement of ``part`` is one of ``whole``; false where ``part`` states nothing."""
    said = statements(part)
    return bool(said) and set(said) <= set(statements(whole))


def _words(sentence: str) -> Iterator[str]:
    for token in _TOKEN.findall(_MARKUP.sub(" ", sentence)):
        for word in fold(token.replace("’", "'")).split():
            if word not in _ARTICLES:
                yield word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] not in "sui" else word
