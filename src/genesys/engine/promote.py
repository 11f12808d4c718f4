"""Copy a memory into a shared vault. Only memories: what a person wrote is theirs to share (P3).

A copy carries no state of ours (scores, recalls), so the shared vault scores it by its own use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from genesys.errors import NoteNotFound, UsageError, VaultNotFound, WriteRefused
from genesys.model import WRITTEN, Kind
from genesys.parse.inline import Found, scan
from genesys.parse.patch import unpatch
from genesys.paths import unique_path
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.vault import read
from genesys.write import create

if TYPE_CHECKING:
    from genesys.engine.session import Genesys

__all__ = ["Action", "Copy", "Kept", "Promotion", "promote", "promote_note", "without_links"]

Progress = Callable[[str, int, int], None]
# "caused_by:: [[a]], [[b]]", also as a list item: a line that says nothing but where it leads.
_FIELD_START = re.compile(r"[ \t]*(?:[-*+] )?[^\s:\[\]][^:\[\]\n]*::[ \t]*\Z")


class Action(StrEnum):
    """What becomes of the links of a copy."""

    KEEP_PRIVATE = "keep_private"
    PROMOTE_ALL = "promote_all"
    DELETE_LINKS = "delete_links"


@dataclass(frozen=True, slots=True)
class Copy:
    """A memory and its place in the shared vault; ``state`` is planned, copied or already there."""

    path: str
    target: str
    state: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A linked note that was not copied, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Promotion:
    """What was copied, or would be."""

    action: Action
    dry_run: bool
    copied: tuple[Copy, ...]
    kept_private: tuple[Kept, ...]
    links_removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    copy: Copy
    raw: bytes
    removed: tuple[str, ...]


def promote_note(
    memory: Genesys, name: str, action: Action, *, dry_run: bool = True, progress: Progress | None = None
) -> Promotion:
    """:func:`promote` for a note named as in a wikilink."""
    with memory._lock:
        path = memory.resolve(name)
        return promote(memory._index, memory.settings, path, action, dry_run=dry_run, progress=progress)


def promote(
    index: Index,
    settings: Settings,
    path: str,
    action: Action,
    *,
    dry_run: bool = True,
    progress: Progress | None = None,
) -> Promotion:
    """Copy the memory at ``path`` into ``settings.org_vault``. Everything is checked before any write.

    Raises:
        UsageError: no shared vault is set up, or it is this vault.
        VaultNotFound: the shared vault's folder is not there.
        WriteRefused: a person wrote the note.
        DiskFull, PathEscape: the shared vault can't be written.
    """
    _shared_root(settings)
    _check_memory(index, path)
    linked = _linked(index, path)
    others = [p for p, kind in linked.items() if kind is Kind.MEMORY and action is Action.PROMOTE_ALL]
    drafts = [_draft(settings, p, action) for p in [path, *others]]
    copies = []
    for done, draft in enumerate(drafts):
        copies.append(draft.copy if dry_run else _written(settings, draft))
        if progress:
            progress("copy", done + 1, len(drafts))
    kept = tuple(_kept(p, kind, action) for p, kind in linked.items() if p not in others)
    removed = tuple(dict.fromkeys(name for draft in drafts for name in draft.removed))
    return Promotion(action, dry_run, tuple(copies), kept, removed)


def _shared_root(settings: Settings) -> None:
    root = settings.org_vault
    if root is None:
        raise UsageError("no shared vault is set up", hint="set GENESYS_ORG_VAULT to its folder")
    if not root.is_dir():
        raise VaultNotFound(f"the shared vault {root} is not a folder", hint="check GENESYS_ORG_VAULT")
    if root.resolve() == settings.vault.resolve():
        raise UsageError("the shared vault is this vault", hint="set GENESYS_ORG_VAULT to another folder")


def _check_memory(index: Index, path: str) -> None:
    row = index.note_row(path)
    if row is None:
        raise NoteNotFound(f"{path} is not in the index", hint="genesys index")
    if row.kind is not Kind.MEMORY:
        raise WriteRefused(
            f"{path} was written by a person; only memories are copied",
            hint="ask the person to copy the note themselves, if they want it shared",
        )


def _linked(index: Index, path: str) -> dict[str, Kind]:
    """Notes that the memory's own text links to, with who wrote them."""
    note = index.note_id(path)
    edges = index.edges_of([note]) if note is not None else []
    ends = {e.target for e in edges if e.source == path and e.created_by in WRITTEN} - {path}
    rows = index.note_rows(list(index.note_ids(ends).values()))
    return {row.path: row.kind for row in sorted(rows.values(), key=lambda row: row.path)}


