"""The index: one class over all tables, opened by one function.

``open_index(path, *, read_only, busy_ms, machine_id) -> Index``; a context manager. Every error is one of
:mod:`genesys.errors`. Ids are ints that are never given twice; paths are vault-relative. Calls from several
threads are serialised by a lock; a process that reads much while it writes opens a second, read-only Index.

Opening and meta
  transaction()                     BEGIN IMMEDIATE … COMMIT; nests; every writer below joins it
  waiting(busy_ms)                  for a while, wait no longer than this for another writer
  snapshot()                        several reads of one state
  state()                           another value after any change, whoever made it
  meta_get(key), meta_set(key, v)   named values; None removes
  born                              when the file was made
  reindex_due, reindexed()          a migration asks for a full re-read; say that it was done
  check()                           problems of the file, [] where it is sound (reads all of it)
  set_aside(path)                   (function) move a broken index out of the way

Files (writers: one transaction each)
  file_states(paths=None) -> {path: FileStat} content_hash "" and mtime 0: must be read again
  any_below(folder)                           whether it holds any file
  hashes() -> {content_hash: [path]}          to recognise moves
  put([FileRecord | Prepared], now) -> PutReport    upsert all of the files; passages diffed by text hash
  touch([FileStat])                           same content, new stat
  move([Move])                                ids, vectors, accesses, state stay; then put() the notes anew
  remove(paths)                               nothing stays (vectors go with collect_garbage)
  set_skipped([Skipped]), skipped(), problems() -> [(path, problem)], opted_out() -> [path]
  counts() -> Counts                          the figures of ``status``

Attachments
  unread_attachments(limits, most) -> [FileStat]    embedded, and not read as they are now
  extract_of(key), use_extract(stat, limits, key, found)
  sync_attached(limits, wanted=True) -> [Embedded]      attach(Embedded, passages, folded)
  extract_problems() -> [(path, problem)]

Links and edges
  resolve(resolver) -> ResolveReport          resolver(target, source, candidates, owners) -> (path|None, via)
  edges_of(ids, types, direction)             [Edge]; "out", "in", "both"
  linked(ids, without) -> {id: {id}}          where edges lead, those of one creator aside
  edges_among(ids, types)                     induced subgraph
  all_edges(include_inferred=True), edge_arrays()
  add_edges([Edge]), remove_edges([Edge]), replace_inferred(created_by, [Edge], sources) -> (added, removed)
  replace_mentions({id: {id: weight}}, sources) -> (added, removed)
  links_from(id), links_to(id), unresolved(limit) -> [LinkRow]
  written_graph() -> ([GraphNote], [GraphLink])

Notes and names
  note_id(path), note_ids(paths), file_path(id), file_paths(ids) -> {id: path}
  note_row(path), note_rows(ids=None) -> {id: NoteRow}
  all_notes(), notes_by_path(paths), list_notes(filters, limit, offset) -> [NoteRow]
  note_scores() -> [float]                    of those that have one
  note_stamps() -> [NoteStamp]                for a comparison with an earlier state
  matching(filters) -> ids, unmet(filters) -> [line]
  properties(ids), tags_of(ids=None), tag_pairs(), aliases_of(ids=None)
  names(ids=None) -> [NameRow], notes_by_key(key), notes_by_alias(alias) -> [path]
  paths_by_key(key) (any type), notes_by_property(key, value) -> [path]
  memories_after(id) -> [(id, path)]           the memories with a higher id
  has_unscored_own() -> bool                  a note brought a score of its own and was not scored since
  notes_by_tag(tag), notes_in_folder(folder), notes_by_date(first, last), sessions()

Passages and full text
  passages(ids), passages_of(note_id) -> [PassageRow], texts_of(ids) -> {id: [text]}
  passages_around(ids, reach) -> [(passage, neighbour, offset)], passage_arrays() -> PassageArrays (cached)
  search_text(match, weights[4], limit) -> [(passage_id, note_id, bm25)]; quote terms with text.fts_quote
  match_rows(match, weights[4], limit) -> (passage ids, bm25) in columns, unordered
  match_ids(match) -> passage ids, match_count(match)
  places_version() -> counters of passages and edges, people_pairs(), similar_words(start, limit)
  stale_mentions(), mark_mentions(ids), sync_names(notes=None) -> [(note, name)], names_version()
  daily_notes() -> [path], written_sequence() -> {(earlier, later)}
  doc_frequency(terms) -> {term: passages}, stems(text) -> [token]

Vectors
  pending(model, limit) -> [(vec_key, text)]  newest notes first; pending_of(model, note_id)
  put_vectors(model, dim, keys, vectors), vector_counts(model) -> (have, total)
  keep_vector_counts(model)                   so that the next count need not read every passage
  knn(model, query, k) -> [(passage_id, cosine)]
  packed(model) -> Packed | None (cached)     sign bits to scan and rows to look closer at, for large vaults
  matrix(model) -> Matrix | None (cached), blocks(model), vector_version()
  models(), serving_model(preferred), drop_model(model)
  collect_garbage() -> vectors dropped        also drops deleted words from the full-text file

State, accesses, events
  set_states([StateChange], now)              score, factors, status, pinned, core, recalls, last_recalled
  set_times(note_id, first_seen, changed_at, status_since)
  set_written(note_id, stat, values, shift)   after a write-back; set_own(note_id, values) where none was due
  save_preimage(note_id, raw, now, keep_s), preimage(note_id) -> (time, bytes) | None
  add_accesses([AccessRow]), replace_accesses(ids, [AccessRow])
  access_arrays() -> AccessArrays, accesses_of(ids) -> [AccessRow], access_count()
  add_event(kind, path, detail, now, keep=False) -> id, events(since, kinds, path, limit, newest_first)
  event_counts(), set_event_detail(id, detail), remove_events(ids)
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from genesys.model import CreatedBy, Edge, FileRecord, FileStat, Json, Move, Passage, Skipped
from genesys.store import files, meta, state
from genesys.store.db import Db, connect
from genesys.store.lazy import Lazy
from genesys.store.reader import Reader
from genesys.store.schema import REINDEX_DUE, claim, migrate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from genesys.store import access, attached, graph, links, packed, put, ranking, text, vectors
    from genesys.store.attached import Embedded
    from genesys.store.links import Resolver
    from genesys.store.prepare import Prepared
    from genesys.store.rows import AccessRow, PutReport, ResolveReport, StateChange
else:
    access, graph, links = (Lazy(f"genesys.store.{m}") for m in ("access", "graph", "links"))
    attached = Lazy("genesys.store.attached")
    put, ranking, text = (Lazy(f"genesys.store.{m}") for m in ("put", "ranking", "text"))
    packed, vectors = (Lazy(f"genesys.store.{m}") for m in ("packed", "vectors"))

__all__ = ["Index", "open_index", "set_aside"]


def open_index(
    path: str | os.PathLike[str], *, read_only: bool = False, busy_ms: int = 5_000, machine_id: str = ""
) -> Index:
    """Open the index at ``path``; a writer makes it, and the folder, where there is none.

    ``read_only`` never makes or changes a file, and works on a read-only disk. ``busy_ms`` is how long to
    wait for another writer. ``machine_id`` is remembered on the first opening and must match later; ""
    skips that.

    :raises IndexCorrupt: the file is damaged or no index of ours.
    :raises IndexTooNew: a newer Genesys made it.
    :raises IndexForeign: another machine made it.
    :raises IndexLocked: another process kept it locked for longer than ``busy_ms``.
    :raises DiskFull: no room left.
    :raises IndexError_: there is none yet (read-only), or it can't be opened.
    """
    db = connect(Path(path), read_only=read_only, busy_ms=busy_ms)
    try:
        migrate(db)
        claim(db, machine_id)
    except BaseException:
        db.close()
        raise
    return Index(db)


def set_aside(path: str | os.PathLike[str]) -> Path | None:
    """Move an index that can't be used out of the way, with its log; the new path, or None.

    Only the last one set aside is kept. No process may have it open.
    """
    index = Path(path)
    aside = index.with_name(index.name + ".broken")
    for suffix in ("-wal", "-shm"):
        index.with_name(index.name + suffix).unlink(missing_ok=True)
    if not index.exists():
        return None
    index.replace(aside)
    return aside


class Index(Reader):
    """The whole index; see the top of this module for a list, and :class:`Reader` for the reads."""

    def __init__(self, db: Db) -> None:
        super().__init__(db)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self._db.path

    @property
    def born(self) -> float:
        """When the file was made; tells two indexes apart that lie at one path one after the other."""
        return float(self._db.value("SELECT min(applied) FROM migrations"))

    @property
    def read_only(self) -> bool:
        return self._db.read_only

    def close(self) -> None:
        for _, pack in self._packs.values():
            if pack:
                pack.close()
        self._packs.clear()
        self._db.close()

    def transaction(self) -> AbstractContextManager[None]:
        return self._db.transaction()

    def waiting(self, busy_ms: int) -> AbstractContextManager[None]:
        return self._db.waiting(busy_ms)

    def meta_set(self, key: str, value: str | None) -> None:
        meta.put(self._db, key, value)

    @property
    def reindex_due(self) -> bool:
        return self.meta_get(REINDEX_DUE) == "1"

    def reindexed(self) -> None:
        self.meta_set(REINDEX_DUE, None)

    def check(self) -> list[str]:
        """Problems that SQLite finds in the file; [] where it is sound. Reads all of it."""
        rows = self._db.all("PRAGMA quick_check") + self._db.all("PRAGMA foreign_key_check")
        return [" ".join(str(v) for v in row) for row in rows if row != ("ok",)]

    # files

    def put(self, batch: Sequence[FileRecord | Prepared], now: float) -> PutReport:
        return put.put(self._db, batch, now)

    def touch(self, stats: Iterable[FileStat]) -> None:
        files.touch(self._db, stats)

    def move(self, moves: Sequence[Move]) -> None:
        files.move(self._db, moves)

    def remove(self, paths: Collection[str]) -> None:
        files.remove(self._db, paths)

    def set_skipped(self, entries: Sequence[Skipped]) -> None:
        files.set_skipped(self._db, entries)

    # attachments

    def use_extract(
        self,
        stat: FileStat,
        limits: str,
        key: str,
        found: tuple[Sequence[tuple[Sequence[str], str]], str] | None,
    ) -> None:
        attached.use_extract(self._db, stat, limits, key, found)

    def sync_attached(self, limits: str, *, wanted: bool = True) -> list[Embedded]:
        return attached.sync_attached(self._db, limits, wanted=wanted)

    def attach(self, item: Embedded, passages: Sequence[Passage], folded: tuple[str, str]) -> None:
        attached.attach(self._db, item, passages, folded)

    # links and edges

    def resolve(self, resolver: Resolver) -> ResolveReport:
        return links.resolve(self._db, resolver)

    def add_edges(self, edges: Iterable[Edge]) -> int:
        return graph.add_edges(self._db, edges)

    def sync_names(self, notes: Collection[int] | None = None) -> list[tuple[int, str]]:
        return ranking.sync_names(self._db, notes)

    def mark_mentions(self, note_ids: Sequence[int]) -> None:
        ranking.mark_mentions(self._db, note_ids)

    def remove_edges(self, edges: Iterable[Edge]) -> None:
        graph.remove_edges(self._db, edges)

    def replace_inferred(
        self, created_by: CreatedBy, edges: Iterable[Edge], sources: Collection[int] | None = None
    ) -> tuple[int, int]:
        return graph.replace_inferred(self._db, created_by, edges, sources)

    def replace_mentions(
        self, found: Mapping[int, Mapping[int, float]], sources: Collection[int]
    ) -> tuple[int, int]:
        return graph.replace_mentions(self._db, found, sources)

    # vectors

    def put_vectors(self, model: str, dim: int, keys: Sequence[int], block: NDArray[np.float32]) -> None:
        vectors.put_vectors(self._db, model, dim, keys, block)

    def keep_vector_counts(self, model: str) -> None:
        vectors.keep_counts(self._db, model)

    def drop_model(self, model: str) -> None:
        known = vectors.table_of(self._db, model)
        vectors.drop_model(self._db, model)
        if known:
            self._packs.pop(model, None)
            packed.forget(self.path, known[0])

    def collect_garbage(self) -> int:
        """Drop vectors without a passage and the words of deleted passages; the number of vectors."""
        text.merge_garbage(self._db)
        dropped = vectors.collect_garbage(self._db)
        for model in list(self._packs) if dropped else ():
            self.packed(model)  # so that no copy of them outlives them
        return dropped

    # state, accesses, events

    def set_states(self, changes: Iterable[StateChange], now: float) -> None:
        state.set_states(self._db, changes, now)

    def set_times(self, note_id: int, first_seen: float, changed_at: float, status_since: float) -> None:
        state.set_times(self._db, note_id, first_seen, changed_at, status_since)

    def set_written(self, note_id: int, stat: FileStat, values: Mapping[str, Json], shift: int = 0) -> None:
        state.set_written(self._db, note_id, stat, values, shift)

    def set_own(self, note_id: int, values: Mapping[str, Json]) -> None:
        state.set_own(self._db, note_id, values)

    def save_preimage(self, note_id: int, raw: bytes, now: float, keep_s: float) -> None:
        state.save_preimage(self._db, note_id, raw, now, keep_s)

    def add_accesses(self, rows: Iterable[AccessRow]) -> None:
        access.add_accesses(self._db, rows)

    def add_event(
        self, kind: str, path: str, detail: Mapping[str, Json], now: float, *, keep: bool = False
    ) -> int:
        return access.add_event(self._db, kind, path, detail, now, keep)

    def replace_accesses(self, note_ids: Collection[int], rows: Iterable[AccessRow]) -> None:
        access.replace_accesses(self._db, note_ids, rows)

    def set_event_detail(self, event_id: int, detail: Mapping[str, Json]) -> None:
        access.set_event_detail(self._db, event_id, detail)

    def remove_events(self, ids: Collection[int]) -> None:
        access.remove_events(self._db, ids)
