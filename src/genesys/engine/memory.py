"""Memories that agents write, as notes of the vault."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from genesys.embed import Embedder
from genesys.engine.reading import read_record
from genesys.errors import NoteNotFound, UsageError, VaultError, VaultNotFound, WriteRefused
from genesys.ignore import load_rules
from genesys.model import (
    CreatedBy,
    Edge,
    EdgeType,
    FileRecord,
    FileStat,
    FileType,
    MemoryType,
    Move,
)
from genesys.parse.memory_text import MemoryDraft, can_link, clean, derive_title, memory_key, memory_note
from genesys.parse.secrets import find_secret
from genesys.paths import safe_name, unique_path
from genesys.reports import Remembered
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import NoteRow
from genesys.vault import file_stat, walk
from genesys.write import create, uncreate

__all__ = ["Request", "note_row_of", "put_file", "remember", "set_preferences"]

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

    Everything is checked before anything is written; of two processes that remember at once one waits.

    Raises:
        UsageError: no content, too much of it, or a secret in it.
        NoteNotFound, AmbiguousNote: a related note is not there.
        WriteRefused, DiskFull: the vault can't be written. VaultNotFound: it is away.
    """
    _check(request)
    _check_vault(index, settings)
    related = tuple(dict.fromkeys((resolve(name), kind) for name, kind in request.related))
    key = memory_key(request.source_session, request.content)
    replaced = tuple(path for path, kind in related if kind is EdgeType.SUPERSEDES)
    known = _known(index, settings, key, replaced, now)
    if known is not None:
        return _found(index, known, replaced)
    from genesys.engine.conflicts import find_conflicts

    draft = _draft(index, request, related, key, now)
    hints = find_conflicts(index, settings, draft.content, embedder, now, replaced)
    with index.transaction():  # from here on no other process looks for the key
        known = _known(index, settings, key, replaced, now)
        if known is not None:
            return _found(index, known, replaced)
        path = _store(index, settings, request, draft, related, now)
    if embedder is not None:
        from genesys.engine.autolink import link_waiting

        link_waiting(index, embedder)
    row = note_row_of(index, path)
    edges = tuple(index.edges_of([row.id]))
    first = next(iter(replaced), "")
    return Remembered(path, row.title, True, edges, hints.hits, hints.reasons, first, draft.memory_type)


def _found(index: Index, row: NoteRow, replaced: Sequence[str]) -> Remembered:
    """The answer to a retry."""
    edges = tuple(index.edges_of([row.id]))
    return Remembered(
        row.path, row.title, False, edges, supersedes=next(iter(replaced), ""), memory_type=row.memory_type
    )


def _store(
    index: Index,
    settings: Settings,
    request: Request,
    draft: MemoryDraft,
    related: Sequence[tuple[str, EdgeType]],
    now: float,
) -> str:
    """Write the note and bring it into the index; where the index can't take it, the note goes again."""
    path, made = _write(index, settings, request, draft, now)
    try:
        put_file(index, settings, path, now)
        # What no wikilink can name is kept in the index alone.
        unnamed = [(t, kind) for t, kind in related if not can_link(_link_text(index, t))]
        if unnamed:
            index.add_edges([Edge(path, t, kind, 1.0, CreatedBy.TOOL) for t, kind in unnamed])
        index.add_event("remember", path, {"key": draft.key}, now=now)
    except BaseException:
        if made is not None:
            uncreate(settings.vault, made)
        raise
    return path


def _check_vault(index: Index, settings: Settings) -> None:
    """Nothing is written where the vault's disk should be but is not: it would be hidden by its return."""
    try:
        if next(settings.vault.iterdir(), None) is not None or not index.counts().notes:
            return
    except OSError:
        pass
    raise VaultNotFound(f"{settings.vault} is gone or empty", hint="is its disk mounted?")


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
    for text in (request.title, request.content):
        if what := find_secret(text):
            raise UsageError(
                f"this looks like {what}; nothing was stored",
                hint="say where the secret is kept, not what it is",
            )


def _known(
    index: Index, settings: Settings, key: str, replaced: Collection[str], now: float
) -> NoteRow | None:
    """The memory that was written for this key and supersedes the same notes, wherever it is now."""
    rows = index.notes_by_path(index.notes_by_property("memory_id", key))
    for row in rows:
        over = {e.target for e in index.edges_of([row.id], [EdgeType.SUPERSEDES]) if e.source == row.path}
        if row.path in replaced or not over.issuperset(replaced):
            continue
        if (settings.vault / row.path).exists():
            return row
        if path := _moved(index, settings, key):  # a person moved it since the last pass
            index.move([Move(row.path, path)])
            put_file(index, settings, path, now)
            return note_row_of(index, path)
    return None


