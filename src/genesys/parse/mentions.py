"""Unlinked mentions: where a text names a note that it does not link to (what Obsidian lists as such). Pure.

One multi-pattern pass (Aho–Corasick) over the text finds every title and alias. Precision before recall: a
name counts where it stands as whole words; a name of one word only where it is written with a capital (or has
a digit, or capitals inside) and is no common word; a name in Chinese or Japanese from two characters on.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import ahocorasick_rs

from genesys.parse.stopwords import CJK_STOP, STOP

__all__ = ["Matcher", "Mention", "build_matcher", "change_matcher", "find_names", "name_forms"]

MIN_LETTERS = 3  # of a name of one word
MIN_HEAD = 5  # letters of what stands before a comma, to be a name by itself ("Harrisburg, Pennsylvania")
MAX_WORDS = 12  # of a name; longer titles are sentences, and nobody repeats those
MIN_CJK = 2  # characters of a name in a script without spaces
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
_BRACKET = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_ARTICLE = re.compile(r"^(?:the|a|an|der|die|das|le|la|les|el|los|las)\s+", re.IGNORECASE)
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
# Words that start sentences and name nothing, beside the stop words.
_SENTENCE_WORDS = """also although however though since while because under between first second third one
two three four five six seven eight nine ten new most some many all another each
other only later today yes hey hi thanks wow oh great ok january february march april
may june july august september october november december monday tuesday wednesday
thursday friday saturday sunday note notes index readme todo list people home
untitled introduction overview summary example examples references links tags daily"""
_COMMON = STOP | frozenset(_SENTENCE_WORDS.split())


@dataclass(slots=True)
class Mention:
    """A name in a text: characters [start, end) and the pattern's number in :attr:`Matcher.names`."""

    start: int
    end: int
    name: int


@dataclass(frozen=True, slots=True)
class Matcher:
    """``names`` are the forms looked for, lower-cased; ``owners[i]`` the notes that go by ``names[i]``.

    ``parts`` find them: each from the name of its number on, up to the next part's. A name without owners is
    one that went.
    """

    names: tuple[str, ...]
    owners: tuple[tuple[int, ...], ...]
    parts: tuple[tuple[int, ahocorasick_rs.AhoCorasick], ...]
    whole: bool = True  # one part, and every name has owners

    @property
    def added(self) -> int:
        """How many names came after it was built."""
        return len(self.names) - self.parts[1][0] if len(self.parts) > 1 else 0


