"""Memories that agents write, and what a person or an agent says of a note: pin, forget, core."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from genesys.embed import Embedder
from genesys.engine.reading import read_record
from genesys.errors import NoteNotFound, UsageError, VaultError, WriteRefused
from genesys.model import EdgeType, FileRecord, FileStat, Kind, MemoryType
from genesys.parse.memory_text import MemoryDraft, derive_title, memory_key, memory_note
from genesys.paths import safe_name, unique_path
from genesys.reports import Forgotten, Remembered
from genesys.settings import Settings, obsidian_config
from genesys.store.index import Index
from genesys.store.rows import NoteRow
from genesys.trash import restore, trash
from genesys.write import create

__all__ = ["Request", "forget", "put_file", "remember", "trash_note", "undo_forget"]

MAX_CONTENT = (
    1_000_000  # characters of a memory: beyond it is a document, which belongs in the vault by itself
)
MAX_RELATED = 50  # links a memory may come with


@dataclass(frozen=True, slots=True)
class Request:
    """What to remember. ``related`` are (note name, edge type)."""

    content: str
    title: str = ""
    related: tuple[tuple[str, EdgeType], ...] = ()
    category: str = ""
    memory_type: MemoryType | None = None
    source_session: str = ""
    tags: tuple[str, ...] = ()


Resolve = Callable[[str], str]


def remember(
    index: Index,
    settings: Settings,
    request: Request,
    now: float,
    resolve: Resolve,
    embedder: Embedder | None,
) -> Remembered:
    """Write a memory as a note, once: the same session and content again finds the note that is there.

    Everything is checked before anything is written.

    Raises:
        UsageError: no content, or too much of it.
        NoteNotFound, AmbiguousNote: a related note is not there.
        WriteRefused, DiskFull: the vault can't be written.
    """
    _check(request)
    related = tuple((resolve(name), kind) for name, kind in request.related)
    key = memory_key(request.source_session, request.content)
    known = _known(index, key)
    if known is not None and not _lost(settings, known):
        return Remembered(
            known.path, known.title, False, tuple(index.edges_of([known.id])), memory_type=known.memory_type
        )
    from genesys.engine.conflicts import find_conflicts

    hints = find_conflicts(index, settings, request.content, embedder, now)
    draft = _draft(index, request, related, key, now)
    path = _write(settings, request, draft, now)
    put_file(index, settings, path, now)
    if embedder is not None:
        from genesys.engine.autolink import link_new

        link_new(index, embedder, path)
    number = index.note_id(path)
    edges = tuple(index.edges_of([number])) if number is not None else ()
    index.add_event("remember", path, {"key": key}, now=now)
    superseded = next((p for p, kind in related if kind is EdgeType.SUPERSEDES), "")
    title = path.rpartition("/")[2][:-3]
    return Remembered(path, title, True, edges, hints.hits, hints.reasons, superseded, draft.memory_type)


def _check(request: Request) -> None:
    if not request.content.strip():
        raise UsageError("there is nothing to remember", hint="give the content of the memory")
    if len(request.content) > MAX_CONTENT:
        raise UsageError(
            f"a memory may have {MAX_CONTENT:,} characters, this has {len(request.content):,}",
            hint="store the document as a note of the vault and remember what matters of it",
        )
    if "\0" in request.content:
        raise UsageError("a memory is text and can't hold NUL characters", hint="remove them")
    if len(request.related) > MAX_RELATED:
        raise UsageError(f"a memory may come with {MAX_RELATED} links", hint="name the most important ones")


def _known(index: Index, key: str) -> NoteRow | None:
    """The memory that was written for this key, if there is one."""
    paths = index.notes_by_property("memory_id", key)
    return index.note_row(paths[0]) if paths else None


def _lost(settings: Settings, row: NoteRow) -> bool:
    """The index knows the memory but its file is gone (the next pass will notice)."""
    return not (settings.vault / row.path).exists()


def _draft(
    index: Index, request: Request, related: Sequence[tuple[str, EdgeType]], key: str, now: float
) -> MemoryDraft:
    return MemoryDraft(
        content=request.content.encode("utf-8", "replace").decode("utf-8"),
        key=key,
        memory_type=request.memory_type or MemoryType.SEMANTIC,
        created=_local(now).isoformat(),
        category=request.category,
        source_session=request.source_session,
        tags=tuple(
            dict.fromkeys(t.strip().lstrip("#").replace(" ", "-") for t in request.tags if t.strip(" #"))
        ),
        related=tuple(dict.fromkeys((_link_text(index, path), kind) for path, kind in related)),
    )


def _local(now: float) -> datetime:
    """The person's own time, to the second and without a zone, as properties show it."""
    return datetime.fromtimestamp(now).astimezone().replace(microsecond=0, tzinfo=None)


