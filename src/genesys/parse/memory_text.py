"""The text of a memory: a note that a person can read, edit and link in Obsidian. Pure."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from genesys.model import EdgeType, MemoryType, ParseOptions
from genesys.parse.frontmatter import load, split
from genesys.parse.note import parse_note

__all__ = [
    "MemoryDraft",
    "as_written",
    "can_link",
    "clean",
    "closed",
    "content_of",
    "derive_title",
    "memory_key",
    "memory_note",
    "yaml_text",
]

TITLE_CHARS = 80  # characters: a file name that still shows whole in Obsidian's file list
#: What :func:`memory_note` writes; another property in a memory is a person's.
KEYS = frozenset(["memory_id", "memory_type", "category", "source_session", "created", "tags"])
_OWN = "genesys_"
_FIELD = re.compile(rf"(?:{'|'.join(kind.value for kind in EdgeType)}):: .*")
_NO_LINK = re.compile(r"[#|^\[\]\n]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """What goes into a memory's note. ``related`` are (link text, edge type); ``created`` is local ISO."""

    content: str
    key: str
    memory_type: MemoryType
    created: str
    category: str = ""
    source_session: str = ""
    tags: tuple[str, ...] = ()
    related: tuple[tuple[str, EdgeType], ...] = ()


def memory_key(source_session: str, content: str) -> str:
    """The idempotency key: 16 hex digits over session and content (white space and Unicode form aside)."""
    text = unicodedata.normalize("NFC", " ".join(clean(content).split()))
    session = " ".join(clean(source_session).split())
    return hashlib.blake2b(f"{session}\0{text}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def clean(text: str) -> str:
    """The text without characters that no note should hold: controls, half surrogate pairs, stray BOMs."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def can_link(target: str) -> bool:
    """Whether a wikilink can name this note: Obsidian reads ``#``, ``|``, ``^`` and brackets as syntax."""
    return _NO_LINK.search(target) is None


def memory_note(draft: MemoryDraft) -> str:
    """Frontmatter, the content as given, and each typed link as a field on a line of its own.

    The fields stand below the content, or above it where it opens something (an HTML comment, say) that
    would swallow them.
    """
    text = _laid_out(draft, fields_first=False)
    wanted = sum(can_link(target) for target, _ in draft.related)
    if wanted and _fields_read(text, draft) < wanted:
        return _laid_out(draft, fields_first=True)
    return text


def _fields_read(text: str, draft: MemoryDraft) -> int:
    keys = {(kind.value, target) for target, kind in draft.related}
    links = parse_note("memory.md", text.encode("utf-8", "replace"), ParseOptions()).links
    return len({(link.key, link.target) for link in links} & keys)


def _laid_out(draft: MemoryDraft, *, fields_first: bool) -> str:
    lines = ["---", f"memory_id: {yaml_text(draft.key)}", f"memory_type: {draft.memory_type.value}"]
    if draft.category:
        lines.append(f"category: {yaml_text(draft.category)}")
    if draft.source_session:
        lines.append(f"source_session: {yaml_text(draft.source_session)}")
    lines.append(f"created: {draft.created}")
    if draft.tags:
        lines += ["tags:", *(f"  - {yaml_text(tag)}" for tag in draft.tags)]
    body = [closed(draft.content.strip("\n"))]
    fields = [
        f"{kind.value}:: {f'[[{target}]]' if can_link(target) else target}" for target, kind in draft.related
    ]
    parts = [fields, body] if fields_first else [body, fields]
    text = [line for part in parts if part for line in ("", *part)]
    return "\n".join([*lines, "---", *text, ""])


def as_written(text: str) -> bool:
    """Whether a memory still says what Genesys wrote: no other property, and content that has its key.

    False for any note that a person wrote or changed, and for one that only carries a memory's properties.
    """
    return content_of(text) is not None


def content_of(text: str) -> str | None:
    """What Genesys was asked to remember, of a memory that is :func:`as_written`; None of any other note."""
    block = split(text)
    values = load(block).values if block else None
    if block is None or values is None or any(k not in KEYS and not k.startswith(_OWN) for k in values):
        return None
    session = values.get("source_session")
    lines = text[block.body :].replace("\r\n", "\n").strip("\n").split("\n")
    told = session if isinstance(session, str) else ""
    found = ("\n".join(content) for content in _contents(lines))
    return next((text for text in found if memory_key(told, text) == values.get("memory_id")), None)


def _contents(lines: list[str]) -> Iterator[list[str]]:
    """What may be the content among a body's lines: without fields above or below, or the fence we closed."""
    first = next((i for i, line in enumerate(lines) if not _FIELD.fullmatch(line)), len(lines))
    last = next((i for i in range(len(lines), 0, -1) if not _FIELD.fullmatch(lines[i - 1])), 0)
    for part in (lines[:last], lines[first:], lines):
        yield part
        text = "\n".join(part).rstrip("\n").split("\n")
        if re.fullmatch(r"`{3,}|~{3,}", text[-1]):  # the fence that we closed
            yield text[:-1]


def yaml_text(text: str) -> str:
    """A YAML scalar on one line, white space folded; JSON's quoting is YAML's double-quoted style."""
    return json.dumps(" ".join(clean(text).split()), ensure_ascii=False)


def closed(body: str) -> str:
    """Close a code fence that the content left open, so that the fields below stay outside of it."""
    fence = ""
    for line in body.split("\n"):
        match = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if match and not fence:
            fence = match[1]
        elif match and match[1][0] == fence[0] and len(match[1]) >= len(fence) and line.strip() == match[1]:
            fence = ""
    return f"{body}\n{fence}" if fence else body


def derive_title(content: str) -> str:
    """The first sentence or line of the content, free of markup, at most 80 characters, cut at a word."""
    for line in content.splitlines():
        text = re.sub(r"^[#>\-*+\s]+|[*_`~]+", "", line)
        text = re.sub(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]", r"\1", text)
        text = " ".join(text.split())
        if any(c.isalnum() for c in text):
            return _shortened(re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text, maxsplit=1)[0].rstrip(".。"))
    return "Memory"


def _shortened(text: str) -> str:
    if len(text) <= TITLE_CHARS:
        return text
    cut = text[:TITLE_CHARS].rsplit(" ", 1)[0]
    return (cut if len(cut) > TITLE_CHARS // 2 else text[:TITLE_CHARS]).rstrip(" ,;:-–—") + "…"
