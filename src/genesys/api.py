"""The memory of a vault for Python programs: ``from genesys import Memory``.

It asks the vault's daemon where one runs, and else opens the index in this process: there is one writer a
vault (P6), whoever else has it open. What it returns are the frozen values of :mod:`genesys.model` and
:mod:`genesys.reports`, what it raises is the tree of :mod:`genesys.errors`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, cast

from genesys.engine import lease
from genesys.engine.base import NO_FILTERS, Progress
from genesys.engine.session import Genesys
from genesys.errors import BusyError, GenesysError, IndexMissing, UnknownEdgeType, UsageError
from genesys.model import Answer, EdgeType, Filters, MemoryType
from genesys.remote import Remote
from genesys.settings import Settings, load_settings
from genesys.starting import find

if TYPE_CHECKING:
    from genesys.reports import ContextBlock, Forgotten, IndexReport, NoteRef, Remembered, Stats, WhyReport

__all__ = ["Memory"]

T = TypeVar("T")
PATIENCE_S = 10.0  # for another process that is writing this vault's index


class Memory:
    """The memory of one vault, for a program.

    ::

        with Memory("~/Notes") as memory:
            memory.remember("Plan A is off: the pump was late.", related=[("Pump order", "caused_by")])
            for hit in memory.recall("why is plan A off").hits:
                print(hit.path, hit.score, hit.text)

    ``vault`` is its folder; without it the vault is found as on the command line. Settings come from the
    environment and from files, likewise. With ``start_daemon`` the vault's daemon is started where none
    runs: it keeps the model loaded and the index current. Without one the first question loads the model
    (some seconds), and :meth:`index` reads what has changed in the vault.

    Methods may be called from any thread, and run one at a time. A ``note`` is named as in a wikilink: by
    path, name, alias or part of the path.

    Raises:
        VaultNotFound: there is no such folder, or several could be meant.
        SettingsError: a setting has a value it can't have.
    """

    def __init__(self, vault: str | os.PathLike[str] | None = None, *, start_daemon: bool = False) -> None:
        self._settings = load_settings(None if vault is None else Path(vault).expanduser())
        self._start = start_daemon
        self._gate = threading.RLock()
        self._near: Genesys | None = None
        self._far: Remote | None = None
        self._file: tuple[int, int] | None = None
        self._closed = False

    @property
    def vault(self) -> Path:
        """The vault's folder."""
        return self._settings.vault

    @property
    def settings(self) -> Settings:
        """The settings in force here; a daemon that was started with others keeps its own."""
        return self._settings

    def close(self) -> None:
        """Let go of the index, or of the daemon. Another call afterwards is an error."""
        with self._gate:
            self._closed = True
            self._let_go()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ asking

    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        filters: Filters = NO_FILTERS,
        read_only: bool = False,
    ) -> Answer:
        """The ``k`` notes that answer ``query`` best, each with its passage and why it was chosen.

        A recalled note is remembered better afterwards; ``read_only`` leaves no such trace.

        Raises:
            IndexMissing: the vault was never indexed.
        """
        return self.use(lambda m: m.recall(query, k, filters, read_only=read_only))

    def context(self, query: str, max_tokens: int = 800, *, session: str = "") -> ContextBlock:
        """One block of text for the head of a prompt: core memories, best passages, their causes.

        It is at most ``max_tokens`` long, and what notes say stands quoted in it. ``session`` is a
        ``source_session``, whose own memories are listed, too. Leaves no trace.
        """
        return self.use(lambda m: m.context(query, max_tokens, session, wait=True))

    def why(self, note: str, depth: int = 3) -> WhyReport:
        """What led to a note and what it led to, each step with the sentence that says so.

        Raises:
            NoteNotFound, AmbiguousNote
        """
        return self.use(lambda m: m.why(note, depth))

    def stats(self) -> Stats:
        """Numbers of the whole memory."""
        return self.use(lambda m: m.stats())

    # ------------------------------------------------------------------ keeping

    def remember(
        self,
        content: str,
        *,
        title: str = "",
        related: Iterable[tuple[str, EdgeType | str]] = (),
        category: str = "",
        memory_type: MemoryType | str | None = None,
        source_session: str = "",
        tags: Iterable[str] = (),
    ) -> Remembered:
        """Write a memory as a note of the vault. The same content and session again finds the one there is.

        ``related`` are (note, edge type): ``("Budget cut", "caused_by")`` says that this memory is caused
        by that note.

        Raises:
            UsageError: no content, too much of it, or a secret in it.
            NoteNotFound, AmbiguousNote, UnknownEdgeType: a relation can't be; nothing was written.
            WriteRefused, DiskFull: the vault can't be written; nothing was.
        """
        links = [(note, _edge_type(kind)) for note, kind in related]
        kind, labels = _memory_type(memory_type), tuple(tags)
        return self.use(
            lambda m: m.remember(
                content,
                title=title,
                related=links,
                category=category,
                memory_type=kind,
                source_session=source_session,
                tags=labels,
            ),
            writes=True,
            makes=True,
        )

    def amend(self, note: str, content: str, *, title: str = "", source_session: str = "") -> Remembered:
        """Correct a note with a new memory that supersedes it; the old one stays as it is."""
        return self.use(
            lambda m: m.amend(note, content, title=title, source_session=source_session), writes=True
        )

    def forget(self, note: str, *, allow_person_note: bool = False) -> Forgotten:
        """Move a note to the vault's trash; :meth:`undo_forget` brings it back.

        Raises:
            WriteRefused: a person wrote it, and ``allow_person_note`` is not set.
        """
        return self.use(lambda m: m.forget(note, allow_person_note=allow_person_note), writes=True)

    def undo_forget(self, which: str = "") -> str:
        """Bring back the note that was forgotten last, or the one of a path or an event; its path."""
        return self.use(lambda m: m.undo_forget(which), writes=True)

    def pin(self, note: str) -> NoteRef:
        """Make a note core for good; it never fades."""
        return self.use(lambda m: m.pin(note), writes=True)

    def unpin(self, note: str) -> NoteRef:
        """Take a pin away."""
        return self.use(lambda m: m.unpin(note), writes=True)

    def index(
        self, *, full: bool = False, embed: bool = True, progress: Progress | None = None
    ) -> IndexReport:
        """Read what has changed in the vault, and embed it. A daemon does that by itself.

        ``full`` compares contents and not time stamps; ``progress(phase, done, total)`` is called on the
        way, where the work is done in this process.

        Raises:
            BusyError: another process is at it.
        """
        return self.use(lambda m: m.index(full=full, embed=embed, progress=progress), writes=True, makes=True)

    # ------------------------------------------------------------------ whoever does the work

    def use(self, work: Callable[[Genesys], T], *, writes: bool = False, makes: bool = False) -> T:
        """Run ``work`` on the open memory; for adapters, which need more than the methods above.

        ``writes`` holds the vault's lease meanwhile; ``makes`` makes an index where there is none. Work that
        only reads is done again where the daemon ended during it.

        Raises:
            BusyError: another process is writing, or the daemon ended during a write.
            GenesysError: whatever the work raises.
        """
        with self._gate:
            for _ in range(2):
                far = self._daemon()
                if far is None:
                    return self._here(work, writes=writes, makes=makes)
                try:
                    return work(cast("Genesys", far))
                except BusyError:
                    self._let_go()  # it may be gone, and another may be there by now
                    if writes:
                        raise
                except GenesysError:
                    raise
                except BaseException:
                    self._let_go()  # its answer may still be on the way, and is not for the next question
                    raise
            raise BusyError("the vault's daemon ended twice during this call", hint="genesys daemon logs")

    def _here(self, work: Callable[[Genesys], T], *, writes: bool, makes: bool) -> T:
        if not (makes or self._settings.index.exists()):
            raise IndexMissing("this vault has no index yet", hint="Memory.index() makes one")
        if not writes:
            return work(self._opened())
        with lease.keep(self._settings.index.parent, PATIENCE_S):
            return work(self._opened())

    def _daemon(self) -> Remote | None:
        """The daemon, where one runs now; asked for every time, since it may be started at any moment."""
        if self._closed:
            raise UsageError("this memory is closed", hint="open another Memory")
        if self._far is None:
            link = find(self._settings.vault, self._settings.index, start=self._start)
            if link is not None:
                self._let_go()
                self._far = Remote(link, self._settings)
        return self._far

    def _opened(self) -> Genesys:
        """The index, open in this process; opened anew where its file is another one by now."""
        if self._near is not None and self._file != self._identity():
            self._let_go()
        if self._near is None:
            self._near = Genesys.open(self._settings)
            self._file = self._identity()
        return self._near

    def _identity(self) -> tuple[int, int] | None:
        try:
            stat = os.stat(self._settings.index)
        except OSError:
            return None
        return stat.st_dev, stat.st_ino

    def _let_go(self) -> None:
        near, far = self._near, self._far
        self._near = self._far = None
        if near is not None:
            near.close()
        if far is not None:
            far.close()


def _edge_type(kind: EdgeType | str) -> EdgeType:
    try:
        return EdgeType(kind)
    except ValueError:
        raise UnknownEdgeType(
            f"{kind!r} is no edge type", hint="use one of: " + ", ".join(EdgeType)
        ) from None


def _memory_type(kind: MemoryType | str | None) -> MemoryType | None:
    try:
        return MemoryType(kind) if kind else None
    except ValueError:
        hint = "use one of: " + ", ".join(MemoryType)
        raise UsageError(f"{kind!r} is no kind of memory", hint=hint) from None
