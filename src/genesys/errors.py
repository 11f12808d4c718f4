"""One tree of errors. Each says what went wrong in one line and what to do next.

GenesysError
├── UsageError            the call's words are off                       exit 2
│   ├── NoteNotFound      no note goes by that name
│   ├── AmbiguousNote     several do; ``candidates`` lists them
│   └── UnknownEdgeType   not one of the seven
├── BusyError             another process holds the vault's lease        exit 3
├── VaultError            the vault can't be read as it is               exit 1
│   ├── VaultNotFound
│   ├── PathEscape        a path that would leave the vault
│   ├── FileGone          moved or deleted a moment ago
│   └── WriteRefused      a note that must be left alone, with the reason
├── IndexError_           index.db can't be used                         exit 1
│   ├── IndexMissing      not made yet
│   ├── IndexCorrupt
│   ├── IndexTooNew
│   ├── IndexForeign      made on another machine
│   ├── IndexLocked       busy longer than the timeout; try again
│   └── DiskFull
├── ModelError            the embedding model can't be loaded            exit 1
│   └── ModelMissing
├── ConfigRefused         another program's file that must be left alone exit 1
└── SettingsError         a setting has a value it can't have            exit 2
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AmbiguousNote",
    "BusyError",
    "ConfigRefused",
    "DiskFull",
    "FileGone",
    "GenesysError",
    "IndexCorrupt",
    "IndexError_",
    "IndexForeign",
    "IndexLocked",
    "IndexMissing",
    "IndexTooNew",
    "ModelError",
    "ModelMissing",
    "NoteNotFound",
    "PathEscape",
    "SettingsError",
    "UnknownEdgeType",
    "UsageError",
    "VaultError",
    "VaultNotFound",
    "WriteRefused",
]


class GenesysError(Exception):
    """Root of the tree. ``hint`` is the next thing to do; ``exit_code`` is the command line's."""

    exit_code = 1
    transient = False  # True where the same call may succeed a moment later

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GenesysError):
    exit_code = 2


class NoteNotFound(UsageError):
    pass


class AmbiguousNote(UsageError):
    """``candidates`` are the paths that the name could mean."""

    def __init__(self, message: str, candidates: Sequence[str], *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.candidates = tuple(candidates)


class UnknownEdgeType(UsageError):
    pass


class BusyError(GenesysError):
    exit_code = 3
    transient = True


class VaultError(GenesysError):
    pass


class VaultNotFound(VaultError):
    pass


class PathEscape(VaultError):
    pass


class FileGone(VaultError):
    transient = True


class WriteRefused(VaultError):
    pass


class IndexError_(GenesysError):  # noqa: N801 - "IndexError" is a builtin
    pass


class IndexMissing(IndexError_):
    pass


class IndexCorrupt(IndexError_):
    pass


class IndexTooNew(IndexError_):
    pass


class IndexForeign(IndexError_):
    pass


class IndexLocked(IndexError_):
    exit_code = 3
    transient = True


class DiskFull(IndexError_):
    transient = True


class ModelError(GenesysError):
    pass


class ModelMissing(ModelError):
    pass


class ConfigRefused(GenesysError):
    pass


class SettingsError(GenesysError):
    exit_code = 2