def _link_text(index: Index, path: str) -> str:
    """The shortest text that a wikilink to ``path`` needs: the name where only one file has it."""
    from genesys.parse.text import name_key

    stem = path[:-3] if path.lower().endswith(".md") else path
    name = stem.rpartition("/")[2]
    return name if len(index.paths_by_key(name_key(path))) == 1 else stem


def _write(settings: Settings, request: Request, draft: MemoryDraft, now: float) -> str:
    """Create the note under ``Memories/<year>/``; a name that is taken gets a number."""
    name = safe_name(request.title or derive_title(request.content), "Memory")
    folder = f"{settings.memories_folder.strip('/')}/{_local(now).year}"
    raw = memory_note(draft).encode("utf-8")
    taken: set[str] = set()
    while True:
        path = unique_path(f"{folder}/{name}.md", lambda p: p in taken or (settings.vault / p).exists())
        try:
            create(settings.vault, path, raw)
            return path
        except FileExistsError:  # another process took the name between the look and the write
            taken.add(path)


def put_file(index: Index, settings: Settings, path: str, now: float) -> None:
    """Bring one file of the vault into the index, links resolved (the words are searchable at once)."""
    from genesys.engine.indexing import resolve_links
    from genesys.vault import file_stat

    stat: FileStat | None = file_stat(settings.vault, path)
    record = read_record(settings.vault, stat, settings.parse) if stat else None
    if not isinstance(record, FileRecord):
        raise VaultError(f"{path} could not be read back", hint="see `genesys status`")
    index.put([record], now)
    resolve_links(index)


def trash_note(
    index: Index, settings: Settings, row: NoteRow, event: str, reason: str, now: float
) -> Forgotten:
    """Move a note to the trash the vault's own way, take it out of the index, and record the way back."""
    option = obsidian_config(settings.vault).trash_option
    broken = tuple(sorted({e.source for e in index.edges_of([row.id]) if e.target == row.path}))
    went = trash(settings.vault, row.path, option)
    detail = {
        "trashed": went,
        "reason": reason,
        "kind": row.kind.value,
        "state": {"status": row.status.value, "pinned": row.pinned, "recalls": row.recalls},
    }
    with index.transaction():
        number = index.add_event(event, row.path, detail, now=now, keep=True)
        index.remove([row.path])
    from genesys.engine.indexing import resolve_links

    resolve_links(index)
    return Forgotten(row.path, went, f"genesys forget --undo {number}", broken)


def forget(
    index: Index, settings: Settings, path: str, now: float, *, allow_person_note: bool = False
) -> Forgotten:
    """Put a note into the trash.

    Raises:
        WriteRefused: a person wrote it and ``allow_person_note`` is not set (P3).
    """
    row = _row(index, path)
    if row.kind is not Kind.MEMORY and not allow_person_note:
        raise WriteRefused(
            f"{path} was written by a person; Genesys does not forget it by itself",
            hint=f'genesys forget "{path}"',
        )
    return trash_note(index, settings, row, "forget", "asked for", now)


def _row(index: Index, path: str) -> NoteRow:
    rows = index.notes_by_path([path])
    if not rows:
        raise NoteNotFound(f"{path} is not in the index", hint="genesys index")
    return rows[0]


def undo_forget(index: Index, settings: Settings, which: str, now: float) -> str:
    """Bring a note back from the trash: the last one, or the one of an event number or a path.

    Raises:
        NoteNotFound: nothing was forgotten under that name.
        VaultError: the trashed file is gone, or the place is taken.
    """
    for event in index.events(kinds=("forget", "prune"), newest_first=True):
        if which and which not in (str(event.id), event.path):
            continue
        if event.detail.get("undone"):
            continue
        went = str(event.detail["trashed"])
        restore(settings.vault, went, event.path)
        put_file(index, settings, event.path, now)
        index.set_event_detail(event.id, {**event.detail, "undone": now})
        index.add_event("unforget", event.path, {"event": event.id}, now=now)
        return event.path
    raise NoteNotFound(
        f"nothing forgotten matches {which!r}" if which else "nothing was forgotten", hint="see the trash"
    )


def set_preferences(
    index: Index, auto: Sequence[str], approval: Sequence[str], excluded: Sequence[str]
) -> None:
    """Keep the core preferences; a category may stand on one list only.

    Raises:
        UsageError: a category is on two lists.
    """
    lists = {"auto": sorted(set(auto)), "approval": sorted(set(approval)), "excluded": sorted(set(excluded))}
    names = [name for group in lists.values() for name in group]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise UsageError(f"{', '.join(twice)} is on two lists", hint="each category goes on one of them")
    index.meta_set("core_preferences", json.dumps(lists))
