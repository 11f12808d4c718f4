"""Notice what other programs do to the vault's files. It decides nothing: paths go to the background.

Two watches: the vault's own folder (and ``.obsidian`` for its settings), not deep, and the visible folders
in it, all the way down. So the index, which lies in a hidden folder and is written all the time, makes no
noise. Where the system has no events to give (network mounts), a quick pass over the vault is asked for at
intervals.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from watchfiles import Change, watch

__all__ = ["Watcher", "needs_polling"]

STEP_MS = 50  # how often events are collected; the quiet time of GENESYS_DEBOUNCE_MS begins after that
GATHER_MS = 200  # events are handed on at least so often, however many there are
LOOK_MS = 2_000  # how often it is looked whether the vault is still there
POLL_S = 3.0
POLL_SHARE = 20  # a pass that takes a second is asked for every 20
# File systems whose changes on the other side give no events here.
REMOTE_TYPES = (
    "9p",
    "afpfs",
    "cifs",
    "davfs",
    "drvfs",
    "fuse.rclone",
    "fuse.sshfs",
    "nfs",
    "nfs4",
    "prl_fs",
    "smb3",
    "smbfs",
    "vboxsf",
    "virtiofs",
    "vmhgfs",
)

log = logging.getLogger(__name__)


class Watcher:
    """Tells ``changed`` vault-relative paths, and ``nudge`` that something may have changed.

    ``cost`` gives the seconds that a pass over the vault takes, which polling keeps below a twentieth.
    """

    def __init__(
        self,
        root: Path,
        changed: Callable[[Collection[str]], None],
        nudge: Callable[[], None],
        *,
        poll: bool = False,
        cost: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._root = Path(os.path.realpath(root))
        self._changed, self._nudge, self._cost = changed, nudge, cost
        self._stop = threading.Event()
        self._inner_stop = threading.Event()
        self._inner: threading.Thread | None = None
        self._folders: tuple[str, ...] = ()
        work = self._poll if poll else self._watch
        self._thread = threading.Thread(target=work, name="genesys-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, wait_s: float = 5.0) -> None:
        self._stop.set()
        self._inner_stop.set()
        self._thread.join(wait_s)
        if self._inner is not None:
            self._inner.join(wait_s)

    # ------------------------------------------------------------------ events

    def _watch(self) -> None:
        while not self._stop.is_set():
            try:
                self._watch_root()
            except OSError as error:
                if self._identity() is not None:
                    # Most often fs.inotify.max_user_watches; for such a vault polling is the way.
                    log.warning("the vault can't be watched (%s); it is looked at from time to time", error)
                    self._stop_inner()
                    self._poll()
                    return
            except Exception:
                log.exception("the watch failed; it is started again")
            self._stop_inner()
            self._nudge()  # so that it is said, should the vault be gone
            while not self._stop.is_set() and self._identity() is None:
                self._stop.wait(LOOK_MS / 1000)
            self._stop.wait(0.1)
            self._nudge()  # what happened meanwhile was seen by nobody

    def _watch_root(self) -> None:
        """Until the vault's folder is another one, or gone."""
        before = self._identity()
        if before is None:
            return
        self._restart_inner()
        for events in self._events(self._stop, self._top(), recursive=False, look_ms=LOOK_MS):
            if self._identity() != before:
                log.warning("the vault's folder is gone, or was exchanged for another")
                return
            self._tell(events)
            if self._visible() != self._folders or not self._inner_alive():
                self._restart_inner()
                self._nudge()  # what went into a new folder before it was watched

    def _watch_folders(self, stop: threading.Event, folders: tuple[str, ...]) -> None:
        try:
            for events in self._events(stop, [self._root / f for f in folders], recursive=True, look_ms=0):
                self._tell(events)
        except FileNotFoundError:
            pass  # a folder went at this moment; the outer watch notices
        except OSError as error:
            log.warning("the vault's folders can't be watched: %s", error)
            stop.wait(POLL_S)
            self._nudge()

    def _events(
        self, stop: threading.Event, paths: Iterable[Path], *, recursive: bool, look_ms: int
    ) -> Iterable[set[tuple[Change, str]]]:
        return watch(
            *paths,
            watch_filter=None,
            debounce=GATHER_MS,
            step=STEP_MS,
            stop_event=stop,
            rust_timeout=look_ms,
            yield_on_timeout=bool(look_ms),
            raise_interrupt=False,
            recursive=recursive,
            ignore_permission_denied=True,
        )

    def _tell(self, events: Iterable[tuple[Change, str]]) -> None:
        base = str(self._root) + os.sep
        paths = {path[len(base) :].replace(os.sep, "/") for _, path in events if path.startswith(base)}
        if paths:
            self._changed(paths)

    def _top(self) -> list[Path]:
        settings = self._root / ".obsidian"
        return [self._root, settings] if settings.is_dir() else [self._root]

    def _visible(self) -> tuple[str, ...]:
        try:
            with os.scandir(self._root) as entries:
                return tuple(sorted(e.name for e in entries if e.name[0] != "." and e.is_dir()))
        except OSError:
            return ()

    def _identity(self) -> tuple[int, int] | None:
        try:
            state = os.stat(self._root)
        except OSError:
            return None
        return state.st_dev, state.st_ino

    def _inner_alive(self) -> bool:
        return not self._folders or (self._inner is not None and self._inner.is_alive())

    def _restart_inner(self) -> None:
        self._stop_inner()
        self._inner_stop, self._folders = threading.Event(), self._visible()
        if not self._folders:
            return
        self._inner = threading.Thread(
            target=self._watch_folders,
            args=(self._inner_stop, self._folders),
            name="genesys-watch-folders",
            daemon=True,
        )
        self._inner.start()

    def _stop_inner(self) -> None:
        self._inner_stop.set()
        if self._inner is not None:
            self._inner.join(1.0)
            self._inner = None

    # ------------------------------------------------------------------ polling

    def _poll(self) -> None:
        while not self._stop.wait(max(POLL_S, POLL_SHARE * self._cost())):
            self._nudge()


def needs_polling(root: Path, mounts: str | None = None) -> bool:
    """Whether ``root`` lies on a file system that gives no events for what other machines do.

    ``mounts`` is the text of ``/proc/self/mounts``; elsewhere than on Linux nothing is known.
    """
    if forced := os.environ.get("WATCHFILES_FORCE_POLLING", ""):  # watchfiles' own switch
        return forced.lower() not in ("false", "disable", "disabled")
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
    real = os.path.realpath(root)
    best, found = "", ""
    for line in mounts.splitlines():
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        place = parts[1].replace("\\040", " ")
        inside = real == place or real.startswith(place.rstrip("/") + "/")
        if inside and len(place) >= len(best):
            best, found = place, parts[2]
    return found in REMOTE_TYPES
