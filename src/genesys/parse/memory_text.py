"""The text of a memory: a note that a person can read, edit and link in Obsidian. Pure."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass

from genesys.model import EdgeType, MemoryType

__all__ = ["MemoryDraft", "derive_title", "memory_key", "memory_note"]

TITLE_CHARS = 80  # characters: a file name that still shows whole in Obsidian's file list


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
    """The idempotency key: 16 hex digits over session and content (white space and case form aside)."""
    text = unicodedata.normalize("NFC", " ".join(content.split()))
    return hashlib.blake2b(f"{source_session}\0{text}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def memory_note(draft: MemoryDraft) -> str:
    """Frontmatter, the content as given, and each typed link as a field on a line of its own."""
    lines = ["---", f"memory_id: {_yaml(draft.key)}", f"memory_type: {draft.memory_type.value}"]
    if draft.category:
        lines.append(f"category: {_yaml(draft.category)}")
    if draft.source_session:
        lines.append(f"source_session: {_yaml(draft.source_session)}")
    lines.append(f"created: {draft.created}")
    if draft.tags:
        lines += ["tags:", *(f"  - {_yaml(tag)}" for tag in draft.tags)]
    body = _closed(draft.content.strip("\n"))
    fields = [f"{kind.value}:: [[{target}]]" for target, kind in draft.related]
    return "\n".join([*lines, "---", "", body, *([""] if fields else []), *fields, ""])


def _yaml(text: str) -> str:
    """A YAML scalar on one line; JSON's quoting is YAML's double-quoted style."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def _closed(body: str) -> str:
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
