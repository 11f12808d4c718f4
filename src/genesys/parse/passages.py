"""From blocks to passages: the runs of text that are embedded, searched and returned.

A passage never crosses a heading. Small neighbours are put together up to the wanted size, long blocks are
split at sentences or lines, and every line of the body that holds something is in a passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from genesys.model import Passage
from genesys.parse.body import Unit, UnitKind
from genesys.parse.readable import readable, strip_block_ids
from genesys.parse.sentences import sentence_starts
from genesys.parse.text import digest, fold
from genesys.parse.tokens import cut, estimate

__all__ = ["Frame", "cut_passages", "title_passage"]

WINDOW_TOKENS = 254  # what all-MiniLM-L6-v2 reads, without its two markers
_SAFETY = 0.82  # the estimate falls short by up to a fifth on code
_HARD_TOKENS = int(WINDOW_TOKENS * _SAFETY)
_PREFIX_TOKENS = 60  # most that title and headings may take
_SYLLABLE = "\uac00"  # the first character of which one may be more than one token
_MIN_TOKENS = 60  # a smaller rest is put to the passage before it, where it fits
_MAX_WORD = 400  # characters; longer strings without a space are cut
# Data no person reads (drawings, keys, images in base64): their place is kept, not their letters.
_BLOB_LINES = re.compile(
    r"^(?:[A-Za-z0-9+/=_\-]{120,}+\s*)+$|^(?>(?:[A-Za-z0-9+/=_\-]{60,}+\s*\n\s*){3,})[A-Za-z0-9+/=_\-]*$",
    re.MULTILINE,
)
_BLOB = re.compile(r"[A-Za-z0-9+/=_\-]{120,}+")
_BLOB_CHARS = 120
_DRAWING_DATA = ("json", "compressed-json")
_BLOCK_ID = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9\-]+)[ \t]*$", re.MULTILINE)
# A title that says something; a date or a number ("2024-03-09", "D1-3") only blurs a short text's vector.
_TELLING = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff\uac00-\ud7a3]|^\D*$")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(slots=True)
class Frame:
    """What the passages of one note share.

    ``wanted`` is in tokens. ``extra`` is searched with the first passage, and embedded nowhere. In a
    ``drawing`` (Excalidraw) JSON is coordinates.
    """

    title: str
    day: str = ""
    extra: str = ""
    first_line: int = 1
    wanted: int = 180
    drawing: bool = False

    @property
    def telling(self) -> bool:
        """Whether the title says something."""
        return _TELLING.search(self.title) is not None


class _Piece:
    """Lines ``start`` to ``end`` (from 0, end excluded) of one block; ``words`` are its text as it reads.

    ``most`` are the tokens it may have at most: where that settles a question, none are counted.
    """

    __slots__ = ("_tokens", "code", "end", "glue", "most", "start", "text", "words")

    def __init__(
        self, start: int, end: int, text: str, words: str, *, code: bool = False, glue: str = "\n\n"
    ) -> None:
        self.start, self.end, self.text, self.words, self.code = start, end, text, words, code
        self.glue = glue  # what joins it to the piece before
        self.most = len(words) if words.isascii() else 3 * len(words)
        self._tokens = -1

    @property
    def tokens(self) -> int:
        if self._tokens < 0:
            self._tokens = estimate(self.words)
        return self._tokens


class _Run:
    """The pieces of one passage to be; ``section`` tells apart two sections of the same name."""

    __slots__ = ("most", "path", "pieces", "section")

    def __init__(self, path: tuple[str, ...], section: int) -> None:
        self.path, self.section = path, section
        self.pieces: list[_Piece] = []
        self.most = 0

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    def add(self, piece: _Piece) -> None:
        self.pieces.append(piece)
        self.most += piece.most


def cut_passages(text: str, units: Sequence[Unit], frame: Frame) -> tuple[Passage, ...]:
    """Return the passages of a body; one of the title alone where it holds nothing."""
    runs = _Cutter(text.split("\n"), frame).runs(units)
    passages = tuple(_passage(n, run, frame) for n, run in enumerate(runs))
    return passages or (title_passage(frame),)


def title_passage(frame: Frame) -> Passage:
    """Return the passage of a note without text: its title, and what its properties say."""
    words = f"{frame.title}\n{frame.extra}" if frame.extra else frame.title
    return Passage(
        ordinal=0,
        heading_path=(),
        line_start=1,
        line_end=max(1, frame.first_line - 1),
        text=words,
        embed_text=cut(_dated(words, frame.day), _HARD_TOKENS),
        text_hash=_hash((), words),
        search_text=fold(words),
    )


class _Cutter:
    def __init__(self, lines: list[str], frame: Frame) -> None:
        self.lines = lines
        self.frame = frame
        self.path: list[tuple[int, str]] = []
        self.out: list[_Run] = []
        self.run = _Run((), 1)
        self.dated = estimate(_dated("", frame.day)) if frame.day else 0
        self.sure = min(frame.wanted, _HARD_TOKENS - _PREFIX_TOKENS - self.dated)  # fits under any heading
        self._room = -1

    @property
    def room(self) -> int:
        """Tokens that a passage of this section may have."""
        if self._room < 0:
            prefix = _prefix(self.run.path, self.frame)
            self._room = _HARD_TOKENS - self.dated - (estimate(prefix) if prefix else 0)
        return self._room

    @property
    def wanted(self) -> int:
        return min(self.frame.wanted, self.room)

    def runs(self, units: Sequence[Unit]) -> list[_Run]:
        last = len(units) - 1
        for index, unit in enumerate(units):
            if unit.kind is UnitKind.HEADING:
                self.heading(unit, units[index + 1] if index < last else None)
            else:
                self.unit(unit)
        self.flush()
        return self.out

    def heading(self, unit: Unit, following: Unit | None) -> None:
        """A heading opens a section; one with nothing under it is a line of the section around it."""
        while self.path and self.path[-1][0] >= unit.level:
            self.path.pop()
        empty = following is None or (following.kind is UnitKind.HEADING and following.level <= unit.level)
        if empty:
            around = tuple(title for _, title in self.path)
            if around != self.run.path:
                self.enter(around)
            self.unit(Unit(UnitKind.LINES, unit.start, unit.end))
            return
        title = " ".join(readable(unit.title).split())
        self.path.append((unit.level, title))
        self.enter(tuple([title for _, title in self.path]))

    def enter(self, path: tuple[str, ...]) -> None:
        """Begin a section, which closes the run of the one before."""
        self.flush()
        self.run = _Run(path, self.run.section + 1)
        self._room = -1

    def add(self, piece: _Piece) -> None:
        run = self.run
        if run.pieces and run.most + piece.most > self.sure and run.tokens + piece.tokens > self.wanted:
            self.flush()
            run = self.run
        run.pieces.append(piece)
        run.most += piece.most

    def flush(self) -> None:
        """Close the run; a small rest joins the run before it in the same section, where both fit."""
        run = self.run
        if not run.pieces:
            return
        self.run = _Run(run.path, run.section)
        last = self.out[-1] if self.out else None
        if (
            last
            and last.section == run.section
            and (tokens := run.tokens) < _MIN_TOKENS
            and last.tokens + tokens <= self.room
        ):
            for piece in run.pieces:
                last.add(piece)
        else:
            self.out.append(run)

    def unit(self, unit: Unit) -> None:
        if self.frame.drawing and unit.info in _DRAWING_DATA:
            self.add(_Piece(unit.start, unit.end, f"```{unit.info}\n…\n```", "…", code=True))
            return
        whole = self.piece(unit, unit.start, unit.end)
        if whole.most <= self.sure or whole.tokens <= self.limit(unit):
            if whole.text.strip():
                self.add(whole)
            return
        prose = unit.kind is UnitKind.PROSE
        for piece in self.split_text(unit.start, whole.text) if prose else self.by_lines(unit):
            self.add(piece)

    def limit(self, unit: Unit) -> int:
        return self.room if unit.kind in (UnitKind.CODE, UnitKind.TABLE) else self.wanted

    def by_lines(self, unit: Unit) -> Iterator[_Piece]:
        """Groups of whole lines; a list is cut before its items where they fit."""
        cuts, wanted = set(unit.parts), self.wanted
        start, tokens = unit.start, 0
        for at in range(unit.start, unit.end):
            size = estimate(self.words(unit, self.lines[at]))
            full = tokens + size > wanted
            ahead = at in cuts and tokens > wanted // 2
            if at > start and (full or ahead):
                yield from self.chunk(unit, start, at)
                start, tokens = at, 0
            tokens += size
        yield from self.chunk(unit, start, unit.end)

    def chunk(self, unit: Unit, start: int, end: int) -> Iterator[_Piece]:
        piece = self.piece(unit, start, end, glue="\n" if start > unit.start else "\n\n")
        if piece.most > self.sure and piece.tokens > self.room:
            yield from self.split_text(start, piece.text)
        elif piece.text.strip():
            yield piece

    def split_text(self, start: int, text: str) -> Iterator[_Piece]:
        """Groups of whole sentences; what has none is cut between words, then anywhere."""
        line, at = start, 0
        for part in _group(text, self.wanted):
            begin = text.index(part, at)
            line += text.count("\n", at, begin)
            at = begin
            words = _BLOB.sub("…", readable(part))
            glue = "\n\n" if begin == 0 else " "
            yield _Piece(line, line + part.count("\n") + 1, part, words, glue=glue)

    def piece(self, unit: Unit, start: int, end: int, glue: str = "\n\n") -> _Piece:
        lines = self.lines
        text = (lines[start] if end - start == 1 else "\n".join(lines[start:end])).rstrip()
        if len(text) > _BLOB_CHARS:
            text = _BLOB_LINES.sub("…", text)
        words = self.words(unit, text)
        while end > start + 1 and not lines[end - 1].strip():
            end -= 1
        return _Piece(start, end, text, words, code=unit.kind is UnitKind.CODE, glue=glue)

    def words(self, unit: Unit, text: str) -> str:
        words = readable(text, code=unit.kind is UnitKind.CODE)
        return _BLOB.sub("…", words) if len(words) > _BLOB_CHARS else words


def _group(text: str, wanted: int) -> Iterator[str]:
    """Yield stretches of ``text`` of at most ``wanted`` tokens that together hold all of it."""
    held, tokens = "", 0
    for sentence in _sentences(text, wanted):
        size = estimate(sentence)
        if held and tokens + size > wanted:
            yield held.rstrip()
            held, tokens = "", 0
        held += sentence
        tokens += size
    if held.strip():
        yield held.rstrip()


def _sentences(text: str, wanted: int) -> Iterator[str]:
    starts = [*sentence_starts(text), len(text)]
    for begin, end in pairwise(starts):
        sentence = text[begin:end]
        if estimate(sentence) <= wanted:
            yield sentence
        else:
            yield from _words(sentence, wanted)


_WORD = re.compile(r"\S+\s*|\s+")


def _words(sentence: str, wanted: int) -> Iterator[str]:
    for match in _WORD.finditer(sentence):
        word = match.group()
        step = _MAX_WORD if estimate(word[:_MAX_WORD]) <= wanted else wanted
        for at in range(0, len(word), step):
            yield word[at : at + step]


def _passage(ordinal: int, run: _Run, frame: Frame) -> Passage:
    pieces = run.pieces
    first = pieces[0]
    raw = first.text if len(pieces) == 1 else first.text + "".join([p.glue + p.text for p in pieces[1:]])
    words = _joined(pieces, [p.words for p in pieces])
    text = strip_block_ids(raw) or raw.strip()
    ids = _BLOCK_ID.search(raw) if "^" in raw else None
    searched = _joined(pieces, [_searched(p) for p in pieces]) if "://" in text else words
    if ordinal == 0 and frame.extra:
        searched += "\n" + frame.extra
    return Passage(
        ordinal,
        run.path,
        first.start + frame.first_line,
        pieces[-1].end - 1 + frame.first_line,
        text,
        f"{_prefix(run.path, frame)}\n{_dated(words, frame.day)}".strip(),
        _hash(run.path, text),
        ids.group(1) if ids else "",
        fold(searched),
        fold(" ".join(run.path)) if run.path else "",
    )


def _joined(pieces: Sequence[_Piece], words: Sequence[str]) -> str:
    if len(pieces) == 1:
        return words[0].strip()
    glued = [("\n" if "\n" in piece.glue else " ") + text for piece, text in zip(pieces, words, strict=True)]
    return "".join(glued).strip()


def _searched(piece: _Piece) -> str:
    """Full text finds a bare address by any of its parts; the model reads its host."""
    return readable(piece.text, urls=True) if "://" in piece.text and not piece.code else piece.words


def _prefix(path: tuple[str, ...], frame: Frame) -> str:
    """``title › heading › heading``; too long a path keeps its first and last names."""
    names = [frame.title, *path] if frame.telling else list(path)
    if not names:
        return ""
    if len(names) > 1 and names[1].casefold() == frame.title.casefold():
        del names[1]
    whole = " › ".join(names)
    if (len(whole) <= _PREFIX_TOKENS and max(whole) < _SYLLABLE) or estimate(whole) <= _PREFIX_TOKENS:
        return whole
    if len(names) == 1:
        return cut(whole, _PREFIX_TOKENS)
    return " › ".join((cut(names[0], _PREFIX_TOKENS // 2 - 2), cut(names[-1], _PREFIX_TOKENS // 2 - 2)))


def _dated(words: str, day: str) -> str:
    """Prefix "[7 May 2023] ": embedding models know dates by their names."""
    if not day:
        return words
    year, month, number = day[:10].split("-")
    return f"[{int(number)} {_MONTHS[int(month) - 1]} {year}] {words}"


def _hash(path: tuple[str, ...], text: str) -> str:
    return digest("\0".join((*path, text)).encode("utf-8", "replace"))
