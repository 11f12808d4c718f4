"""Whether two sentences name different choices for one thing: a favourite, a preference, a default. Pure.

Only forms that can hold one choice at a time: "my favourite tea is …", "our default editor is …", "I prefer …
for …", and the same in German and Chinese. What the choice is about must be the same word for word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from genesys.parse.text import fold

__all__ = ["other_choice"]

_ONE = r"favou?rite|preferred|default|usual|lieblings\w+|bevorzugte\w*|standard\w*|最喜欢|最爱|首选|默认|偏好"
_IS = re.compile(rf"(?P<topic>.*\b(?:{_ONE})\b.*?)\s(?:is|are|ist|sind)\s(?P<value>.+)", re.IGNORECASE)
_IS_CJK = re.compile(rf"(?P<topic>[^，,]*(?:{_ONE})[^，,]*?)是(?P<value>[^，,]+)")
_PREFER = re.compile(
    r"(?P<who>.+?)\s(?:prefers?|bevorzug(?:e|t|en)|wants?|would like)\s(?P<value>.+?)"
    r"(?P<rest>\s(?:on|in|at|for|to|over|when|als|bei|für|im|auf)\s.+)?",
    re.IGNORECASE,
)
_ARTICLES = frozenset(("the", "a", "an", "der", "die", "das", "ein", "eine"))
_END = " .!。！\t"
MAX_CHARS = 160  # of a sentence; a longer one says more than a choice


@dataclass(frozen=True, slots=True)
class _Choice:
    topic: tuple[str, ...]
    value: frozenset[str]


def other_choice(one: str, other: str) -> bool:
    """Whether both say what is chosen for one topic, and each choice has a word that the other has not."""
    mine, theirs = _read(one), _read(other)
    if mine is None or theirs is None or mine.topic != theirs.topic:
        return False
    return bool(mine.value - theirs.value and theirs.value - mine.value)


@lru_cache(maxsize=256)  # sentences of two texts are compared pair by pair
def _read(text: str) -> _Choice | None:
    text = " ".join(text.split()).strip(_END)
    if len(text) > MAX_CHARS:
        return None
    for form in (_IS, _IS_CJK):
        if match := form.fullmatch(text):
            return _choice(match["topic"], match["value"])
    if (match := _PREFER.fullmatch(text)) and match["rest"]:
        return _choice(f"{match['who']} prefer {match['rest']}", match["value"])
    return None


def _choice(topic: str, value: str) -> _Choice | None:
    words, chosen = _words(topic), frozenset(_words(value))
    return _Choice(words, chosen) if words and chosen else None


def _words(text: str) -> tuple[str, ...]:
    return tuple(w for w in re.findall(r"[^\W_]+", fold(text)) if w not in _ARTICLES)
