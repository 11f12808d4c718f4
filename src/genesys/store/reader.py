"""The reading half of :class:`genesys.store.index.Index`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal

from genesys.model import CreatedBy, Edge, EdgeType, FileStat, Filters, Json, Skipped
from genesys.store import files, meta, state
from genesys.store.counts import Counts
from genesys.store.db import Db
from genesys.store.lazy import Lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from genesys.store import (
        access,
        attached,
        filters,
        graph,
        lookup,
        packed,
        ranking,
        text,
        touched,
        vectors,
    )
    from genesys.store.packed import Packed
    from genesys.store.rows import (
        AccessArrays,
        AccessRow,
        EdgeArrays,
        EventRow,
        GraphLink,
        GraphNote,
        LinkRow,
        Matrix,
        NameRow,
        NoteRow,
        NoteStamp,
        PassageArrays,
        PassageRow,
    )
else:
    access, filters, graph, lookup = (
        Lazy(f"genesys.store.{m}") for m in ("access", "filters", "graph", "lookup")
    )
    attached = Lazy("genesys.store.attached")
    ranking, text, vectors = (Lazy(f"genesys.store.{m}") for m in ("ranking", "text", "vectors"))
    packed, touched = Lazy("genesys.store.packed"), Lazy("genesys.store.touched")

__all__ = ["Reader"]


class Reader:
    """Every read of the index. One line each; what they promise stands with the function they call."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._matrices: dict[str, tuple[tuple[int, int], Matrix | None]] = {}
        self._packs: dict[str, tuple[int, Packed | None]] = {}
        self._places: tuple[int, int, PassageArrays] | None = None  # version, moment, columns
        self._edges: tuple[int, EdgeArrays] | None = None  # moment, columns

    def snapshot(self) -> AbstractContextManager[None]:
        return self._db.snapshot()

    def meta_get(self, key: str) -> str | None:
        return meta.get(self._db, key)

    def state(self) -> tuple[int, int, int]:
        return self._db.state()

    # files

    def file_states(self, paths: Collection[str] | None = None) -> dict[str, FileStat]:
        return files.file_states(self._db, paths)

    def any_below(self, folder: str) -> bool:
        return files.any_below(self._db, folder)

    def hashes(self) -> dict[str, list[str]]:
        return files.hashes(self._db)

    def skipped(self) -> list[Skipped]:
        return files.skipped(self._db)

    def opted_out(self) -> list[str]:
        return files.opted_out(self._db)

    def problems(self) -> list[tuple[str, str]]:
        return files.problems(self._db)

    def counts(self) -> Counts:
        return state.counts(self._db)

    # attachments

    def unread_attachments(self, limits: str, most: int) -> list[FileStat]:
        return attached.unread_attachments(self._db, limits, most)

    def extract_of(self, key: str) -> bool:
        return attached.extract_of(self._db, key)

    def extract_problems(self) -> list[tuple[str, str]]:
        return attached.extract_problems(self._db)

    # notes and names

    def note_id(self, path: str) -> int | None:
        return lookup.note_id(self._db, path)

    def note_ids(self, paths: Collection[str]) -> dict[str, int]:
        return lookup.note_ids(self._db, paths)

    def file_path(self, file_id: int) -> str | None:
        return lookup.file_path(self._db, file_id)

    def file_paths(self, ids: Collection[int]) -> dict[int, str]:
        return lookup.file_paths(self._db, ids)

    def note_row(self, path: str) -> NoteRow | None:
        return lookup.note_row(self._db, path)

    def note_rows(self, ids: Collection[int] | None = None) -> dict[int, NoteRow]:
        return lookup.note_rows(self._db, ids)

    def all_notes(self) -> list[NoteRow]:
        return lookup.all_notes(self._db)

    def note_scores(self) -> list[float]:
        return lookup.note_scores(self._db)

    def note_stamps(self) -> list[NoteStamp]:
        return lookup.note_stamps(self._db)

    def notes_by_path(self, paths: Sequence[str]) -> list[NoteRow]:
        return lookup.notes_by_path(self._db, paths)

    def list_notes(self, wanted: Filters, limit: int, offset: int = 0) -> list[NoteRow]:
        return filters.list_notes(self._db, wanted, limit, offset)

    def matching(self, wanted: Filters) -> set[int] | None:
        return filters.matching(self._db, wanted)

    def unmet(self, wanted: Filters) -> tuple[str, ...]:
        return filters.unmet(self._db, wanted)

    def preimage(self, note_id: int) -> tuple[float, bytes] | None:
        return state.preimage(self._db, note_id)

    def properties(self, ids: Collection[int]) -> dict[int, dict[str, Json]]:
        return lookup.properties(self._db, ids)

    def tags_of(self, ids: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
        return lookup.tags_of(self._db, ids)

    def tag_pairs(self) -> list[tuple[int, str]]:
        return lookup.tag_pairs(self._db)

    def aliases_of(self, ids: Collection[int] | None = None) -> dict[int, tuple[str, ...]]:
        return lookup.aliases_of(self._db, ids)

    def names(self, ids: Collection[int] | None = None) -> list[NameRow]:
        return lookup.names(self._db, ids)

    def notes_by_key(self, key: str) -> list[str]:
        return lookup.notes_by_key(self._db, key)

    def paths_by_key(self, key: str) -> list[str]:
        return lookup.paths_by_key(self._db, key)

    def notes_by_property(self, key: str, value: str) -> list[str]:
        return lookup.notes_by_property(self._db, key, value)

    def notes_by_alias(self, alias: str) -> list[str]:
        return lookup.notes_by_alias(self._db, alias)

    def notes_by_tag(self, tag: str) -> list[int]:
        return lookup.notes_by_tag(self._db, tag)

    def notes_in_folder(self, folder: str) -> list[int]:
        return lookup.notes_in_folder(self._db, folder)

    def notes_by_date(self, first: str, last: str) -> list[tuple[int, str]]:
        return lookup.notes_by_date(self._db, first, last)

    def sessions(self) -> dict[str, list[int]]:
        return lookup.sessions(self._db)

    def memories_after(self, note_id: int) -> list[tuple[int, str]]:
        return lookup.memories_after(self._db, note_id)

    def has_unscored_own(self) -> bool:
        return lookup.has_unscored_own(self._db)

    # passages and full text

    def passages(self, ids: Sequence[int]) -> list[PassageRow]:
        return lookup.passages(self._db, ids)

    def texts_of(self, notes: Collection[int]) -> dict[int, list[str]]:
        return lookup.texts_of(self._db, notes)

    def passages_of(self, note_id: int) -> list[PassageRow]:
        return lookup.passages_of(self._db, note_id)

    def passages_around(self, ids: Collection[int], reach: int) -> list[tuple[int, int, int]]:
        return lookup.passages_around(self._db, ids, reach)

    def passage_arrays(self) -> PassageArrays:
        """Cached until a passage comes or goes, in whatever process."""
        with self._db.lock:
            with self._db.snapshot():
                version, now = meta.version(self._db, meta.PASSAGES_VERSION), touched.moment(self._db)
                old = self._places
                if old is None:
                    self._places = (version, now, lookup.passage_arrays(self._db))
                elif old[0] != version:
                    self._places = (version, now, touched.passages(self._db, old[2], old[1]))
            assert self._places is not None
            return self._places[2]

    def search_text(self, match: str, weights: Sequence[float], limit: int) -> list[tuple[int, int, float]]:
        return text.search_text(self._db, match, weights, limit)

    def match_rows(
        self, match: str, weights: Sequence[float], limit: int, count: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return ranking.match_rows(self._db, match, weights, limit, count)

    def match_ids(self, match: str) -> NDArray[np.int64]:
        return ranking.match_ids(self._db, match)

    def match_count(self, match: str) -> int:
        return ranking.match_count(self._db, match)

    def similar_words(self, start: str, limit: int) -> list[tuple[str, int]]:
        return ranking.similar_words(self._db, start, limit)

    def names_version(self) -> int:
        return ranking.names_version(self._db)

    def stale_mentions(self) -> list[int]:
        return ranking.stale_mentions(self._db)

    def daily_notes(self) -> list[str]:
        return ranking.daily_notes(self._db)

    def written_sequence(self) -> set[tuple[str, str]]:
        return ranking.written_sequence(self._db)

    def people_pairs(self) -> list[tuple[int, str]]:
        return ranking.people_pairs(self._db)

    def places_version(self) -> tuple[int, int]:
        return ranking.places_version(self._db)

    def doc_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        return text.doc_frequency(self._db, terms)

    def stems(self, folded: str) -> list[str]:
        return text.stems(self._db, folded)

    # links and edges

    def linked(self, ids: Collection[int], without: CreatedBy) -> dict[int, set[int]]:
        return graph.linked(self._db, ids, without)

    def edges_of(
        self,
        note_ids: Collection[int],
        types: Collection[EdgeType] | None = None,
        direction: Literal["out", "in", "both"] = "both",
    ) -> list[Edge]:
        return graph.edges_of(self._db, note_ids, types, direction)

    def edges_among(self, note_ids: Collection[int], types: Collection[EdgeType] | None = None) -> list[Edge]:
        return graph.edges_among(self._db, note_ids, types)

    def all_edges(self, include_inferred: bool = True) -> list[Edge]:
        return graph.all_edges(self._db, include_inferred)

    def edge_arrays(self) -> EdgeArrays:
        """Cached until an edge or a passage comes or goes, in whatever process."""
        with self._db.lock:
            with self._db.snapshot():
                now, old = touched.moment(self._db), self._edges
                if old is None:
                    self._edges = (now, graph.edge_arrays(self._db))
                elif old[0] != now:
                    self._edges = (now, touched.edges(self._db, old[1], old[0]))
            assert self._edges is not None
            return self._edges[1]

    def links_from(self, file_id: int) -> list[LinkRow]:
        return graph.links_from(self._db, file_id)

    def links_to(self, file_id: int) -> list[LinkRow]:
        return graph.links_to(self._db, file_id)

    def unresolved(self, limit: int = 1_000) -> list[LinkRow]:
        return graph.unresolved(self._db, limit)

    def written_graph(self) -> tuple[list[GraphNote], list[GraphLink]]:
        return graph.written_graph(self._db)

    # vectors

    def models(self) -> dict[str, int]:
        return vectors.models(self._db)

    def pending(self, model: str, limit: int) -> list[tuple[int, str]]:
        return vectors.pending(self._db, model, limit)

    def pending_of(self, model: str, note_id: int) -> list[tuple[int, str]]:
        return vectors.pending_of(self._db, model, note_id)

    def vector_counts(self, model: str) -> tuple[int, int]:
        return vectors.vector_counts(self._db, model)

    def serving_model(self, preferred: str) -> str | None:
        return vectors.serving_model(self._db, preferred)

    def knn(self, model: str, query: NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        return vectors.knn(self._db, model, query, k)

    def vector_version(self) -> tuple[int, int]:
        """Changes whenever :meth:`matrix` would, in whatever process."""
        counters = (meta.VECTORS_VERSION, meta.PASSAGES_VERSION)
        return meta.version(self._db, counters[0]), meta.version(self._db, counters[1])

    def matrix(self, model: str | None) -> Matrix | None:
        """Cached until a vector or a passage comes or goes, in whatever process; None has none."""
        if model is None:
            return None
        with self._db.lock, self._db.snapshot():
            version = self.vector_version()
            cached = self._matrices.get(model)
            if cached is None or cached[0] != version:
                old = cached[1] if cached and cached[0][0] == version[0] else None
                new = vectors.kept(self._db, model, old, self.passage_arrays()) if old else None
                del cached, old
                self._matrices.clear()  # two at once are too much
                new = new or vectors.matrix(self._db, model)
                cached = self._matrices[model] = (version, new)
            return cached[1]

    def packed(self, model: str) -> Packed | None:
        """The packed copy of a model's vectors, brought up to date; see :mod:`genesys.store.packed`."""
        with self._db.lock:
            return packed.current(self._db, self._packs, model)

    def blocks(self, model: str) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        return vectors.blocks(self._db, model)

    # accesses and events

    def access_arrays(self) -> AccessArrays:
        return access.access_arrays(self._db)

    def access_count(self) -> int:
        return access.access_count(self._db)

    def event_counts(self) -> dict[str, int]:
        return access.event_counts(self._db)

    def accesses_of(self, note_ids: Collection[int]) -> list[AccessRow]:
        return access.accesses_of(self._db, note_ids)

    def events(
        self,
        since: float = 0.0,
        kinds: Collection[str] | None = None,
        path: str | None = None,
        limit: int = 1_000,
        newest_first: bool = True,
    ) -> list[EventRow]:
        return access.events(self._db, since, kinds, path, limit, newest_first)
