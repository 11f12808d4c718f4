"""What a question asks for: its terms, the days it names, and whether it asks when or why. Pure.

Terms come as FTS5 expressions over folded text (:func:`genesys.parse.text.fold`): words of scripts that
write no spaces become phrases of two characters, long words of languages that the index does not stem
become prefixes. ``now`` and the day a question is asked are arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from genesys.parse.dates import DateRange, find_dates
from genesys.parse.stopwords import CJK_STOP, STOP, languages
from genesys.parse.text import fold

__all__ = [
    "DateRange",
    "Question",
    "Term",
    "as_told",
    "ask",
    "asks_when",
    "asks_why",
    "named_people",
    "terms_of",
    "words_of",
]

MAX_CHARS = 20_000  # of a question that are looked at; the model reads some 1,000
MAX_TERMS = 64  # candidates for full text; the engine keeps the rarest
LAST_LATIN = "\u024f"
PREFIX_MIN = 5  # letters from which a word of an inflecting language is asked by its beginning
PREFIX_CUT = 2  # letters of the ending left open

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_CJK = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_UNSTEMMED = re.compile("[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\uac00-\ud7a3\u0900-\u0dff]")
_WHEN = re.compile(
    r"\s*(when|what (date|day|month|year|time)|how (long|recently)|which (date|day|year|month)"
    r"|(on|in|since) (which|what) (date|day|year|month)|wann|seit wann|quand|cuándo|cuando|quando|когда)\b"
    r"|.*(什么时候|何时|哪一?[天年月]|いつ)",
    re.IGNORECASE | re.DOTALL,
)
_WHY = re.compile(
    r"\s*(why|what (caused|led to|made)|how come|for what reason|warum|wieso|weshalb|pourquoi|por qué|perché"
    r"|почему|зачем)\b|.*(为什么|为何|なぜ|どうして)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Term:
    """``text`` is the term as folded, ``match`` the FTS5 expression that finds it (quoted: data only)."""

    text: str
    match: str


@dataclass(frozen=True, slots=True)
class Question:
    """A query, read. ``words`` are all its folded words, stop words too, in order; ``foreign``
    says that most of its letters are of another script than Latin."""

    text: str
    terms: tuple[Term, ...]
    words: tuple[str, ...]
    dates: tuple[DateRange, ...]
    when: bool
    why: bool
    foreign: bool


def ask(text: str, now: float, asked: str = "") -> Question:
    """Read a query. ``now`` in UNIX seconds, ``asked`` an ISO date that relative dates count from instead.

    Never raises; a query of any size costs at most what its first :data:`MAX_CHARS` cost.
    """
    text = text[:MAX_CHARS].replace("\x00", " ").strip()
    return Question(
        text=text,
        terms=terms_of(text),
        words=words_of(text),
        dates=find_dates(text, now, asked),
        when=asks_when(text),
        why=asks_why(text),
        foreign=_foreign(text),
    )


def asks_when(text: str) -> bool:
    """Whether the answer is a time."""
    return _WHEN.match(text) is not None


def asks_why(text: str) -> bool:
    """Whether the answer is a cause."""
    return _WHY.match(text) is not None


def words_of(text: str) -> tuple[str, ...]:
    """Folded words in order; CJK characters one by one."""
    return tuple(_WORD.findall(fold(_POSSESSIVE.sub(" ", text))))


def terms_of(text: str) -> tuple[Term, ...]:
    """Distinct terms to look up, at most :data:`MAX_TERMS`; stop words only where nothing else is left."""
    spoken = languages(words_of(text))
    found = [*_words(text, spoken), *_runs(text)]
    content = [t for t in found if t.text not in STOP]
    return tuple({t.match: t for t in content or found}.values())[:MAX_TERMS]


def _words(text: str, spoken: frozenset[str]) -> Iterable[Term]:
    for word in _WORD.findall(fold(_CJK.sub(" ", _POSSESSIVE.sub(" ", text)))):
        inflects = len(word) >= PREFIX_MIN and not word.isdigit()
        if inflects and (_UNSTEMMED.search(word) or (spoken - {"en"} and len(word) > PREFIX_MIN)):
            yield Term(word, f'"{word[: max(PREFIX_MIN - 1, len(word) - PREFIX_CUT)]}"*')
        else:
            yield Term(word, f'"{word}"')


def _runs(text: str) -> Iterable[Term]:
    """Pairs of neighbouring characters; a character alone where the run has only one."""
    for run in _CJK.findall(text):
        chars = _WORD.findall(fold(run))
        pairs: list[tuple[str, ...]] = [tuple(p) for p in pairwise(chars)] or [(c,) for c in chars]
        content = [p for p in pairs if not CJK_STOP & set(p)]
        for pair in content or pairs:
            yield Term("".join(pair), f'"{" ".join(pair)}"')


def _foreign(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return 2 * sum(c > LAST_LATIN for c in letters) > len(letters)


def as_told(text: str, name: str) -> str:
    """The question as the person named would have it: "my" and "I" for the name.

    Notes of a person speak in the first person, and the name alone would draw whatever mentions it.
    """
    first = _WORD.findall(name)[:1]
    words = {name, *first} - {""}
    for word in sorted(words, key=len, reverse=True):
        text = re.sub(rf"\b{re.escape(word)}['’]s\b", "my", text, flags=re.IGNORECASE)
        text = re.sub(rf"\b{re.escape(word)}\b", "I", text, flags=re.IGNORECASE)
    return text


def named_people(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Which of the ``known`` names the text names, in the order in which it does.

    A name counts by all its words, by its first (at least three letters), or by a capitalised beginning of
    it ("Mel" for Melanie).
    """
    spoken = [(w, w[:1].isupper()) for w in _WORD.findall(_POSSESSIVE.sub(" ", text[:MAX_CHARS]))]
    words = [" ".join(_WORD.findall(fold(w))) for w, _ in spoken]
    capitals = [capital for _, capital in spoken]
    found = []
    for name in known:
        at = _place(_parts(name), words, capitals)
        if at is not None:
            found.append((at, name))
    return tuple(name for _, name in sorted(found))


@lru_cache(maxsize=16_384)  # a vault's people are looked for in every question; folding is the dear part
def _parts(name: str) -> list[str]:
    return _WORD.findall(fold(name))


def _place(parts: list[str], words: list[str], capital: list[bool]) -> int | None:
    if not parts:
        return None
    for i, word in enumerate(words):
        whole = words[i : i + len(parts)] == parts
        first = word == parts[0] and (len(parts) == 1 or (len(word) >= 3 and capital[i]))
        short = capital[i] and len(word) >= 3 and word not in STOP and parts[0].startswith(word)
        if whole or first or short:
            return i
    return None
