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
from genesys.model import Answer, EdgeType, Filters, Json
from genesys.reports import Check, IndexReport, NoteRef, StatusReport, Subgraph, WhyReport
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

    def __init__(self, settings: Settings, index: Index, *, read_only: bool, clock: Callable[[], float]) -> None:
        self.settings = settings
        self.read_only = read_only
        self._index = index
        self._clock = clock
        self._lock = threading.RLock()
        self._model_lock = threading.Lock()
        self._embedder: Embedder | None = None

    @classmethod
    def open(
        cls, settings: Settings, *, read_only: bool = False, clock: Callable[[], float] = time.time
    ) -> Self:
        """Open the index of ``settings.vault``, making it where there is none (unless ``read_only``).

        Raises:
            VaultNotFound: the vault's folder is not there.
            IndexError_: index.db can't be used; the hint says what to do.
        """
        if not settings.vault.is_dir():
            raise VaultNotFound(f"{settings.vault} is not a folder", hint="name your vault with --vault")
        if read_only and not settings.index.exists():
            raise IndexMissing("this vault has no index yet", hint="genesys index")
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
        self, *, full: bool = False, dry_run: bool = False, embed: bool = True, progress: Progress | None = None
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
        before = self._index.vector_counts(name)
        embedded, notices = 0, report.notices
        if embed and before.pending:
            try:
                embedded = embed_pending(self._index, self.warm(), progress=progress)
            except ModelError as e:
                notices += (f"words and links are indexed, vectors are not: {e.message} ({e.hint})",)
        after = self._index.vector_counts(name) if embedded else before
        seconds = {**report.seconds, "embed": round(time.perf_counter() - start, 4)}
        return replace(
            report,
            embedded=embedded,
            reused=report.passages - after.pending - embedded,
            pending=after.pending,
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
            if not self._index.vector_counts(model_name(self.settings)).vectors:
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

    def doctor(self) -> tuple[Check, ...]:
        from genesys.engine.doctor import examine

        return examine(self.settings)
