"""Files and notes made by hand, so that the store is tested without the parser."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from genesys.model import EdgeType, FileRecord, FileStat, FileType, Link, LinkKind, Note, Passage, Relation

NOW = 1_800_000_000.0
DAY = 86_400.0


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def passage(text: str, ordinal: int = 0, *, heading: Sequence[str] = (), title: str = "") -> Passage:
    line = ordinal * 10 + 1
    return Passage(
        ordinal=ordinal,
        heading_path=tuple(heading),
        line_start=line,
        line_end=line + 5,
        text=text,
        embed_text=f"{title} › {text}" if title else text,
        text_hash=digest("\x00".join([*heading, text])),
        search_text=text.casefold(),
        search_heading=" ".join(heading).casefold(),
    )


def link(target: str, *, type: EdgeType = EdgeType.RELATED_TO, **values: Any) -> Link:
    relations = values.pop("relations", (Relation(type),))
    values.setdefault("sentence", f"see {target}")
    return Link(values.pop("kind", LinkKind.LINK), target, relations=relations, **values)


def record(
    path: str,
    texts: Sequence[str] = ("some text",),
    *,
    links: Sequence[str | Link] = (),
    aliases: Sequence[str] = (),
    mtime: float = NOW - 10 * DAY,
    title: str = "",
    content: str = "",
    **values: Any,
) -> FileRecord:
    """A note as the parser would hand it over; its content hash follows from what it says."""
    title = title or path.rpartition("/")[2].removesuffix(".md")
    made = tuple(x if isinstance(x, Link) else link(x) for x in links)
    seed = content or repr((texts, made, aliases, sorted(values.items(), key=repr)))
    note = Note(
        path=path,
        title=title,
        content_hash=digest(seed),
        aliases=tuple(aliases),
        links=made,
        passages=tuple(passage(text, i, title=title) for i, text in enumerate(texts)),
        search_title=title.casefold(),
        search_aliases=" ".join(aliases).casefold(),
        **values,
    )
    stat = FileStat(path, FileType.NOTE, len(seed), int(mtime * 1e9), 7, note.content_hash)
    return FileRecord(stat, note)


def attachment(path: str, *, mtime: float = NOW - DAY) -> FileRecord:
    return FileRecord(FileStat(path, FileType.ATTACHMENT, 3, int(mtime * 1e9), 8, ""))


def canvas(path: str, targets: Sequence[str]) -> FileRecord:
    stat = FileStat(path, FileType.CANVAS, 3, int(NOW * 1e9), 9, digest(path))
    return FileRecord(stat, links=tuple(link(t) for t in targets))


def simple_resolver(
    target: str, source: str, candidates: Sequence[str], owners: Sequence[str]
) -> tuple[str | None, bool]:
    """Exact path, own folder, shortest path, then a lone alias: enough to see what the store does with it."""
    names = [target, target + ".md"]
    folder = source.rpartition("/")[0]
    for path in candidates:
        if path in names:
            return path, False
    fitting = [
        p for p in candidates if any(p.endswith("/" + n) or p == n for n in names) or "/" not in target
    ]
    for path in fitting:
        if path.rpartition("/")[0] == folder:
            return path, False
    if fitting:
        return min(fitting, key=lambda p: (len(p), p)), False
    if len(owners) == 1 and "/" not in target:
        return owners[0], True
    return None, False
