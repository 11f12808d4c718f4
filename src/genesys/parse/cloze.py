"""Link cloze: the sentence around a link, without the link, asks for the note that it linked to. Pure.

A link makes a question only where its note names the target nowhere else and enough of the sentence is left;
then nothing but what the vault knows can lead back to the note.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Cloze", "body_lines", "clozes", "links_as_words", "name_key", "spread_out"]

_LINK = re.compile(r"(?<!!)\[\[([^\[\]|#^]+)(?:[#^][^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_ANY_LINK = re.compile(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_LIST_MARK = re.compile(r"^\s*(?:[-*+>]|\d+[.)])\s*")
_FENCE = re.compile(r"^\s*(```|~~~)")
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
MIN_WORDS = 3  # words (or CJK characters, halved) that must be left for a question to mean anything
_ROUNDS = (1, 2, 4)  # most questions from one note, until there are enough


@dataclass(frozen=True, slots=True)
class Cloze:
    """One link that can be asked for: ``line`` counts from 0, ``start`` and ``end`` are columns in it."""

    source: str
    target: str
    line: int
    start: int
    end: int
    query: str


def clozes(paths: Collection[str], texts: Iterable[tuple[str, str]]) -> Iterator[Cloze]:
    """Every link of ``texts`` (path, text) that makes a question; ``paths`` are all notes of the vault."""
    owners: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        owners[name_key(path)].append(path)
    for source, text in texts:
        if ".excalidraw" not in source:
            yield from _of_note(source, text, owners)


def _of_note(source: str, text: str, owners: dict[str, list[str]]) -> Iterator[Cloze]:
    counts = Counter(name_key(m[1]) for m in _ANY_LINK.finditer(text) if m[1])
    low = text.lower()
    for number, line in body_lines(text):
        for match in _LINK.finditer(line):
            key = name_key(match[1])
            meant = owners.get(key, [])
            if len(meant) != 1 or meant[0] == source or counts[key] != 1 or low.count(key) != 1:
                continue
            query = _without(line, match.start(), match.end())
            if _size(query) >= MIN_WORDS:
                yield Cloze(source, meant[0], number, match.start(), match.end(), query)


def spread_out(shuffled: Sequence[Cloze], n: int) -> list[Cloze]:
    """The first ``n``: one from each note and line, and up to four where there are too few notes."""
    taken: list[Cloze] = []
    used: Counter[str] = Counter()
    lines: set[tuple[str, int]] = set()
    for most in _ROUNDS:
        for c in shuffled:
            free = used[c.source] < most and (c.source, c.line) not in lines
            if len(taken) < n and free:
                taken.append(c)
                lines.add((c.source, c.line))
                used[c.source] += 1
    return taken


def body_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside frontmatter and code fences, with their number from 0."""
    lines = text.split("\n")
    at = 0
    if lines and lines[0].rstrip() == "---":
        at = next((i + 1 for i in range(1, len(lines)) if lines[i].rstrip() == "---"), 0)
    fenced = False
    for i in range(at, len(lines)):
        if _FENCE.match(lines[i]):
            fenced = not fenced
        elif not fenced:
            yield i, lines[i]


def name_key(target: str) -> str:
    """What a link or a path is called, without folder and ending, in one spelling."""
    name = unicodedata.normalize("NFC", target.strip()).split("/")[-1].lower()
    return name[:-3] if name.endswith(".md") else name


def links_as_words(text: str) -> str:
    """Links as the words that a reader sees."""
    return _ANY_LINK.sub(lambda m: m[2] or m[1].split("/")[-1], text)


def _without(line: str, start: int, end: int) -> str:
    """The sentence of ``line`` that holds [start, end), without what lies between them."""
    cut = 0
    for part in _SENTENCE_END.split(line):
        at = line.index(part, cut)
        if at <= start < at + max(len(part), 1):
            return _plain(part[: start - at] + " " + part[min(end - at, len(part)) :])
        cut = at + len(part)
    return _plain(line[:start] + " " + line[end:])


def _plain(text: str) -> str:
    """Links as words, marks of lists and emphasis left out."""
    text = re.sub(r"[*_=`~]{1,3}", "", _LIST_MARK.sub("", links_as_words(text)))
    return re.sub(r"\s+", " ", text).strip()


def _size(text: str) -> float:
    """How much a question says: words, or CJK characters by halves."""
    cjk = len(_CJK.findall(text))
    return len([w for w in _WORD.findall(_CJK.sub(" ", text)) if len(w) > 1]) + cjk / 2
