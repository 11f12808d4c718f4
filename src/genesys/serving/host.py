"""The open memory behind a server: opened on demand, kept current in the background, mended when broken.

Handlers run on worker threads and get the memory through :meth:`Host.call`. One background thread reads the
vault, loads the model and embeds, so that a handshake waits for none of it. It reads the vault through a
connection of its own: an index pass may take minutes, and a recall must not wait for it (P5).
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from genesys.engine import lease
from genesys.engine.session import Genesys
from genesys.errors import (
    BusyError,
    GenesysError,
    IndexCorrupt,
    IndexLocked,
    IndexMissing,
    ModelError,
    UsageError,
)
from genesys.settings import Settings

__all__ = ["Activity", "Host"]

T = TypeVar("T")

REFRESH_S = 15.0  # a read that comes so long after the last pass starts another, without waiting for it
EMBED_SLICE = 16  # passages embedded while a call waits, at most; about half a second of a slow machine
YIELD_S = 0.01  # a lock is not fair: without a pause the background would have it again at once
CLOSE_WAIT_S = 5.0  # a client that closed us waits about ten seconds before it kills

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Activity:
    """What the background does: idle, reading, loading, embedding; with how far it has come."""

    phase: str = "starting"
    done: int = 0
    total: int = 0

    def __str__(self) -> str:
        return f"{self.phase} ({self.done} of {self.total})" if self.total else self.phase


class Host:
    """Holds one vault's memory (and the shared vault's) for as long as the server runs."""

    def __init__(
        self, settings: Settings, *, clock: Callable[[], float] = time.time, background: bool = True
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.activity = Activity()
        self._gate = threading.RLock()
        self._memory: Genesys | None = None
        self._identity: tuple[int, int] | None = None
        self._broken = False
        self._org: Genesys | None = None
        self._read_once = False
        self._last_pass = 0.0
        self._model_problem = ""
        self._problem = ""
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="genesys-keeper", daemon=True)
        self._background = background

    # ------------------------------------------------------------------ calls

    def call(self, work: Callable[[Genesys], T]) -> T:
        """Run ``work`` on the memory; opens it where it is not open.

        Raises:
            IndexCorrupt: the index is damaged or gone; it is being rebuilt, so a later call will work.
            GenesysError: whatever the work raises.
        """
        memory = self._current()
        if self._background and time.monotonic() - self._last_pass > REFRESH_S:
            self._wake.set()
        try:
            return work(memory)
        except IndexCorrupt:
            self._retire(memory, broken=True)
            raise
        except GenesysError:
            raise
        except Exception as error:
            if memory is self._memory:
                raise
            raise IndexLocked("the index was opened anew during this call") from error

    def org(self) -> Genesys:
        """The shared vault's memory.

        Raises:
            UsageError: no shared vault is set up.
        """
        root = self.settings.org_vault
        if root is None:
            raise UsageError(
                "no shared vault is set up", hint="ask the person to set GENESYS_ORG_VAULT to its folder"
            )
        with self._gate:
            if self._org is None:
                # Its index stays on this machine: in the shared folder it would be everyone's and no one's.
                index = self.settings.index.parent / "org" / "index.db"
                own = replace(self.settings, vault=root, index=index, writeback="off", org_vault=None)
                self._org = Genesys.open(own, clock=self.clock)
                self._org.index(embed=False)
            return self._org

    def notices(self) -> tuple[str, ...]:
        """What a reader of an answer should know about the state of the server."""
        lines = [self._problem, self._model_problem]
        if self._background and not self._read_once:
            lines.append(f"the vault is still being read, so answers may lack notes: {self.activity}")
        return tuple(line for line in lines if line)

    def _current(self) -> Genesys:
        with self._gate:
            if self._memory is not None and self._file() != self._identity:
                self._retire(self._memory, broken=False)
                raise IndexCorrupt("the index file is gone; it is being rebuilt from the notes")
            if self._memory is None:
                self._memory = self._open()
                self._identity = self._file()
            return self._memory

    def _open(self) -> Genesys:
        if self._broken:
            self._set_aside()
        try:
            memory = Genesys.open(self.settings, clock=self.clock)
        except (IndexCorrupt, IndexMissing):
            self._set_aside()
            memory = Genesys.open(self.settings, clock=self.clock)
        self._broken = False
        return memory

    def _set_aside(self) -> None:
        """Move a damaged index out of the way; notes are in the vault, so nothing is lost (P1)."""
        path = self.settings.index
        with lease.hold(path.parent):
            for suffix in ("-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            with contextlib.suppress(FileNotFoundError):
                path.replace(path.with_name(path.name + ".damaged"))
        log.warning("the index was damaged; it is set aside and made anew")

    def _file(self) -> tuple[int, int] | None:
        try:
            stat = os.stat(self.settings.index)
        except OSError:
            return None
        return stat.st_dev, stat.st_ino

    def _retire(self, memory: Genesys, *, broken: bool) -> None:
        with self._gate:
            if memory is not self._memory:
                return
            self._memory, self._identity, self._broken = None, None, broken
            self._read_once = False
        with contextlib.suppress(Exception):  # it is unusable either way
            memory.close()
        self._wake.set()

    # ------------------------------------------------------------------ background

    def start(self) -> None:
        """Begin to read the vault and to load the model; returns at once."""
        if self._background:
            self._thread.start()

    def close(self) -> None:
        """Stop the background, write back what is due, close. Bounded: a stuck disk does not hold us."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(CLOSE_WAIT_S)
        closer = threading.Thread(target=self._close_all, name="genesys-closer", daemon=True)
        closer.start()
        closer.join(CLOSE_WAIT_S)

    def _close_all(self) -> None:
        with self._gate:
            memories = [m for m in (self._memory, self._org) if m is not None]
            self._memory = self._org = None
        for memory in memories:
            try:
                if self._background and memory.settings.writeback != "off":
                    memory.decay()  # a pass ends with writing back what is due
            except GenesysError as error:
                log.warning("not all was written back: %s", error.message)
            finally:
                memory.close()

    def _run(self) -> None:
        due = time.monotonic() + self.settings.maintenance_interval_s
        while not self._stop.is_set():
            self._guarded(self._pass)
            self._guarded(self._embed)
            if time.monotonic() >= due:
                self._guarded(self._maintain)
                due = time.monotonic() + self.settings.maintenance_interval_s
            self.activity = Activity("idle")
            self._wake.wait(max(due - time.monotonic(), 0.0))
            self._wake.clear()

    def _guarded(self, step: Callable[[], None]) -> None:
        """The background outlives whatever goes wrong in it; the next round tries again."""
        if self._stop.is_set():
            return
        try:
            step()
        except BusyError:
            log.info("another Genesys process is writing; it keeps the index current")
            self._read_once = True
        except GenesysError as error:
            self._problem = f"the index may be out of date: {error.message}"
            log.warning("%s (%s)", error.message, error.hint)
        except Exception:
            log.exception("background work failed")

    def _pass(self) -> None:
        self.call(lambda memory: None)  # opens, or finds that the file is gone
        self.activity = Activity("reading")
        self._last_pass = time.monotonic()
        with Genesys.open(self.settings, clock=self.clock) as keeper:
            keeper.index(embed=False, progress=self._report)
        if self._org is not None:
            self._org.index(embed=False)
        self._last_pass = time.monotonic()
        self._read_once = True
        self._problem = ""

    def _embed(self) -> None:
        memory = self._current()
        self.activity = Activity("loading the model")
        try:
            memory.warm()
        except ModelError as error:
            self._model_problem = f"without meaning, from words and links only: {error.message}"
            log.warning("%s (%s)", error.message, error.hint)
            return
        self._model_problem = ""
        while not self._stop.is_set() and memory is self._memory:
            self.activity = Activity("embedding")
            if not memory.embed_pending(limit=EMBED_SLICE) or self._stop.wait(YIELD_S):
                return

    def _maintain(self) -> None:
        self.activity = Activity("maintenance")
        self._current().decay()

    def _report(self, phase: str, done: int, total: int) -> None:
        self.activity = Activity(f"reading: {phase}", done, total)
