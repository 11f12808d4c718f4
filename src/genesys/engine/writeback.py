"""The one path back: state of the index → properties of a note, by the policy of §9.

A patch is pure; the write compares the note's hash once more, so a person who saves in between always wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from genesys.engine import lease
from genesys.errors import IndexCorrupt, IndexForeign, IndexTooNew, VaultError, WriteRefused
from genesys.model import FileStat, FileType, Json, Kind, Skipped, Status
from genesys.parse.note import is_conflict_copy
from genesys.parse.patch import Value, patch, unpatch
from genesys.reports import WriteReport
from genesys.settings import Settings, machine_id
from genesys.store.index import Index, open_index
from genesys.store.rows import NoteRow
from genesys.vault import read, walk
from genesys.write import content_hash, sweep_temp, write_if

__all__ = ["due", "unwrite", "unwrite_vault", "wanted_values", "write_due", "write_notes", "write_now"]

DAY_S = 86_400.0
#: So many days after the last recall that was written, another is news: else an index made anew would take
#: the note for idle since, and by more its score would be off by a tenth (freshness halves in 180 days).
RECALL_NEWS_DAYS = 14.0


@dataclass(frozen=True, slots=True)
class Due:
    """A note to write, and the values it should have."""

    row: NoteRow
    values: Mapping[str, Value]


def wanted_values(row: NoteRow) -> dict[str, Value]:
    """The properties that say what Genesys knows of the note; None takes one away."""
    last = None
    if row.last_recalled is not None:
        last = datetime.fromtimestamp(row.last_recalled).astimezone().replace(microsecond=0, tzinfo=None)
    return {
        "genesys_status": row.status.value,
        "genesys_score": round(row.score, 2) if row.score is not None else None,
        "genesys_recalls": row.recalls or None,
        "genesys_last_recalled": last,
        "genesys_core": True if row.status is Status.CORE else None,
        # A person's own "false" stays: it says what holds.
        "genesys_pinned": True if row.pinned else False if row.own.pinned is False else None,
        # Marked and unmarked by genesys.engine.staleness alone; a write-back leaves it as it is.
        "genesys_stale": row.own.stale,
    }


def due(rows: Iterable[NoteRow], settings: Settings, now: float) -> list[Due]:
    """The notes whose properties should be written in this pass, the longest waiting first."""
    found = []
    for row in rows:
        if settings.writeback == "off" or row.opted_out or row.status is Status.PRUNED:
            continue
        if settings.writeback == "touched" and not _touched(row):
            continue
        if not _news(row, settings.writeback_delta) or _just_edited(row, now, settings.writeback_quiet_s):
            continue
        found.append(Due(row, wanted_values(row)))
    return sorted(found, key=lambda d: (d.row.last_recalled or d.row.mtime, d.row.path))


def _touched(row: NoteRow) -> bool:
    """Whether Genesys has something to say of it: recalled, pinned, core, written by it, or said before."""
    said = bool(row.written) or row.own.status is not None
    return bool(row.recalls or row.pinned or row.core or row.kind is Kind.MEMORY or said)


def _news(row: NoteRow, delta: float) -> bool:
    """Status changed, the score moved, a recall long after the last one told, or nothing was written yet."""
    if row.own.status is None or row.own.status is not row.status:
        return True
    if bool(row.own.pinned) != row.pinned or bool(row.own.core) != (row.status is Status.CORE):
        return True
    if (row.last_recalled or 0.0) - (row.own.last_recalled or 0.0) >= RECALL_NEWS_DAYS * DAY_S:
        return True
    old, new = row.own.score, row.score
    if new is None:
        return False
    return old is None or abs(round(new, 2) - round(old, 2)) >= delta - 1e-9


def _just_edited(row: NoteRow, now: float, quiet_s: float) -> bool:
    ours = row.written_hash != "" and row.written_hash == row.content_hash
    return not ours and 0 <= now - row.mtime < quiet_s


def write_notes(
    index: Index, settings: Settings, notes: Iterable[Due], now: float, *, limit: int | None = None
) -> WriteReport:
    """Write at most ``limit`` notes (else ``writeback_max``); what is refused comes with its reason."""
    listed = list(notes)
    limit = settings.writeback_max if limit is None else limit
    written: list[str] = []
    refused: list[Skipped] = []
    deferred = 0
    sweep_temp(settings.vault, now=now)
    for item in listed:
        if len(written) >= limit:  # refused ones take no place: else they would hold up all others for good
            deferred += 1
            continue
        try:
            if write_now(index, settings, item.row, item.values, now):
                written.append(item.row.path)
            else:
                deferred += 1
        except VaultError as e:
            refused.append(Skipped(item.row.path, e.message))
    return WriteReport(tuple(written), tuple(refused), deferred)


def write_due(settings: Settings, now: float) -> WriteReport:
    """Write what is due as scores stand, under the vault's lease.

    Raises:
        BusyError: another process writes it.
    """
    if settings.writeback == "off":
        return WriteReport()
    with lease.hold(settings.index.parent), open_index(settings.index, machine_id=machine_id()) as index:
        return write_notes(index, settings, due(index.all_notes(), settings, now), now)


def write_now(
    index: Index, settings: Settings, row: NoteRow, values: Mapping[str, Value], now: float
) -> bool:
    """Patch one note; False where a person was faster (the next pass tries again).

    Raises:
        WriteRefused: the note must be left alone; the message says why.
        DiskFull: nothing was changed.
    """
    if row.refuse_write:
        raise WriteRefused(row.refuse_write)
    raw = read(settings.vault, row.path)
    digest = content_hash(raw)
    if digest != row.content_hash:
        return False
    new = patch(raw, values)
    if new == raw:
        index.set_own(row.id, _own(values))
        return True
    stat = write_if(settings.vault, row.path, digest, new)
    if stat is None:
        return False
    with index.transaction():
        _record(index, settings, row.id, row.path, raw, new, stat, _own(values), now)
    return True


def _record(
    index: Index,
    settings: Settings,
    note: int,
    path: str,
    raw: bytes,
    new: bytes,
    stat: FileStat,
    own: dict[str, Json],
    now: float,
) -> None:
    """Tell the index of our own write, so that it is no edit, and keep what stood there before."""
    index.set_written(note, stat, own, shift=new.count(b"\n") - raw.count(b"\n"))
    index.save_preimage(note, raw, now, keep_s=settings.preimage_days * DAY_S)
    index.add_event("write" if own else "unwrite", path, {"values": own}, now)


def _own(values: Mapping[str, Value]) -> dict[str, Json]:
    return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in values.items() if v is not None}


def unwrite_vault(settings: Settings, now: float, *, dry_run: bool = False) -> WriteReport:
    """:func:`unwrite` for a vault whose index may be missing or unusable: the lines are in the notes."""
    try:
        if settings.index.exists():
            with open_index(settings.index, read_only=dry_run, machine_id=machine_id()) as index:
                return unwrite(index, settings, now, dry_run=dry_run)
    except (IndexCorrupt, IndexForeign, IndexTooNew):
        pass
    return unwrite(None, settings, now, dry_run=dry_run)


def unwrite(index: Index | None, settings: Settings, now: float, *, dry_run: bool = False) -> WriteReport:
    """Take every ``genesys_*`` line out of the vault, byte-exactly; also of notes the index doesn't know."""
    written: list[str] = []
    refused: list[Skipped] = []
    if not dry_run:
        sweep_temp(settings.vault, now=now)
    for stat in walk(settings.vault).files:  # no rule applies: a note may have been excluded since
        if stat.type is not FileType.NOTE:
            continue
        try:
            _unwrite_one(index, settings, stat.path, now, dry_run, written)
        except VaultError as e:
            refused.append(Skipped(stat.path, e.message))
    return WriteReport(tuple(written), tuple(refused))


def _unwrite_one(
    index: Index | None, settings: Settings, path: str, now: float, dry_run: bool, written: list[str]
) -> None:
    raw = read(settings.vault, path)
    new = unpatch(raw) if b"genesys_" in raw else raw
    if new == raw:
        return
    if is_conflict_copy(path):
        raise WriteRefused("sync-conflict copy")
    if not dry_run:
        stat = write_if(settings.vault, path, content_hash(raw), new)
        if stat is None:
            raise WriteRefused("changed while it was being written: run `genesys unwrite` again")
        row = index.note_row(path) if index else None
        # What the index has not seen yet it must still read: our echo may not hide a person's edit.
        if index and row is not None and row.content_hash == content_hash(raw):
            with index.transaction():
                _record(index, settings, row.id, path, raw, new, stat, {}, now)
    written.append(path)
