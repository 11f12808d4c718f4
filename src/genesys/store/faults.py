"""The one place where SQLite's errors become ours."""

from __future__ import annotations

import os
import shutil

import apsw

from genesys.errors import DiskFull, IndexCorrupt, IndexError_, IndexLocked

__all__ = ["REBUILD_HINT", "translated"]

REBUILD_HINT = "the index can be rebuilt from the vault at any time: run `genesys index --full`"


def translated(error: apsw.Error, path: str) -> Exception:
    """Our error for a foreign one; mistakes of our own SQL come back as they are."""
    match error:
        case apsw.CorruptError() | apsw.NotADBError() | apsw.FormatError():
            return IndexCorrupt(f"the index {path} is damaged ({error})", hint=REBUILD_HINT)
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            return IndexLocked(
                f"the index {path} is being written by another process",
                hint="try again in a moment; `genesys daemon status` says who holds it",
            )
        case apsw.FullError():
            return _full(path)
        case apsw.IOError() if _no_room(path):  # the log can't grow: SQLite only sees that a write failed
            return _full(path)
        case apsw.ReadOnlyError() | apsw.PermissionsError() | apsw.AuthError():
            return IndexError_(
                f"the index {path} may not be written",
                hint="check the folder's permissions, or set GENESYS_INDEX to a place that can be written",
            )
        case apsw.CantOpenError():
            return IndexError_(
                f"the index {path} can't be opened",
                hint="check that the folder exists and may be read and written, or set GENESYS_INDEX",
            )
        case apsw.IOError() | apsw.NoLFSError() | apsw.TooBigError():
            return IndexError_(
                f"the disk failed on {path} ({error})", hint="check the disk, then run it again"
            )
        case _:
            return error


ROOM = 1 << 20  # bytes: less than this is no room for a transaction


def _no_room(path: str) -> bool:
    try:
        return shutil.disk_usage(os.path.dirname(path) or ".").free < ROOM
    except OSError:
        return False


def _full(path: str) -> DiskFull:
    return DiskFull(f"no room left to write the index {path}", hint="free some space, then run it again")
