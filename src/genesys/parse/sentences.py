"""Where sentences end, well enough for evidence: a table of abbreviations, no language model."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

__all__ = ["MAX_SENTENCE", "Sentences", "sentence_starts"]

MAX_SENTENCE = 300  # characters; longer ones are cut at words around the link
_WRAPPED = 60  # characters; a line this long without a full stop may have been wrapped

_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*\s+|[。！？]+[」』”’）]*\s*|\n\s*")
_LAST_WORD = re.compile(r"[\w.]+\Z")
_ABBREVIATIONS_TEXT = """
    dr mr mrs ms prof st sr jr vs etc e.g eg i.e ie cf fig figs no nos vol pp p ca approx al inc ltd co corp
    dept ed eds est gen gov hon rev sen rep ref sec ch jan feb mar apr jun jul aug sep sept oct nov dec
    bzw z.b u.a d.h usw vgl bspw nr hr fr abs ggf inkl sog evtl m.e o.ä u.u av p.ej sra núm pág
"""  # English, German, French, Spanish
_ABBREVIATIONS = frozenset(_ABBREVIATIONS_TEXT.split())


def sentence_starts(text: str) -> list[int]:
    """Return the offsets at which sentences begin, 0 first."""
    starts = [0]
    for match in _END.finditer(text):
        if match.end() < len(text) and _ends(text, match):
            starts.append(match.end())
    return starts


def _ends(text: str, match: re.Match[str]) -> bool:
    """A full stop ends no sentence after an abbreviation, an initial, or before a small letter."""
    if match.group().isspace():
        return _line_ends(text, match)
    if text[match.start()] != "." or match.group().startswith(".."):
        return True
    if text[match.end()].islower():
        return False
    word = _LAST_WORD.search(text, max(0, match.start() - 20), match.start())
    if word is None:
        return True
    last = word.group().lower()
    if len(last) == 1 and not last.isdigit():
        return False
    if last.isdigit() and text.rfind("\n", 0, match.start()) + 1 == word.start():
        return False  # a numbered line
    return last not in _ABBREVIATIONS


def _line_ends(text: str, match: re.Match[str]) -> bool:
    """Obsidian shows a line break as one, but people also wrap by hand: then long lines go on."""
    if match.group().count("\n") > 1:
        return True
    if text[match.end()].islower():
        return False
    line = match.start() - text.rfind("\n", 0, match.start()) - 1
    return line < _WRAPPED or text[match.start() - 1] in ":;"


class Sentences:
    """The sentences of one block, found once however many links it holds."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = sentence_starts(text)

    def around(self, start: int, end: int) -> tuple[str, int, int]:
        """Return the sentence that holds ``text[start:end]`` and where that stands in it.

        White space is single; a sentence over :data:`MAX_SENTENCE` is cut at words on both sides.
        """
        first = self.starts[max(0, bisect_right(self.starts, start) - 1)]
        index = bisect_left(self.starts, end)
        last = self.starts[index] if index < len(self.starts) else len(self.text)
        return excerpt(self.text, first, last, start, end)


_LEAD = re.compile(r"\[[^\[\]]\]\s+|\[![\w|\-]+\][+\-]?\s+")  # of a task, of a callout
_BLOCK_ID = re.compile(r"\s*\^[A-Za-z0-9\-]+\s*\Z")


def excerpt(text: str, first: int, last: int, start: int, end: int) -> tuple[str, int, int]:
    """Return ``text[first:last]``, at most MAX_SENTENCE long around ``[start:end)``, and the place in it."""
    if text.startswith("[", first) and (lead := _LEAD.match(text, first, start)):
        first = lead.end()
    room = max(0, MAX_SENTENCE - (end - start))
    if last - first > MAX_SENTENCE:
        before = min(start - first, max(room // 2, room - (last - end)))
        first = _word_start(text, start - before, first, start)
        last = _word_end(text, min(last, start + MAX_SENTENCE - (start - first)), end, last)
    left = " ".join(text[first:start].split())
    if left and text[start - 1].isspace():
        left += " "
    middle = " ".join(text[start:end].split())[:MAX_SENTENCE]
    rest = text[end:last]
    right = " ".join((_BLOCK_ID.sub("", rest) if "^" in rest else rest).split())
    if right and text[end].isspace():
        right = " " + right
    return left + middle + right, len(left), len(left) + len(middle)


def _word_start(text: str, pos: int, first: int, limit: int) -> int:
    if pos <= first or text[pos - 1].isspace():
        return max(pos, first)
    space = text.find(" ", pos, limit)
    return space + 1 if space >= 0 else pos


def _word_end(text: str, pos: int, limit: int, last: int) -> int:
    if pos >= last:
        return last
    space = text.rfind(" ", limit, pos)
    return space if space >= 0 else max(pos, limit)
