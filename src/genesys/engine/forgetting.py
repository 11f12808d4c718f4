"""Forgetting: a note goes to the trash whole, with what the index knew of it, and can come back."""

from __future__ import annotations

import os
from typing import Any

from genesys.engine import inferring
from genesys.engine.indexing import resolve_links
from genesys.engine.memory import note_row_of, put_file
from genesys.errors import NoteNotFound, WriteRefused
from genesys.model import WRITTEN, AccessKind, CreatedBy, Edge, EdgeType, Json, Kind, Status
from genesys.paths import check_path
from genesys.reports import Forgotten
from genesys.settings import Settings, obsidian_config
from genesys.store.index import Index
from genesys.store.rows import AccessRow, EventRow, NoteRow, StateChange
from genesys.trash import LOCAL_TRASH, restore, trash

__all__ = ["forget", "trash_note", "undo_forget"]

KEPT_ACCESSES = 256  # of a forgotten note, the newest: more change no factor of its score
KEPT_EDGES = 100
_BY_HAND = "what else was deleted is in the trash that Obsidian uses; move it back by hand"


def trash_note(
    index: Index,
    settings: Settings,
    row: NoteRow,
    event: str,
    reason: str,
    now: float,
    *,
    refresh: bool = True,
) -> Forgotten:
    """Move a note to the trash, take it out of the index, and record the way back; all of it or nothing.

    What a person forgets goes where the vault's own option says, what is pruned or merged to the vault's
    trash.
    Without ``refresh`` the caller brings links and inferred edges up to date, once for many notes.
    """
    option = obsidian_config(settings.vault).trash_option if event == "forget" else "local"
    broken = tuple(
        sorted(
            {e.source for e in index.edges_of([row.id]) if e.target == row.path and e.created_by in WRITTEN}
        )
    )
    went = ""
    try:
        with index.transaction():
            detail = {"reason": reason, **_remains(index, row)}
            went = trash(settings.vault, row.path, option, system_trash=settings.system_trash)
            number = index.add_event(event, row.path, {"trashed": went, **detail}, now=now, keep=True)
            index.remove([row.path])
    except BaseException:
        if went:
            restore(settings.vault, went, row.path)
        raise
    if refresh:
        resolve_links(index)
        inferring.refresh(index)
    return Forgotten(row.path, went, f"genesys forget --undo {number}", broken)


def _remains(index: Index, row: NoteRow) -> dict[str, Json]:
    """What the index knows of a note and its text doesn't say, for an undo."""
    accesses = index.accesses_of([row.id])[-KEPT_ACCESSES:]
    kept = (CreatedBy.AUTO, CreatedBy.TOOL, CreatedBy.LLM)
    edges = [e for e in index.edges_of([row.id]) if e.created_by in kept]
    return {
        "kind": row.kind.value,
        "status": row.status.value,
        "pinned": row.pinned,
        "recalls": row.recalls,
        "last_recalled": row.last_recalled,
        "accesses": [[a.time, a.kind.value, a.weight] for a in accesses],
        "edges": [
            [e.source, e.target, e.type.value, e.weight, e.created_by.value] for e in edges[:KEPT_EDGES]
        ],
    }


def forget(
    index: Index, settings: Settings, path: str, now: float, *, allow_person_note: bool = False
) -> Forgotten:
    """Put a note into the trash.

    Raises:
        WriteRefused: a person wrote it and ``allow_person_note`` is not set (P3).
    """
    row = note_row_of(index, path)
    if row.kind is not Kind.MEMORY and not allow_person_note:
        raise WriteRefused(
            f"{path} was written by a person; Genesys does not forget it by itself",
            hint=f'genesys forget "{path}" --yes',
        )
    return trash_note(index, settings, row, "forget", "asked for", now)


def undo_forget(index: Index, settings: Settings, which: str, now: float) -> str:
    """Bring a note back from the trash: the last one, or the one of an event number, a name or a path.

    It comes back with its history, and active: to bring it back is to use it.

    Raises:
        NoteNotFound: nothing was forgotten under that name.
        VaultError: the trashed file is gone, or the place is taken.
    """
    for event in index.events(kinds=("forget", "prune", "merge"), newest_first=True):
        if event.detail.get("undone") or (which and which not in _names(event)):
            continue
        restore(settings.vault, str(event.detail["trashed"]), event.path)
        _bring_back(index, settings, event, now)
        return event.path
    path = which if which.lower().endswith(".md") else f"{which}.md"
    if which and os.path.isfile(settings.vault / LOCAL_TRASH / check_path(path)):  # an index made anew since
        restore(settings.vault, f"{LOCAL_TRASH}/{path}", path)
        put_file(index, settings, path, now)
        return path
    raise NoteNotFound(
        f"nothing forgotten matches {which!r}" if which else "nothing was forgotten",
        hint="without a name, --undo brings back the last" if which else _BY_HAND,
    )


def _names(event: EventRow) -> set[str]:
    stem = event.path[:-3]
    return {str(event.id), event.path, stem, stem.rpartition("/")[2]}


def _bring_back(index: Index, settings: Settings, event: EventRow, now: float) -> None:
    detail: Any = event.detail
    with index.transaction():
        put_file(index, settings, event.path, now)
        note = note_row_of(index, event.path).id
        rows = [AccessRow(note, time, AccessKind(kind), weight) for time, kind, weight in detail["accesses"]]
        rows.append(AccessRow(note, now, AccessKind.EDIT, settings.score.access_edit))
        index.replace_accesses([note], rows)
        change = StateChange(
            note,
            status=Status.CORE if detail["pinned"] else Status.ACTIVE,
            pinned=detail["pinned"],
            recalls=detail["recalls"],
            last_recalled=detail["last_recalled"],
        )
        index.set_states([change], now)
        index.add_edges(
            Edge(source, target, EdgeType(kind), weight, CreatedBy(by))
            for source, target, kind, weight, by in detail["edges"]
        )
        index.set_event_detail(event.id, {**detail, "undone": now})
        index.add_event("unforget", event.path, {"event": event.id}, now=now)