def _moved(index: Index, settings: Settings, key: str) -> str:
    """Where a file that the index doesn't know carries this key; "" where none does."""
    known = index.file_states()
    for stat in walk(settings.vault, load_rules(settings.vault, follow=settings.follow_links)).files:
        if stat.type is FileType.NOTE and stat.path not in known and _key_of(settings, stat.path) == key:
            return stat.path
    return ""


def _key_of(settings: Settings, path: str) -> str:
    """The ``memory_id`` that a file carries now; "" where it has none or can't be read."""
    stat = file_stat(settings.vault, path)
    try:
        record = read_record(settings.vault, stat, settings.parse) if stat else None
    except VaultError:
        return ""
    note = record.note if isinstance(record, FileRecord) else None
    return str(note.properties.get("memory_id", "")) if note else ""


def _draft(
    index: Index, request: Request, related: Sequence[tuple[str, EdgeType]], key: str, now: float
) -> MemoryDraft:
    return MemoryDraft(
        content=clean(request.content),
        key=key,
        memory_type=request.memory_type or MemoryType.SEMANTIC,
        created=_local(now).isoformat(),
        category=request.category,
        source_session=request.source_session,
        tags=tuple(dict.fromkeys(filter(None, map(_tag, request.tags)))),
        related=tuple(dict.fromkeys((_link_text(index, path), kind) for path, kind in related)),
    )


def _local(now: float) -> datetime:
    """The person's own time, to the second and without a zone, as properties show it."""
    return datetime.fromtimestamp(now).astimezone().replace(microsecond=0, tzinfo=None)


def _tag(text: str) -> str:
    """A tag as Obsidian takes it: words joined by hyphens, no ``#``."""
    return "-".join(re.findall(r"[\w/]+", text))


def _link_text(index: Index, path: str) -> str:
    """The shortest text that a wikilink to ``path`` needs: the name where only one file has it."""
    from genesys.parse.text import name_key

    stem = path[:-3] if path.lower().endswith(".md") else path
    name = stem.rpartition("/")[2]
    return name if len(index.paths_by_key(name_key(path))) == 1 else stem


def _write(
    index: Index, settings: Settings, request: Request, draft: MemoryDraft, now: float
) -> tuple[str, FileStat | None]:
    """Create the note under ``Memories/<year>/``; a name that is taken gets a number.

    Its path, and its stat; None for the stat where a run that was killed had written it already.
    """
    name = safe_name(request.title or derive_title(draft.content), "Memory")
    folder = f"{settings.memories_folder.strip('/')}/{_local(now).year}"
    raw = memory_note(draft).encode("utf-8")
    taken: dict[str, None] = {}

    def is_taken(path: str) -> bool:
        if path not in taken and os.path.lexists(settings.vault / path):
            taken[path] = None
        return path in taken

    while True:
        path = unique_path(f"{folder}/{name}.md", is_taken)
        for other in taken:
            if index.note_id(other) is None and _key_of(settings, other) == draft.key:
                return other, None
        try:
            return path, create(settings.vault, path, raw)
        except WriteRefused:
            if not is_taken(path):  # else another process took the name between the look and the write
                raise


def put_file(index: Index, settings: Settings, path: str, now: float) -> None:
    """Bring one file of the vault into the index, links resolved (the words are searchable at once)."""
    from genesys.engine import inferring
    from genesys.engine.indexing import resolve_links

    stat: FileStat | None = file_stat(settings.vault, path)
    record = read_record(settings.vault, stat, settings.parse) if stat else None
    if not isinstance(record, FileRecord):
        raise VaultError(f"{path} could not be read back", hint="see `genesys status`")
    index.put([record], now)
    resolve_links(index)
    inferring.refresh(index)


def note_row_of(index: Index, path: str) -> NoteRow:
    rows = index.notes_by_path([path])
    if not rows:
        raise NoteNotFound(f"{path} is not in the index", hint="genesys index")
    return rows[0]


def set_preferences(
    index: Index, auto: Sequence[str], approval: Sequence[str], excluded: Sequence[str]
) -> None:
    """Keep the core preferences; a category may stand on one list only.

    Raises:
        UsageError: a category is on two lists.
    """
    one_list_each(auto, approval, excluded)
    lists = {"auto": sorted(set(auto)), "approval": sorted(set(approval)), "excluded": sorted(set(excluded))}
    index.meta_set("core_preferences", json.dumps(lists))


def one_list_each(*lists: Sequence[str]) -> None:
    """Raises :class:`UsageError` where a category stands on two of the lists."""
    names = [name for group in lists for name in set(group)]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise UsageError(f"{', '.join(twice)} is on two lists", hint="each category goes on one of them")
