"""The open memory behind a server: opened on demand, kept current in the background, mended when broken.

Handlers run on worker threads and get the memory through :meth:`Host.call`. What goes on behind them is
:mod:`genesys.engine.background`'s, on a thread and a connection of its own, so that neither a handshake nor
a recall waits for it (P5).
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from genesys.engine.background import Activity, Background, Owner
from genesys.engine.mending import set_aside
from genesys.engine.session import Genesys
from genesys.errors import (
    GenesysError,
    IndexCorrupt,
    IndexLocked,
    IndexMissing,
    UsageError,
    VaultNotFound,
)
from genesys.settings import Settings

__all__ = ["Activity", "Host"]

T = TypeVar("T")

REFRESH_S = 15.0  # without a watcher: a read so long after the last pass starts another, and does not wait
CATCH_UP_S, PAUSE_S = 2.0, 0.02  # a first look without changes takes some tenths of a second
CLOSE_WAIT_S = 5.0  # a client that closed us waits about ten seconds before it kills

log = logging.getLogger(__name__)


class Host:
    """Holds one vault's memory (and the shared vault's) for as long as the server runs.

    Without ``background`` nothing happens but what calls do. ``watched`` is set where somebody tells
    :attr:`keeper` of changes.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], float] = time.time,
        background: bool = True,
        watched: bool = False,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self._gate = threading.RLock()
        self._memory: Genesys | None = None
        self._identity: tuple[int, int] | None = None
        self._broken: tuple[int, int] | None = None  # the damaged file, which is to be set aside
        self._opened_once = False
        self._org: Genesys | None = None
        self._watched = watched
        self.writes_back = True  # what is due, at the end
        owner = Owner(self._current, self._damaged, lambda: self._current().warm())
        self.keeper = Background(settings, owner, clock) if background else None

    @property
    def activity(self) -> Activity:
        """What goes on behind the calls."""
        return self.keeper.activity if self.keeper else Activity("idle")

    # ------------------------------------------------------------------ calls

    def call(self, work: Callable[[Genesys], T]) -> T:
        """Run ``work`` on the memory; opens it where it is not open.

        Raises:
            IndexCorrupt: the index is damaged or gone; it is being rebuilt, so a later call will work.
            GenesysError: whatever the work raises.
        """
        memory = self._current()
        if self.keeper and not self._watched and self.keeper.age > REFRESH_S:
            self.keeper.nudge()
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
        keeper = self.keeper
        if keeper is None:
            return ()
        lines = [keeper.problem, keeper.model_problem]
        if not keeper.read_once:
            lines.append(f"the vault is still being read, so answers may lack notes: {keeper.activity}")
        return tuple(line for line in lines if line)

    def _current(self) -> Genesys:
        with self._gate:
            file = self._file()
            if self._memory is not None and file != self._identity and not self._lost():
                self._retire(self._memory, broken=False)
                if file is None:
                    raise IndexCorrupt("the index file is gone; it is being rebuilt from the notes")
            if self._memory is None:
                self._memory = self._open()
                self._identity = self._file()
                self._opened_once = True
            return self._memory

    def _open(self) -> Genesys:
        if self._broken is not None and self._broken == self._file():
            set_aside(self.settings)
        self._broken = None
        if self._opened_once and self._lost():
            raise VaultNotFound(
                f"{self.settings.vault} is gone or empty", hint="Is its disk mounted? Nothing is forgotten."
            )
        try:
            return Genesys.open(self.settings, clock=self.clock)
        except (IndexCorrupt, IndexMissing):
            set_aside(self.settings)
            return Genesys.open(self.settings, clock=self.clock)

    def _lost(self) -> bool:
        """Whether the vault is away, as a disk that is not mounted is: no index may be made in its place."""
        try:
            return next(self.settings.vault.iterdir(), None) is None
        except OSError:
            return True

    def _file(self) -> tuple[int, int] | None:
        try:
            stat = os.stat(self.settings.index)
        except OSError:
            return None
        return stat.st_dev, stat.st_ino

    def _damaged(self) -> None:
        """The background met a damaged index."""
        with self._gate:
            if self._memory is not None:
                self._retire(self._memory, broken=True)
            else:
                self._broken = self._file()

    def _retire(self, memory: Genesys, *, broken: bool) -> None:
        with self._gate:
            if memory is not self._memory:
                return
            self._broken = self._identity if broken else None
            self._memory, self._identity = None, None
        with contextlib.suppress(Exception):  # it is unusable either way
            memory.close()
        if self.keeper:
            self.keeper.replaced()

    # ------------------------------------------------------------------ beginning and end

    def catch_up(self, wait_s: float = CATCH_UP_S) -> bool:
        """Wait until the vault was read once since we began; False where that takes longer."""
        end = time.monotonic() + wait_s
        while self.keeper and not self.keeper.read_once:
            if time.monotonic() > end:
                return False
            time.sleep(PAUSE_S)
        return True

    def start(self) -> None:
        """Begin to read the vault and to load the model; returns at once."""
        if self.keeper:
            self.keeper.start()

    def close(self) -> None:
        """Stop the background, write back what is due, close. Bounded: a stuck disk does not hold us."""
        if self.keeper:
            self.keeper.stop(CLOSE_WAIT_S)
        closer = threading.Thread(target=self._close_all, name="genesys-closer", daemon=True)
        closer.start()
        closer.join(CLOSE_WAIT_S)

    def _close_all(self) -> None:
        with self._gate:
            memories = [m for m in (self._memory, self._org) if m is not None]
            self._memory = self._org = None
        try:
            if self.keeper and self.keeper.read_once and self.writes_back:
                self.keeper.flush()
        except GenesysError as error:
            log.warning("not all was written back: %s", error.message)
        finally:
            for memory in memories:
                memory.close()
