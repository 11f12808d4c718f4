"""The one way to open a vault's memory, and its use cases as methods.

A shell opens a :class:`Genesys`, calls a method, renders the value. Each method's work is in a module of
its own beside this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from genesys.engine.base import NO_FILTERS, Progress
from genesys.engine.keeping import Keeping
from genesys.engine.names import resolve_name
from genesys.model import Answer, EdgeType, Filters, Json

if TYPE_CHECKING:
    from genesys.evaluation import Evaluation
    from genesys.overview import Overview
    from genesys.reports import (
        Check,
        ContextBlock,
        Curves,
        Drawing,
        Explanation,
        ExportReport,
        NoteRef,
        Stats,
        StatusReport,
        Subgraph,
        WhyReport,
    )

__all__ = ["Genesys", "Progress"]


class Genesys(Keeping):
    """A vault's memory, open. Methods may be called from any thread; each runs alone.

    Use :meth:`open`; the object is a context manager.
    """

    # ------------------------------------------------------------------ asking

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

    def search(
        self, query: str, k: int = 20, filters: Filters = NO_FILTERS, *, offset: int = 0
    ) -> tuple[NoteRef, ...]:
        """Notes by words and filters, best first; an empty query lists by time, newest first."""
        from genesys.engine import listing

        with self._lock:
            return listing.search(self._index, self.settings, query, k, filters, offset)

    def unmet(self, filters: Filters) -> tuple[str, ...]:
        """A line for each filter that no note can pass, with what may have been meant."""
        with self._lock:
            return self._index.unmet(filters)

    def context(
        self, query: str, max_tokens: int = 800, session: str = "", *, wait: bool = False
    ) -> ContextBlock:
        """A block of text for the head of a prompt, at most ``max_tokens`` long by our estimate.

        ``session`` is the id of the conversation it is for, whose own memories are listed, too. The model
        is used where it is loaded, and waited for only with ``wait``. Leaves no trace; the same question
        again is answered from working memory while nothing in the index has changed.
        """
        from genesys.engine import context

        return context.context(self, query, max_tokens, session, wait)

    def why(self, name: str, depth: int = 3) -> WhyReport:
        """Causes and effects of a note, each step with its evidence sentence."""
        from genesys.engine import causes, listing

        with self._lock:
            path = resolve_name(self._index, name)
            return causes.why(self._index, path, depth, lambda p: listing.refs(self._index, self.settings, p))

    def canvas(self, name: str, file: str = "", depth: int = 3) -> Drawing:
        """Draw :meth:`why` into a canvas of the vault: ``file``, or one named after the note.

        Raises:
            WriteRefused: a person's file has that name. PathEscape: it lies outside the vault.
        """
        from genesys.engine import canvas

        report = self.why(name, depth)
        with self._lock:
            return canvas.save(self._index, self.settings, report, file)

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
        from genesys.reports import Subgraph

        with self._lock:
            path = resolve_name(self._index, name)
            paths, edges, cut = causes.neighbourhood(self._index, path, depth, edge_types, direction, limit)
            found = listing.refs(self._index, self.settings, paths)
        return Subgraph(tuple(found[p] for p in paths if p in found), tuple(edges), cut)

    def read_note(self, name: str) -> str:
        """The text of a note as it is on disk now (undecodable bytes replaced)."""
        from genesys.vault import read

        path = self.resolve(name)
        return read(self.settings.vault, path).decode("utf-8-sig", "replace")

    # ------------------------------------------------------------------ conversations

    def briefing(self, session: str = "") -> ContextBlock:
        """For the start of a conversation: core notes, what changed since the last one began, what fades."""
        from genesys.engine.briefing import briefing

        return briefing(self, session)

    def untold(self, texts: Sequence[str], session: str = "") -> tuple[str, ...]:
        """What was decided or learned in ``texts`` that no note holds; each sentence once in a session."""
        from genesys.engine.untold import untold

        return untold(self, texts, session)

    def prompted(self, prompt: str, session: str = "") -> ContextBlock:
        """What the notes say that a prompt is about; empty where they say nothing, or only steers are given.

        The same passage is given once in a ``session``. The model is used where it is loaded; no trace is
        left in the index.
        """
        from genesys.engine.prompting import prompted

        return prompted(self, prompt, session)

    # ------------------------------------------------------------------ looking

    def evaluate(
        self,
        pairs: tuple[str, str] | None = None,
        *,
        n: int = 200,
        seed: int = 7,
        k: int = 10,
        signals: bool = False,
        progress: Progress | None = None,
    ) -> Evaluation:
        """How good recall is here: asked with ``pairs`` (a file's text and its ending) or, without, with
        ``n`` sentences around links of the vault. With ``signals`` each signal is switched off in turn.

        Raises:
            UsageError: no link makes a question, or no line of ``pairs`` can be asked.
        """
        from genesys.engine import evaluating

        embedder, notices = self._embedder_for(None)
        with self._lock:
            return evaluating.run(
                self._index,
                embedder,
                self.settings,
                pairs,
                n=n,
                seed=seed,
                k=k,
                signals=signals,
                now=self._clock(),
                notices=notices,
                progress=progress,
            )

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

    def export(self, file: str, format: str, *, notes: bool = False, force: bool = False) -> ExportReport:
        """Write all memories (with ``notes`` all notes) to a file or folder; see DESIGN §12.

        Raises:
            UsageError: there is no such format. WriteRefused: the file exists already, or can't be written.
        """
        from pathlib import Path

        from genesys.engine import exporting

        with self._lock:
            path = Path(file)
            kind = exporting.format_of(path, format)
            return exporting.run(self._index, self.settings, path, kind, notes=notes, force=force)

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

    def overview(self, notes: Sequence[str] = ()) -> Overview:
        """The whole memory for one page; ``notes`` are those whose lives it draws (else a few that differ).

        Raises:
            NoteNotFound, AmbiguousNote
        """
        from genesys.engine import overlook

        with self._lock:
            chosen = [resolve_name(self._index, name) for name in notes]
            return overlook.overview(self._index, self.settings, self._clock(), chosen)

    def doctor(self) -> tuple[Check, ...]:
        from genesys.engine.doctor import examine

        return examine(self.settings)
