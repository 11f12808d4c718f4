"""Memories from a file: all of it is read and planned first, then written whole or not at all.

Each memory has a key made of where it comes from, so the same file again adds nothing, and a run that was
killed is finished by the next: what stands there with its key already is taken as written.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from genesys.engine import inferring
from genesys.engine.import_plan import Item, Plan, make_plan
from genesys.engine.import_sources import read_source
from genesys.engine.indexing import resolve_links
from genesys.engine.reading import read_record
from genesys.errors import UsageError, VaultError
from genesys.ignore import is_hidden
from genesys.model import CreatedBy, FileRecord, FileStat
from genesys.paths import check_path, is_within
from genesys.reports import ImportReport
from genesys.settings import Settings
from genesys.store.index import Index
from genesys.store.rows import AccessRow, StateChange
from genesys.vault import file_stat
from genesys.write import content_hash, create, uncreate

__all__ = ["run"]

BATCH = 256  # notes read back at once
LISTED = 1_000  # paths that a report names
PENDING = "import_pending"  # meta: the source of an import that is under way
_INDEX_ONLY = frozenset({CreatedBy.TOOL, CreatedBy.AUTO})  # edges that no text says

Progress = Callable[[str, int, int], None]


def run(
    index: Index,
    settings: Settings,
    path: Path,
    kind: str,
    now: float,
    *,
    folder: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Bring the memories of a file or folder into the vault.

    ``folder`` is where they go in the vault, and part of their identity: one source may go to two folders.

    Raises:
        UsageError: the source is not what it should be. WriteRefused, DiskFull, PathEscape: the vault can't
        be written. In each case nothing was changed.
    """
    if path.is_dir() and is_within(os.path.realpath(path), os.path.realpath(settings.vault)):
        raise UsageError(
            f"{path} lies in the vault: its notes are read already",
            hint="genesys index brings them up to date",
        )
    source = read_source(path, kind)
    base = _folder(folder)
    plan = make_plan(index, settings, source, base, now)
    todo = [item for item in plan.items if not item.known]
    if not dry_run:
        digest = content_hash(
            str((source.format, base, len(plan.items), [i.path for i in plan.items])).encode()
        )
        again = index.meta_get(PENDING) == digest
        if todo or again:
            _write(plan, plan.items if again else todo, digest, now, progress or (lambda *_: None))
    return ImportReport(
        format=source.format,
        added=len(todo),
        known=len(plan.items) - len(todo),
        refused=tuple(plan.refused),
        differs=tuple(plan.differs[:LISTED]),
        renamed=tuple(plan.renamed[:LISTED]),
        paths=tuple(item.path for item in todo[:LISTED]),
        left_out=source.left_out,
        dry_run=dry_run,
    )


def _folder(folder: str) -> str:
    folder = folder.strip("/")
    if folder and is_hidden(check_path(folder)):
        raise UsageError(f"{folder} would be hidden from Obsidian", hint="no name may start with a dot")
    return folder


# ------------------------------------------------------------------ writing


def _write(plan: Plan, items: Sequence[Item], digest: str, now: float, progress: Progress) -> None:
    """Files first, then the index in one transaction; what fails takes every file back."""
    root = plan.settings.vault
    made: list[FileStat] = []
    folders = _missing_folders(root, [item.path for item in items])
    plan.index.meta_set(PENDING, digest)
    try:
        for number, item in enumerate(items, 1):
            if not item.there:
                made.append(create(root, item.path, item.raw, item.mtime_ns))
            progress("write", number, len(items))
        with plan.index.transaction():
            _put(plan, items, now, progress)
            plan.index.meta_set(PENDING, None)
    except BaseException:
        for stat in reversed(made):
            uncreate(root, stat)
        for folder in folders:
            with suppress(OSError):
                os.rmdir(folder)
        if plan.index.meta_get(PENDING) == digest:
            plan.index.meta_set(PENDING, None)
        raise


def _missing_folders(root: Path, paths: Iterable[str]) -> list[str]:
    """Folders that have to be made, the innermost first."""
    wanted = {parent for path in paths for parent in (root / path).parents if parent.is_relative_to(root)}
    return sorted((str(folder) for folder in wanted if not folder.exists()), key=len, reverse=True)


def _put(plan: Plan, items: Sequence[Item], now: float, progress: Progress) -> None:
    for start in range(0, len(items), BATCH):
        records = []
        for item in items[start : start + BATCH]:
            stat = file_stat(plan.settings.vault, item.path)
            record = read_record(plan.settings.vault, stat, plan.settings.parse) if stat else None
            if not isinstance(record, FileRecord):
                raise VaultError(
                    f"{item.path} could not be read back", hint="nothing was imported; try again"
                )
            records.append(record)
        plan.index.put(records, now)
        progress("index", min(start + BATCH, len(items)), len(items))
    resolve_links(plan.index)
    inferring.refresh(plan.index)
    _restore(plan.index, [item for item in items if item.state is not None], now)
    for item in items:
        plan.index.add_event("import", item.path, {"format": plan.source.format}, now=now)


def _restore(index: Index, items: Sequence[Item], now: float) -> None:
    """State, history and edges that another index knew and no text says."""
    ids = index.note_ids([item.path for item in items])
    rows: list[AccessRow] = []
    changes: list[StateChange] = []
    for item in items:
        state, note = item.state, ids.get(item.path)
        if state is None or note is None:
            continue
        rows += [AccessRow(note, time, kind, weight) for time, kind, weight in state.accesses]
        changes.append(
            StateChange(
                note,
                status=state.status,
                score=state.score,
                factors=state.factors,
                pinned=state.pinned,
                core=state.core,
                recalls=state.recalls,
                last_recalled=state.last_recalled,
            )
        )
    index.replace_accesses([change.note_id for change in changes], rows)
    index.set_states(changes, now)
    for item in items:
        if item.state is not None and item.path in ids:
            times = (item.state.first_seen, item.state.changed_at, item.state.status_since)
            index.set_times(ids[item.path], *times)
    kept = [e for item in items for e in item.edges if e.created_by in _INDEX_ONLY]
    ends = index.note_ids({end for e in kept for end in (e.source, e.target)})
    index.add_edges([e for e in kept if e.source in ends and e.target in ends])