def _kept(path: str, kind: Kind, action: Action) -> Kept:
    if action is Action.DELETE_LINKS:
        return Kept(path, "the copy does not link to it")
    if kind is Kind.NOTE and action is Action.PROMOTE_ALL:
        return Kept(path, "a person wrote it; the copy names it in a link")
    return Kept(path, "the copy names it in a link")


def _draft(settings: Settings, path: str, action: Action) -> _Draft:
    """The copy's bytes and its place: the same path, or the next free name where another note has it."""
    raw = unpatch(read(settings.vault, path))
    removed: tuple[str, ...] = ()
    if action is Action.DELETE_LINKS:
        text, removed = without_links(raw.decode("utf-8"))
        raw = text.encode("utf-8")
    root = settings.org_vault
    assert root is not None
    state = "planned"

    def taken(candidate: str) -> bool:
        nonlocal state
        file = root / candidate
        if not file.exists():
            return False
        if file.is_file() and file.read_bytes() == raw:
            state = "already there"
            return False
        return True

    return _Draft(Copy(path, unique_path(path, taken), state), raw, removed)


def _written(settings: Settings, draft: _Draft) -> Copy:
    if draft.copy.state == "already there":
        return draft.copy
    assert settings.org_vault is not None
    create(settings.org_vault, draft.copy.target, draft.raw)
    return Copy(draft.copy.path, draft.copy.target, "copied")


def without_links(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with every wikilink as its plain words, and the targets that went.

    A line that is nothing but a field and its links goes whole.
    """
    links = [link for link in scan(text).links if text[link.start :].startswith(("[[", "![["))]
    parts: list[str] = []
    at = 0
    for start, end, found in _lines_with_links(text, links):
        parts.append(text[at:start])
        parts.append(_unlinked(text[start:end], start, found))
        at = end
    return "".join([*parts, text[at:]]), tuple(dict.fromkeys(link.target for link in links if link.target))


def _lines_with_links(text: str, links: Iterable[Found]) -> list[tuple[int, int, list[Found]]]:
    """(start, end with the line break, links) of each line that has links."""
    lines: dict[int, list[Found]] = {}
    for link in links:
        lines.setdefault(text.rfind("\n", 0, link.start) + 1, []).append(link)
    ends = {start: text.find("\n", found[-1].end) for start, found in lines.items()}
    return [(start, ends[start] + 1 or len(text), found) for start, found in sorted(lines.items())]


def _unlinked(line: str, offset: int, links: list[Found]) -> str:
    gaps, words, at = [], [], 0
    for link in links:
        start, end = link.start - offset, link.end - offset
        gaps.append(line[at:start])
        words.append(_words(line[start:end], link))
        at = end
    rest = line[at:]
    if _FIELD_START.match(gaps[0]) and not "".join([*gaps[1:], rest]).strip(" ,;\t\r\n"):
        return ""
    return "".join(gap + word for gap, word in zip(gaps, words, strict=True)) + rest


def _words(written: str, link: Found) -> str:
    """What a reader saw of the link: its alias, else the name without its folders."""
    alias = written.rstrip("]").partition("|")[2] if not link.embed else ""
    return alias.strip() or link.target.rpartition("/")[2] or link.subpath.lstrip("#^")