def _lower(text: str) -> str:
    """Lower case, letter for letter: positions stay those of ``text``."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower()[:1] or c for c in text)


@lru_cache(maxsize=4096)
def name_forms(name: str) -> frozenset[str]:
    """The forms, lower-cased, in which a text may name what is called ``name``.

    With and without a bracket or what follows a comma at its end, an article at its start, an emoji around
    it. Forms too vague to mean it are left out.
    """
    name = unicodedata.normalize("NFC", name).strip()
    bare = _BRACKET.sub("", name) if name[-1:] in (")", "）") else name
    forms = {name, bare, _ARTICLE.sub("", bare), _EDGE.sub("", bare)}
    head, comma, _ = bare.partition(",")
    if comma and len(head) >= MIN_HEAD:
        forms.add(head.strip())
    return frozenset(_lower(form) for form in forms if _specific(form))


def _specific(form: str) -> bool:
    words = _WORD.findall(form)
    if not words or len(words) > MAX_WORDS:
        return False
    cjk = len(_CJK.findall(form))
    if cjk:
        return cjk >= MIN_CJK and not all(c in CJK_STOP for c in _CJK.findall(form))
    low = [_lower(w) for w in words]
    if len(words) == 1:
        return len(words[0]) >= MIN_LETTERS and low[0] not in _COMMON and not words[0].isdigit()
    return any(w not in _COMMON and not w.isdigit() and len(w) > 1 for w in low)


def build_matcher(names: Mapping[int, Iterable[str]]) -> Matcher:
    """A matcher for notes (by number) and what each is called. No names: it finds nothing."""
    owners: dict[str, set[int]] = {}
    for note, form in _forms(names):
        owners.setdefault(form, set()).add(note)
    forms = tuple(sorted(owners))
    parts = ((0, ahocorasick_rs.AhoCorasick(forms)),) if forms else ()
    return Matcher(forms, tuple(tuple(sorted(owners[f])) for f in forms), parts)


def change_matcher(
    matcher: Matcher, before: Mapping[int, Iterable[str]], after: Mapping[int, Iterable[str]]
) -> Matcher:
    """The matcher when some notes are called otherwise than ``before``; it costs what changed."""
    if not matcher.parts:
        return build_matcher(after)
    places = {name: place for place, name in enumerate(matcher.names)}
    names, owners = list(matcher.names), list(matcher.owners)
    for note, form in _forms(before):
        owners[places[form]] = tuple(other for other in owners[places[form]] if other != note)
    for note, form in _forms(after):
        if form not in places:
            places[form] = len(names)
            names.append(form)
            owners.append(())
        owners[places[form]] = tuple(sorted({*owners[places[form]], note}))
    first = matcher.parts[1][0] if len(matcher.parts) > 1 else len(matcher.names)
    parts = matcher.parts[:1]
    if len(names) > first:
        parts += ((first, ahocorasick_rs.AhoCorasick(names[first:])),)
    return Matcher(tuple(names), tuple(owners), parts, whole=False)


def _forms(names: Mapping[int, Iterable[str]]) -> Iterator[tuple[int, str]]:
    return ((note, form) for note, called in names.items() for name in called for form in name_forms(name))


def find_names(matcher: Matcher, text: str, *, need_capital: bool = True) -> Sequence[Mention]:
    """Names in ``text``, left to right, the longest at each place, none inside another.

    ``need_capital`` holds back names of one word that are written small; a question may write them so.
    """
    if not matcher.parts or not text:
        return ()
    low = _lower(text)
    # Every match, inside words and inside each other: what a leftmost search skips may stand alone.
    matches = _matches(matcher, low)
    if not matches:
        return ()
    # Around each place the kinds of both neighbours: no name begins or ends inside a word.
    kinds = f" {low.translate(_KINDS)} "
    alone = [m for m in matches if kinds[m[1] : m[1] + 2] != "ww" and kinds[m[2] : m[2] + 2] != "ww"]
    if len(alone) > 1:
        alone.sort(key=_leftmost_longest)
    found: list[Mention] = []
    at = 0
    for name, start, end in alone:
        if start >= at and (not need_capital or _telling(text[start:end])):
            found.append(Mention(start, end, name))
            at = end
    return found


def _matches(matcher: Matcher, low: str) -> Sequence[tuple[int, int, int]]:
    """(name, start, end) of every name that a note has."""
    if matcher.whole:
        return matcher.parts[0][1].find_matches_as_indexes(low, overlapping=True)
    return [
        (first + name, start, end)
        for first, automaton in matcher.parts
        for name, start, end in automaton.find_matches_as_indexes(low, overlapping=True)
        if matcher.owners[first + name]
    ]


def _leftmost_longest(match: tuple[int, int, int]) -> tuple[int, int]:
    return match[1], -match[2]


class _Kinds(dict[int, str]):
    """Of each character whether it is part of a word; in scripts without spaces a word may end anywhere."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = self[code] = "w" if char.isalnum() and not _CJK.match(char) else " "
        return kind


_KINDS = _Kinds()


def _telling(written: str) -> bool:
    """Several words, or one that is written as a name: with a capital or a digit."""
    if written.isascii():
        if written.isalpha():
            return not written.islower()
        if " " in written.strip():
            return True
    elif " " in written.strip() or _CJK.search(written) is not None:
        return True
    if written.islower() and written.isalpha():
        return False
    return any(c.isupper() or c.isdigit() for c in written)
