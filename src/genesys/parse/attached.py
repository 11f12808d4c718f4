"""Text of an attachment as passages of the note that embeds it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from genesys.model import Passage
from genesys.parse.body import Unit, UnitKind
from genesys.parse.passages import Frame, cut_passages
from genesys.parse.text import digest, fold

__all__ = ["attached_passages", "plain_text"]

MOST = 5_000  # passages of one attachment
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "\u00ad": None})
_HYPHEN = re.compile(r"([^\W\d_])-\n([a-zà-ÿ])")
_GAP = re.compile(r"\n{3,}")


def plain_text(text: str) -> str:
    """What a reader sees: no controls, ligatures spelled out, words whole that a line's end had cut."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n"))
    text = _HYPHEN.sub(r"\1\2", text.translate(_LIGATURES))
    return _GAP.sub("\n\n", "\n".join(" ".join(line.split()) for line in text.split("\n"))).strip()


def attached_passages(
    name: str, line: int, sections: Iterable[tuple[Sequence[str], str]], wanted: int
) -> tuple[Passage, ...]:
    """Passages of about ``wanted`` tokens, each within one section (a page, what is under a heading).

    They stand at ``line``, where the note embeds the file, under its ``name``; what is embedded is the text
    alone, so that neither file nor note can be renamed into new vectors.
    """
    frame = Frame(title="0", wanted=wanted)
    found: list[Passage] = []
    for head, text in sections:
        path = (name, *head)
        unit = Unit(UnitKind.PROSE, 0, text.count("\n") + 1)
        for passage in cut_passages(text, [unit], frame) if text else ():
            found.append(
                replace(
                    passage,
                    ordinal=len(found),
                    heading_path=path,
                    line_start=line,
                    line_end=line,
                    block_id="",
                    text_hash=digest("\0".join((*path, passage.text)).encode("utf-8", "replace")),
                    search_heading=fold(" ".join(path)),
                )
            )
            if len(found) == MOST:
                return tuple(found)
    return tuple(found)
