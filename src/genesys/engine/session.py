"""The one way to open a vault's memory, and its use cases as methods.

A shell opens a :class:`Genesys`, calls a method, renders the value. Each method's work is in a module of
its own beside this one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from genesys.embed import Embedder, load_embedder, model_name
from genesys.engine import lease
from genesys.engine.embedding import embed_pending
from genesys.engine.names import resolve_name
from genesys.errors import IndexMissing, ModelError, VaultNotFound
from genesys.model import Answer, EdgeType, Filters, Json, Kind, MemoryType
from genesys.reports import (
    Check,
    CoreList,
    Curves,
    DecayReport,
    Explanation,
    Forgotten,
    IndexReport,
    NoteRef,
    Remembered,
    Stats,
    StatusReport,
    Subgraph,
    WhyReport,
    WriteReport,
)
from genesys.settings import Settings, machine_id
from genesys.store.index import Index, open_index
from genesys.vault import read

__all__ = ["Genesys", "Progress"]

Progress = Callable[[str, int, int], None]  # phase, done, total
NO_FILTERS = Filters()


class Genesys:
    """A vault's memory, open. Methods may be called from any thread; each runs alone.

    Use :meth:`open`; the object is a context manager.
    """

    def __init__(
        self, settings: Settings, index: Index, *, read_only: bool, clock: Callable[[], float]
    ) -> None:
        self.settings = settings
        self.read_only = read_only
        self._index = index
        self._clock = clock
        self._lock = threading.RLock()
        self._model_lock = threading.Lock()
        self._embedder: Embedder | None = None

    @classmethod
    def open(
        cls,
        settings: Settings,
        *,
        read_only: bool = False,
        missing_ok: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Open the index of ``settings.vault``, making it where there is none (unless ``read_only``).

        With ``read_only`` and ``missing_ok``, an index that is not there reads as an empty one: a dry run
        of a new vault.

        Raises:
            VaultNotFound: the vault's folder is not there.
            IndexError_: index.db can't be used; the hint says what to do.
        """
        if not settings.vault.is_dir():
            raise VaultNotFound(f"{settings.vault} is not a folder", hint="name your vault with --vault")
        if read_only and not settings.index.exists():
            if not missing_ok:
                raise IndexMissing("this vault has no index yet", hint="genesys index")
            return cls(settings, open_index(":memory:"), read_only=True, clock=clock)
        index = open_index(settings.index, read_only=read_only, machine_id=machine_id())
        return cls(settings, index, read_only=read_only, clock=clock)

    def close(self) -> None:
        with self._lock:
            self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ the model

    @property
    def warmed(self) -> bool:
        """Whether the embedding model is in memory."""
        return self._embedder is not None

    def warm(self) -> Embedder:
        """Load the embedding model (seconds, the first time).

        Raises:
            ModelError: it can't be loaded; the hint says how to get it.
        """
        with self._model_lock:
            if self._embedder is None:
                self._embedder = load_embedder(self.settings)
            return self._embedder

    # ------------------------------------------------------------------ index

    def index(
        self,
        *,
        full: bool = False,
        dry_run: bool = False,
        embed: bool = True,
        progress: Progress | None = None,
    ) -> IndexReport:
        """Bring the index up to date with the vault; see :class:`~genesys.reports.IndexReport`.

        Raises:
            BusyError: another process is at it.
        """
        from genesys.engine import indexing

        if dry_run:
            return indexing.run(
                self.settings, self._index, now=self._clock(), full=full, dry_run=True, progress=progress
            )
        with self._lock, lease.hold(self.settings.index.parent):
            report = indexing.run(self.settings, self._index, now=self._clock(), full=full, progress=progress)
            return self._embed_after(report, embed, progress)

    def _embed_after(self, report: IndexReport, embed: bool, progress: Progress | None) -> IndexReport:
        start = time.perf_counter()
        name = model_name(self.settings)
        have, total = self._index.vector_counts(name)
        embedded, notices = 0, report.notices
        if embed and have < total:
            try:
                embedded = embed_pending(self._index, self.warm(), progress=progress)
            except ModelError as e:
                notices += (f"words and links are indexed, vectors are not: {e.message} ({e.hint})",)
        have, total = self._index.vector_counts(name) if embedded else (have, total)
        seconds = {**report.seconds, "embed": round(time.perf_counter() - start, 4)}
        return replace(
            report,
            embedded=embedded,
            reused=have - embedded,
            pending=total - have,
            notices=notices,
            seconds=seconds,
        )

    def embed_pending(self, *, limit: int | None = None, progress: Progress | None = None) -> int:
        """Embed passages that have no vector yet; returns how many were made."""
        embedder = self.warm()
        with self._lock:
            return embed_pending(self._index, embedder, limit=limit, progress=progress)

    # ------------------------------------------------------------------ asking

    def resolve(self, name: str) -> str:
        """The path of the note that ``name`` means: anything a wikilink accepts.

        Raises:
            NoteNotFound, AmbiguousNote
        """
        with self._lock:
            return resolve_name(self._index, name)

    def recall(
        self,
        query: str,
        k: int = 10,
        filters: Filters = NO_FILTERS,
        *,
        read_only: bool = False,
        query_date: str = "",
        with_vectors: bool | None = None,
    ) -> Answer:
        """The ``k`` notes that answer ``query`` best; see DESIGN §8.

        ``with_vectors`` False leaves the model out; None loads it if passages have vectors.
        """
        from genesys.engine import asking

        embedder, notices = self._embedder_for(with_vectors)
        with self._lock:
            answer = asking.recall(
                self._index,
                embedder,
                self.settings,
                query,
                k,
                filters,
                now=self._clock(),
                query_date=query_date,
                leave_trace=not (read_only or self.read_only),
            )
        return replace(answer, notices=notices + answer.notices)

    def _embedder_for(self, wanted: bool | None) -> tuple[Embedder | None, tuple[str, ...]]:
        """The model, where it is wanted and of use; and a line where it was not to be had."""
        if self._embedder is not None:
            return self._embedder, ()
        if wanted is False:
            return None, ("the model is still loading: answered from words and links",)
        with self._lock:
            if not self._index.vector_counts(model_name(self.settings))[0]:
                return None, ()
        try:
            return self.warm(), ()
        except ModelError as e:
            return None, (f"answered from words and links only: {e.message}",)

    def search(
        self, query: str, k: int = 20, filters: Filters = NO_FILTERS, *, offset: int = 0
    ) -> tuple[NoteRef, ...]:
        """Notes by words and filters, best first; an empty query lists by time, newest first."""
        from genesys.engine import listing

        with self._lock:
            return listing.search(self._index, self.settings, query, k, filters, offset)

    def why(self, name: str, depth: int = 3) -> WhyReport:
        """Causes and effects of a note, each step with its evidence sentence."""
        from genesys.engine import causes, listing

        with self._lock:
            path = resolve_name(self._index, name)
            return causes.why(self._index, path, depth, lambda p: listing.refs(self._index, self.settings, p))

    def traverse(
        self,
        name: str,
        depth: int = 2,
        edge_types: Sequence[EdgeType] = (),
        direction: str = "both",
        limit: int = 200,
    ) -> Subgraph:
        """The induced subgraph around a note; ``direction`` is out, in or both."""
        from genesys.engine import causes, listing

        with self._lock:
            path = resolve_name(self._index, name)
            paths, edges, cut = causes.neighbourhood(self._index, path, depth, edge_types, direction, limit)
            found = listing.refs(self._index, self.settings, paths)
        return Subgraph(tuple(found[p] for p in paths if p in found), tuple(edges), cut)

    def read_note(self, name: str) -> str:
        """The text of a note as it is on disk now (undecodable bytes replaced)."""
        path = self.resolve(name)
        return read(self.settings.vault, path).decode("utf-8-sig", "replace")

    # ------------------------------------------------------------------ looking

    def status(self) -> StatusReport:
        """What the index holds; SQL counts only."""
        from genesys.engine import listing

        with self._lock:
            return listing.status(self._index, self.settings)

    def graph(self, *, inferred: bool = False) -> dict[str, Json]:
        """``{"notes": […], "edges": […]}``: what is written in the notes, and with ``inferred`` the rest."""
        from genesys.engine import graphs

        with self._lock:
            return graphs.as_json(self._index, inferred=inferred)

    def graphml(self, *, inferred: bool = False) -> bytes:
        """The graph of notes as GraphML (UTF-8), for Gephi and the like."""
        from genesys.engine import graphs

        with self._lock:
            return graphs.as_graphml(self._index, inferred=inferred)

    def explain(self, name: str) -> Explanation:
        """Why a note has its score: factors, accesses, thresholds, and what would change them."""
        from genesys.engine import explaining

        with self._lock:
            return explaining.explain(
                self._index, self.settings, resolve_name(self._index, name), self._clock()
            )

    def outlook(self, name: str) -> Curves:
        """A note's score over the next year, left alone and recalled today."""
        from genesys.engine import explaining

        with self._lock:
            return explaining.outlook(
                self._index, self.settings, resolve_name(self._index, name), self._clock()
            )

    def year(self) -> Curves:
        """What a year of use does to notes, by the settings in force."""
        from genesys.engine import explaining

        return explaining.year(self.settings)

    def stats(self) -> Stats:
        """Numbers of the memory as of the last maintenance pass."""
        from genesys.engine import explaining

        with self._lock:
            return explaining.stats(self._index, self.settings)

    def doctor(self) -> tuple[Check, ...]:
        from genesys.engine.doctor import examine

        return examine(self.settings)

    # ------------------------------------------------------------------ remembering

    def remember(
        self,
        content: str,
        *,
        title: str = "",
        related: Sequence[tuple[str, EdgeType]] = (),
        category: str = "",
        memory_type: MemoryType | None = None,
        source_session: str = "",
        tags: Sequence[str] = (),
        with_vectors: bool | None = None,
    ) -> Remembered:
        """Write a memory as a note; the same session and content again finds the one that is there.

        Raises:
            UsageError: no content, or a secret in it. NoteNotFound, AmbiguousNote: a related note is not
            there. WriteRefused, DiskFull: the vault can't be written; nothing was. BusyError: the vault was
            never indexed, and another process is at it.
        """
        from genesys.engine import memory

        request = memory.Request(
            content, title, tuple(related), category, memory_type, source_session, tuple(tags)
        )
        if self._index.meta_get("indexed_at") is None:  # links need the names of the vault's notes
            self.index(embed=False)
        embedder, _ = self._embedder_for(with_vectors)
        with self._lock:
            return memory.remember(self._index, self.settings, request, self._clock(), self.resolve, embedder)

    def amend(
        self,
        name: str,
        content: str,
        *,
        title: str = "",
        source_session: str = "",
        with_vectors: bool | None = None,
    ) -> Remembered:
        """A new memory that supersedes a note; the old one stays as it is."""
        path = self.resolve(name)
        return self.remember(
            content,
            title=title,
            related=[(path, EdgeType.SUPERSEDES)],
            source_session=source_session,
            with_vectors=with_vectors,
        )

    def pin(self, name: str) -> NoteRef:
        """Make a note core for good, and write it into the note at once.

        Raises:
            WriteRefused: the note must be left alone; it is pinned in the index all the same.
        """
        from genesys.engine import pinning

        with self._lock:
            return pinning.pin(self._index, self.settings, self.resolve(name), self._clock())

    def unpin(self, name: str) -> NoteRef:
        """Take a pin away; status and core follow from the note's own score again."""
        from genesys.engine import pinning

        with self._lock:
            return pinning.unpin(self._index, self.settings, self.resolve(name), self._clock())

    def is_person_note(self, name: str) -> bool:
        """Whether a person wrote the note (and not Genesys)."""
        from genesys.engine import listing

        with self._lock:
            path = resolve_name(self._index, name)
            return listing.refs(self._index, self.settings, [path])[path].kind is Kind.NOTE

    def forget(self, name: str, *, allow_person_note: bool = False) -> Forgotten:
        """Move a note to the trash, with an undo.

        Raises:
            WriteRefused: a person wrote it and ``allow_person_note`` is not set.
        """
        from genesys.engine import forgetting

        with self._lock:
            return forgetting.forget(
                self._index,
                self.settings,
                self.resolve(name),
                self._clock(),
                allow_person_note=allow_person_note,
            )

    def undo_forget(self, which: str = "") -> str:
        """Bring back the last forgotten note, or the one of an event number or path; returns its path."""
        from genesys.engine import forgetting

        with self._lock:
            return forgetting.undo_forget(self._index, self.settings, which, self._clock())

    def core(self, category: str = "") -> CoreList:
        """Core notes, what is proposed for it, and the preferences."""
        from genesys.engine import pinning

        with self._lock:
            return pinning.core_list(self._index, self.settings, category, self._clock())

    def set_core_preferences(
        self, *, auto: Sequence[str] = (), approval: Sequence[str] = (), excluded: Sequence[str] = ()
    ) -> CoreList:
        """Replace the preferences: categories that are always, only after asking, or never core."""
        from genesys.engine import memory

        with self._lock:
            memory.set_preferences(self._index, auto, approval, excluded)
        return self.core()

    def change_core_preferences(
        self, auto: Sequence[str], approval: Sequence[str], excluded: Sequence[str], *, clear: bool = False
    ) -> CoreList:
        """Put categories on the lists they are named for, taking them off the others."""
        from genesys.engine.scoring import preferences

        with self._lock:
            now = preferences(self._index)
            lists = [set() if clear else set(group) for group in (now.auto, now.approval, now.excluded)]
            for at, names in enumerate((auto, approval, excluded)):
                for group in lists:
                    group -= set(names)
                lists[at] |= set(names)
            return self.set_core_preferences(
                auto=tuple(lists[0]), approval=tuple(lists[1]), excluded=tuple(lists[2])
            )

    def decay(self, *, dry_run: bool = False) -> DecayReport:
        """One maintenance pass; with ``dry_run`` what it would do, and why."""
        from genesys.engine import maintain

        with self._lock:
            return maintain.run(self._index, self.settings, self._clock(), dry_run=dry_run)

    def unwrite(self, *, dry_run: bool = False) -> WriteReport:
        """Take every ``genesys_*`` line out of the vault, byte-exactly."""
        from genesys.engine import writeback

        with self._lock:
            return writeback.unwrite(self._index, self.settings, self._clock(), dry_run=dry_run)
