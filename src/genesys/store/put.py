"""Writing what was read: one batch of files, one transaction."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from genesys.model import AccessKind, FileRecord, FileStat, OwnState, ScoreParams, Status
from genesys.store import encode, meta
from genesys.store.db import Db, Row, listed
from genesys.store.files import mark_dirty, remove
from genesys.store.keys import ATTACHED, name_key, target_key
from genesys.store.prepare import FACTS, LINK, PLACE, NoteRows, Prepared, prepare, storable
from genesys.store.restore import clean_recalls, clean_time, recall_times
from genesys.store.rows import PutReport

__all__ = ["EDIT_GAP_S", "put"]

EDIT_GAP_S = 86_400.0  # seconds: at most one edit a day counts as an access
_WEIGHTS = ScoreParams()


@dataclass(slots=True)
class _Known:
    """What the index holds of a file before the batch."""

    id: int
    type: str
    content_hash: str
    links_hash: str
    is_note: bool
    written_hash: str = ""
    own: str = "{}"
    passages: list[Row] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Rows:
    """The batch as rows, table by table."""

    files_new: list[Row] = field(default_factory=list)
    files_old: list[Row] = field(default_factory=list)
    notes_new: list[Row] = field(default_factory=list)
    notes_old: list[Row] = field(default_factory=list)
    aliases: list[Row] = field(default_factory=list)
    tags: list[Row] = field(default_factory=list)
    passages_new: list[Row] = field(default_factory=list)
    passages_old: list[Row] = field(default_factory=list)
    passages_gone: list[int] = field(default_factory=list)
    reordered: list[int] = field(default_factory=list)  # notes whose passages only changed places
    fts_gone: list[int] = field(default_factory=list)
    loose: list[Row] = field(default_factory=list)
    fts_new: list[Row] = field(default_factory=list)
    links: list[Row] = field(default_factory=list)
    links_gone: list[int] = field(default_factory=list)
    accesses: list[Row] = field(default_factory=list)
    edited: list[tuple[int, float]] = field(default_factory=list)
    named: list[int] = field(default_factory=list)
    restored: list[int] = field(default_factory=list)
    pinned: list[Row] = field(default_factory=list)
    dirty: set[str] = field(default_factory=set)


def put(db: Db, batch: Sequence[FileRecord | Prepared], now: float) -> PutReport:
    """Store every record, whole or not at all. A path that comes twice counts once, the last."""
    last = {record.stat.path: record for record in batch}
    if not last:
        return PutReport()
    files = [record if isinstance(record, Prepared) else prepare(record) for record in last.values()]
    try:
        with db.transaction():
            return _put(db, files, now)
    except UnicodeEncodeError:
        with db.transaction():
            return _put(db, [storable(file) for file in files], now)


def _put(db: Db, files: Sequence[Prepared], now: float) -> PutReport:
    known = _known(db, files)
    changed_type = [
        path for f in files if (k := known.get(path := f.stat.path)) and bool(f.note) != k.is_note
    ]
    if changed_type:
        remove(db, changed_type)
        for path in changed_type:
            del known[path]
    rows = _Rows()
    ids = _Ids(db)
    for file in files:
        _collect(rows, ids, file, known.get(file.stat.path), now)
    ids.save()
    _write(db, rows)
    new, edited = (row[0] for row in rows.notes_new), (note_id for note_id, _ in rows.edited)
    return PutReport(tuple(new), tuple(edited), tuple(rows.restored))


class _Ids:
    """Row ids for the whole batch from one reservation each."""

    def __init__(self, db: Db) -> None:
        self.db = db
        self.next = {table: meta.reserve(db, table, 0) for table in ("files", "passages", "links")}

    def take(self, table: str) -> int:
        value = self.next[table]
        self.next[table] = value + 1
        return value

    def save(self) -> None:
        for table, value in self.next.items():
            meta.put(self.db, f"next_{table}", str(value))


def _known(db: Db, files: Sequence[Prepared]) -> dict[str, _Known]:
    paths = listed(f.stat.path for f in files)
    rows = db.all(
        """SELECT f.path, f.id, f.type, f.content_hash, f.links_hash, n.id IS NOT NULL, n.written_hash, n.own
        FROM files f LEFT JOIN notes n ON n.id = f.id
        WHERE f.path IN (SELECT value FROM json_each(?))""",
        (paths,),
    )
    known = {r[0]: _Known(r[1], r[2], r[3], r[4], bool(r[5]), r[6] or "", r[7] or "{}") for r in rows}
    by_id = {k.id: k for k in known.values()}
    if not by_id:
        return known
    ids = listed(by_id)
    for row in db.all(
        """SELECT note_id, id, text_hash, vec_key, search_hash FROM passages
        WHERE note_id IN (SELECT value FROM json_each(?)) AND ordinal < ? ORDER BY note_id, ordinal""",
        (ids, ATTACHED),
    ):
        by_id[row[0]].passages.append(row[1:])
    sql = "SELECT note_id, alias FROM aliases WHERE note_id IN (SELECT value FROM json_each(?))"
    for note_id, alias in db.all(sql, (ids,)):
        by_id[note_id].aliases.add(alias)
    return known


# ------------------------------------------------------------------ records to rows


def _collect(rows: _Rows, ids: _Ids, file: Prepared, old: _Known | None, now: float) -> None:
    file_id = old.id if old else ids.take("files")
    stat = file.stat
    inode = encode.signed64(stat.inode)
    numbers = (stat.type.value, stat.size, stat.mtime_ns, inode, stat.content_hash, file.links_hash)
    if old:
        rows.files_old.append((*numbers, file_id))
    else:
        key = name_key(stat.path)
        rows.files_new.append((file_id, stat.path, key, *numbers))
        rows.dirty.add(key)
    if file.note:
        _collect_note(rows, ids, file.note, file_id, stat, old, now)
    if old and old.links_hash == file.links_hash:
        return
    if old:
        rows.links_gone.append(file_id)
    if file.links:
        rows.links += [(ids.take("links"), file_id, *link) for link in file.links]


def _collect_note(
    rows: _Rows, ids: _Ids, note: NoteRows, note_id: int, stat: FileStat, old: _Known | None, now: float
) -> None:
    mtime = min(stat.mtime_ns / 1e9, now)
    created_at = min(note.created, now) if note.created is not None else mtime
    own = encode.load_own(note.own)
    says = note.own != encode.NO_STATE
    if old:
        # a change that we wrote ourselves is no sign of a person's interest
        edited = old.content_hash != stat.content_hash and stat.content_hash != old.written_hash
        rows.notes_old.append((*note.facts, created_at, mtime if edited else None, note_id))
        rows.named.append(note_id)
        if edited:
            rows.edited.append((note_id, mtime))
            _follow_pin(rows, own, note_id, old)
    else:
        rows.notes_new.append((note_id, *note.facts, created_at, *_restored(own, now), now, mtime, mtime))
        rows.accesses.append((note_id, created_at, _CREATED, _WEIGHTS.access_create))
        if says:
            rows.restored.append(note_id)
            rows.accesses.extend(_restored_recalls(own, note_id, created_at, mtime, now))
    _collect_names(rows, note, note_id, old)
    _collect_passages(rows, ids, note, note_id, old)


_CREATED = AccessKind.CREATE.value
_FACTS = f"{FACTS}, created_at"
_STATE = "status, score, pinned, core, recalls, last_recalled"


def _restored(own: OwnState, now: float) -> Row:
    """State that the note itself carries, in the order of ``_STATE`` (P1)."""
    status = own.status or Status.ACTIVE
    core = own.core if own.core is not None else status is Status.CORE
    recalled = clean_time(own.last_recalled, now)
    return (status.value, own.score, int(bool(own.pinned)), int(core), clean_recalls(own), recalled)


def _restored_recalls(own: OwnState, note_id: int, created: float, mtime: float, now: float) -> Iterator[Row]:
    last = clean_time(own.last_recalled, now)
    times = recall_times(created, mtime if last is None else last, clean_recalls(own))
    return ((note_id, time, AccessKind.RECALL.value, _WEIGHTS.access_recall) for time in times)


def _follow_pin(rows: _Rows, own: OwnState, note_id: int, old: _Known) -> None:
    """A person who sets or clears the pin property means it."""
    if own.pinned != encode.load_own(old.own).pinned:
        rows.pinned.append((int(bool(own.pinned)), note_id))


def _collect_names(rows: _Rows, note: NoteRows, note_id: int, old: _Known | None) -> None:
    if note.tags:
        rows.tags += [(key, note_id, tag) for key, tag in note.tags]
    if note.aliases:
        rows.aliases += [(note_id, *alias) for alias in note.aliases]
    elif not old:
        return
    buckets = {alias: bucket for alias, _, bucket in note.aliases}
    before = old.aliases if old else set()
    rows.dirty.update(buckets.get(a) or target_key(a) for a in before.symmetric_difference(buckets))


def _collect_passages(rows: _Rows, ids: _Ids, note: NoteRows, note_id: int, old: _Known | None) -> None:
    if old:
        _change_passages(rows, ids, note, note_id, old)
        return
    for passage in note.passages:
        _add_passage(rows, ids.take("passages"), note_id, note, passage)


def _change_passages(rows: _Rows, ids: _Ids, note: NoteRows, note_id: int, old: _Known) -> None:
    """Unchanged passages keep their row and vector, whatever moved around them (P10)."""
    reusable: dict[str, deque[Row]] = defaultdict(deque)
    kept_ids: list[int] = []
    for passage_id, text_hash, key, search in old.passages:
        reusable[text_hash].append((passage_id, key, search))
    for passage in note.passages:
        text_hash, search = passage[_TEXT_HASH], passage[_SEARCH_HASH]
        kept = reusable[text_hash].popleft() if reusable.get(text_hash) else None
        if kept is None:
            _add_passage(rows, ids.take("passages"), note_id, note, passage)
            continue
        kept_ids.append(kept[0])
        rows.passages_old.append((*passage[:_VEC_KEY], kept[0]))
        if kept[2] != search:
            rows.fts_gone.append(kept[0])
            rows.fts_new.append((kept[0], *note.words, *passage[_WORDS:]))
    gone = [row for queue in reusable.values() for row in queue]
    left = {row[0] for row in gone}
    if kept_ids != [row[0] for row in old.passages if row[0] not in left]:
        rows.reordered.append(note_id)
    rows.passages_gone.extend(left)
    rows.fts_gone.extend(row[0] for row in gone)
    rows.loose.extend((row[1],) for row in gone)


_TEXT_HASH, _SEARCH_HASH = (PLACE.split(", ").index(name) for name in ("text_hash", "search_hash"))
_VEC_KEY, _WORDS = _SEARCH_HASH + 1, _SEARCH_HASH + 2


def _add_passage(rows: _Rows, passage_id: int, note_id: int, note: NoteRows, passage: Row) -> None:
    rows.passages_new.append((passage_id, note_id, *passage[:_WORDS]))
    rows.fts_new.append((passage_id, *note.words, *passage[_WORDS:]))


# ------------------------------------------------------------------ rows to tables


def _marks(columns: str) -> str:
    return ", ".join("?" * len(columns.split(",")))


def _write(db: Db, rows: _Rows) -> None:
    numbers = "type, size, mtime_ns, inode, content_hash, links_hash"
    columns = f"id, path, name_key, {numbers}"
    db.many(f"INSERT INTO files({columns}) VALUES({_marks(columns)})", rows.files_new)
    db.many(
        f"UPDATE files SET ({numbers}, reread) = ({_marks(numbers)}, 0) WHERE id = ?",
        rows.files_old,
    )
    columns = f"id, {_FACTS}, {_STATE}, first_seen, changed_at, status_since"
    db.many(f"INSERT INTO notes({columns}) VALUES({_marks(columns)})", rows.notes_new)
    db.many(
        f"UPDATE notes SET ({_FACTS}) = ({_marks(_FACTS)}), changed_at = coalesce(?, changed_at)"
        " WHERE id = ?",
        rows.notes_old,
    )
    db.many("UPDATE notes SET pinned = ? WHERE id = ?", rows.pinned)
    _write_names(db, rows)
    _write_passages(db, rows)
    _write_links(db, rows)
    _write_accesses(db, rows)
    if meta.version(db, meta.EDGES_VERSION):  # else no link was ever resolved, and each is still to be
        mark_dirty(db, rows.dirty)


def _write_names(db: Db, rows: _Rows) -> None:
    if rows.named:
        db.run("DELETE FROM aliases WHERE note_id IN (SELECT value FROM json_each(?))", (listed(rows.named),))
        db.run("DELETE FROM tags WHERE note_id IN (SELECT value FROM json_each(?))", (listed(rows.named),))
    db.many("INSERT INTO aliases(note_id, alias, key, bucket) VALUES(?, ?, ?, ?)", rows.aliases)
    db.many("INSERT OR IGNORE INTO tags(key, note_id, tag) VALUES(?, ?, ?)", rows.tags)


def _write_passages(db: Db, rows: _Rows) -> None:
    db.many("DELETE FROM passages_fts WHERE rowid = ?", [(i,) for i in rows.fts_gone])
    db.many("INSERT OR IGNORE INTO loose_keys(vec_key) VALUES(?)", rows.loose)
    db.many("DELETE FROM passages WHERE id = ?", [(i,) for i in rows.passages_gone])
    db.many(f"UPDATE passages SET ({PLACE}) = ({_marks(PLACE)}) WHERE id = ?", rows.passages_old)
    columns = f"id, note_id, {PLACE}, vec_key"
    db.many(f"INSERT INTO passages({columns}) VALUES({_marks(columns)})", rows.passages_new)
    columns = "rowid, title, aliases, heading, text"
    db.many(f"INSERT INTO passages_fts({columns}) VALUES({_marks(columns)})", rows.fts_new)
    db.many("INSERT INTO touches(note_id) VALUES(?)", [(i,) for i in rows.reordered])
    if rows.passages_new or rows.passages_gone or rows.reordered:
        meta.bump(db, meta.PASSAGES_VERSION)
    elif rows.passages_old:  # what is embedded may have become nothing, or something
        db.run("DELETE FROM meta WHERE key GLOB 'counted:*'")
    if rows.fts_gone:
        meta.bump(db, meta.FTS_GARBAGE, len(rows.fts_gone))


def _write_links(db: Db, rows: _Rows) -> None:
    db.many("DELETE FROM links WHERE source_id = ?", [(i,) for i in rows.links_gone])
    columns = f"id, source_id, {LINK}"
    db.many(f"INSERT INTO links({columns}) VALUES({_marks(columns)})", rows.links)


def _write_accesses(db: Db, rows: _Rows) -> None:
    edited = dict(rows.edited)
    if edited:
        last: dict[int, float] = dict(
            db.all(
                """SELECT note_id, max(time) FROM accesses
                WHERE kind = 'edit' AND note_id IN (SELECT value FROM json_each(?)) GROUP BY note_id""",
                (listed(edited),),
            )
        )
        rows.accesses.extend(
            (note_id, time, AccessKind.EDIT.value, _WEIGHTS.access_edit)
            for note_id, time in edited.items()
            if note_id not in last or time - last[note_id] >= EDIT_GAP_S
        )
    db.many("INSERT INTO accesses(note_id, time, kind, weight) VALUES(?, ?, ?, ?)", rows.accesses)
