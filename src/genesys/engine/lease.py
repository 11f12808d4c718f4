"""One writer per vault (P6): an advisory lock on a file beside the index.

The kernel drops the lock with the process, so a lock file left behind never blocks a start.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from genesys.errors import BusyError

try:
    import fcntl
except ImportError:  # Windows has no flock; SQLite's own locking still keeps the index whole
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCK_NAME", "hold", "is_held"]

LOCK_NAME = "daemon.lock"


@contextlib.contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the vault's lease while the block runs.

    Raises:
        BusyError: another process has it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if fcntl is not None:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as e:
                raise BusyError(
                    "another Genesys process is writing this vault's index",
                    hint="wait until it is done, or see `genesys status`",
                ) from e
        yield
    finally:
        os.close(fd)


def is_held(folder: Path) -> bool:
    """Whether a living process holds the lease."""
    if fcntl is None or not (folder / LOCK_NAME).exists():
        return False
    try:
        with hold(folder):
            return False
    except BusyError:
        return True
