"""Use cases that change something: memories, pins, the core, maintenance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from genesys.engine.base import Progress, Session
from genesys.engine.names import resolve_name
from genesys.model import Edge, EdgeType, Kind, MemoryType

if TYPE_CHECKING:
    from genesys.inference import Candidates
    from genesys.reports import (
        CoreList,
        DecayReport,
        EvolveReport,
        Forgotten,
        ImportReport,
        NoteRef,
        Remembered,
        WriteReport,
    )
    from genesys.transcripts import Known

__all__ = ["Keeping"]


class Keeping(Session):
    """The use cases that change something: memories, pins, the core, maintenance."""

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

    def digest_known(self, session: str, marks: Sequence[str], texts: Sequence[str]) -> Known:
        """What the vault has of a conversation: its notes, who holds which mark, what the texts name."""
        from genesys.engine.digest_known import known_of

        if not self.read_only and self._index.meta_get("indexed_at") is None:
            self.index(embed=False)  # names are those of the vault's notes
        with self._lock:
            return known_of(self._index, self.settings, session, marks, texts)

    def infer_candidates(self, limit: int) -> Candidates:
        """The newest memories with what is near them, and alike episodes: what a language model is asked."""
        from genesys.engine.infer_candidates import candidates

        embedder, notices = self._embedder_for(None)
        with self._lock:
            found = candidates(self._index, self.settings, embedder, limit, self._clock())
        return replace(found, notices=(*notices, *found.notices))

    def keep_inferred(self, edges: Sequence[Edge]) -> int:
        """Keep a language model's causal edges, in the index alone; how many were new."""
        from genesys.engine.infer_candidates import keep_edges

        with self._lock:
            return keep_edges(self._index, edges, self._clock())

    def drop_inferred(self) -> int:
        """Take every edge of a language model out again; how many there were."""
        from genesys.engine.infer_candidates import drop_edges

        with self._lock:
            return drop_edges(self._index, self._clock())

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

    def is_pinned(self, name: str) -> bool:
        """Whether the note is pinned, as far as the index knows."""
        from genesys.engine.memory import note_row_of

        with self._lock:
            return note_row_of(self._index, resolve_name(self._index, name)).pinned

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
        """Put categories on the lists they are named for, taking them off the others.

        Raises:
            UsageError: a category was named for two lists.
        """
        from genesys.engine.memory import one_list_each
        from genesys.engine.scoring import preferences

        one_list_each(auto, approval, excluded)

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

    def evolve(self, *, apply: bool = False, only: Sequence[str] = ()) -> EvolveReport:
        """Near-duplicates, stale decisions, memories to share: proposals, and with ``apply`` acts.

        ``apply`` does what is sure, or the proposals whose ids ``only`` names.

        Raises:
            UsageError: an id is no proposal's. IndexMissing: the vault was never indexed.
        """
        from genesys.engine import evolving
        from genesys.store.index import open_index

        # On a connection of its own: whoever asks meanwhile does not wait.
        with open_index(self.settings.index, read_only=True) as aside:
            found = evolving.look(aside, self.settings, self._clock(), only)
        if not apply:
            return found
        with self._lock:
            return evolving.carry_out(self._index, self.settings, found, self._clock(), named=bool(only))

    def undo_evolve(self, event: int) -> tuple[str, ...]:
        """Take back one act of :meth:`evolve`, by its number; the paths that are as they were.

        Raises:
            UsageError: there is no such act. VaultError: what a person did since stands against it.
        """
        from genesys.engine import evolving

        with self._lock:
            return evolving.undo(self._index, self.settings, event, self._clock())

    def unwrite(self, *, dry_run: bool = False) -> WriteReport:
        """Take every ``genesys_*`` line out of the vault, byte-exactly."""
        from genesys.engine import writeback

        with self._lock:
            return writeback.unwrite(self._index, self.settings, self._clock(), dry_run=dry_run)

    def import_memories(
        self,
        file: str,
        *,
        source: str = "auto",
        folder: str = "",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Bring in the memories of a file or folder (an absolute path); all of them or none.

        Raises:
            UsageError: the source is not what it should be; the message says where. WriteRefused, DiskFull:
            the vault can't be written. In each case nothing was changed.
        """
        from genesys.engine import importing

        if self._index.meta_get("indexed_at") is None:  # links need the names of the vault's notes
            self.index(embed=False)
        with self._lock:
            return importing.run(
                self._index,
                self.settings,
                Path(file),
                source,
                self._clock(),
                folder=folder,
                dry_run=dry_run,
                progress=progress,
            )
