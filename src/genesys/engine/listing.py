"""Lists and counts: references to notes, search by words and filters, the status of the index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import quote

from genesys.accounts import NoteRef, StatusReport
from genesys.engine import lease
from genesys.engine.embedding import model_of
from genesys.engine.names import well_formed
from genesys.model import Filters, Skipped
from genesys.settings import Settings
from genesys.store.index import Index

if TYPE_CHECKING:
    from genesys.store.rows import NoteRow

__all__ = ["OPTED_OUT", "open_uri", "refs", "search", "status", "to_ref"]

OPTED_OUT = "opted out (genesys: false)"


def open_uri(vault_name: str, path: str) -> str:
    """The link that opens a note in Obsidian."""
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(path, safe='')}"


def to_ref(row: NoteRow, settings: Settings, summary: str = "", *, score: float | None = None) -> NoteRef:
    """A reference to a note, with the score of the last pass unless another is given."""
    known = row.score if score is None else score
    return NoteRef(
        path=row.path,
        title=row.title,
        status=row.status,
        score=known if known is not None else 0.0,
        kind=row.kind,
        pinned=row.pinned,
        category=row.category,
        last_active=max(row.changed_at, row.last_recalled or 0.0),
        summary=summary,
        uri=open_uri(settings.vault.name, row.path),
    )


def refs(index: Index, settings: Settings, paths: Iterable[str]) -> dict[str, NoteRef]:
    """References to notes by path; what is no note (a canvas, say) is left out."""
    ids = index.note_ids(list(paths))
    return {row.path: to_ref(row, settings) for row in index.note_rows(list(ids.values())).values()}


def search(
    index: Index, settings: Settings, query: str, k: int, filters: Filters, offset: int = 0
) -> tuple[NoteRef, ...]:
    """Notes with all of the query's words first, then any; without words the newest first."""
    if not query.strip():
        rows = index.list_notes(filters, limit=k, offset=offset)
        return tuple(to_ref(row, settings) for row in rows)
    from genesys.engine.recall import keyword_notes

    found = keyword_notes(index, well_formed(query), filters, k + offset, settings.recall)[offset:]
    rows_by_path = {row.path: row for row in index.notes_by_path([p for p, _ in found])}
    return tuple(to_ref(rows_by_path[p], settings, text) for p, text in found if p in rows_by_path)


def status(index: Index, settings: Settings) -> StatusReport:
    """What the index holds: counts, and what was left out or could not be read."""
    counts = index.counts()
    name, missing = model_of(settings)
    have, total = index.vector_counts(name)
    stamp = index.meta_get("indexed_at")
    notices = []
    if missing:
        notices.append(f"{missing.message}: recall has words and links only. {missing.hint}")
    elif have < total:
        notices.append(f"{total - have} passages wait for their vector: genesys index")
    if counts.stale_links:
        notices.append("a pass was interrupted: genesys index continues it")
    return StatusReport(
        vault=str(settings.vault),
        index=str(settings.index),
        index_bytes=settings.index.stat().st_size if settings.index.exists() else 0,
        notes=counts.notes,
        passages=counts.passages,
        vectors=have,
        pending=total - have,
        links=counts.links,
        unresolved_links=counts.unresolved,
        edges=counts.edges,
        statuses=counts.statuses,
        skipped=(*index.skipped(), *(Skipped(path, OPTED_OUT) for path in index.opted_out())),
        problems=tuple(
            Skipped(path, reason) for path, reason in (*index.problems(), *index.extract_problems())
        ),
        model=name,
        last_index=float(stamp) if stamp else None,
        writing=lease.is_held(settings.index.parent),
        notices=tuple(notices),
    )
