"""All note I/O: find the files of a vault, read them, and (through ``write`` and ``trash``) change them.

Nothing here decides what a change should be. Reading follows a symlink that leads out of the vault, as
Obsidian does; writing never does.
"""

from __future__ import annotations

import errno
import os
import stat as modes
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from genesys.errors import FileGone, VaultError, VaultNotFound
from genesys.ignore import Rules, is_temporary
from genesys.model import FileStat, Skipped
from genesys.paths import check_path, file_type, is_within, locate, nfc, printable, safe_name, unique_path
from genesys.trash import restore, trash
from genesys.write import content_hash, create, sweep_temp, write_if

__all__ = [
    "Walk",
    "check_path",
    "content_hash",
    "create",
    "file_stat",
    "file_type",
    "is_empty_folder",
    "read",
    "read_and_hash",
    "restore",
    "safe_name",
    "sweep_temp",
    "trash",
    "unique_path",
    "walk",
    "write_if",
]


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found: ``files`` in the order of their paths.

    ``unreadable`` are folders (and files) that exist but could not be looked into; what the index
    knows below them must be kept, not taken as deleted.
    """

    files: tuple[FileStat, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unreadable: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """True where nothing at all was found, as in a folder whose disk is not mounted."""
        return not self.files and not self.skipped

    def hides(self, path: str) -> bool:
        """True where ``path`` lies at or below something unreadable: absent here, but not deleted."""
        return any(path == folder or path.startswith(folder + "/") for folder in self.unreadable)


@dataclass(slots=True)
class _Found:
    """A walk in progress."""

    root: str
    rules: Rules
    files: list[FileStat] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)  # folders outside the vault
    odd: dict[str, str] = field(default_factory=dict)  # paths whose name on disk may not be NFC

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append(Skipped(path, reason))

    def lost(self, path: str, error: OSError) -> None:
        """Remember what exists but can't be looked at; what has just vanished is simply not there."""
        if not isinstance(error, FileNotFoundError):
            self.unreadable.append(path)
            self.skip(path, f"can't be read: {error.strerror or error}")


def walk(root: Path, rules: Rules | None = None) -> Walk:
    """Every file that Obsidian would show, with its stat; content is not read.

    Raises :class:`VaultNotFound` where the root is no folder, :class:`VaultError` where it can't be read.
    """
    found = _Found(os.path.realpath(root), rules or Rules())
    if not os.path.isdir(found.root):
        raise VaultNotFound(f"no folder at {root}", hint="Is the disk mounted? --vault names another place.")
    _folders(found, "", found.root, outside=False)
    while found.links:
        found.links.sort(reverse=True)
        _symlink(found, *found.links.pop())
    if "" in found.unreadable:
        raise VaultError(f"the vault can't be read: {found.skipped[0].reason}", hint="Check its permissions.")
    found.files.sort(key=attrgetter("path"))
    return Walk(tuple(found.files), tuple(found.skipped), tuple(found.unreadable))


def _folders(found: _Found, top: str, real: str, *, outside: bool) -> None:
    stack = [(top, real)]
    while stack:
        path, real = stack.pop()
        try:
            if outside and not _first_visit(found, path, real):
                continue
            with os.scandir(real) as entries:
                for entry in entries:
                    if entry.name[0] != ".":
                        _entry(found, f"{path}/{entry.name}" if path else entry.name, entry, stack)
        except OSError as error:
            found.lost(path, error)


def _first_visit(found: _Found, path: str, real: str) -> bool:
    state = os.stat(real)
    key = (state.st_dev, state.st_ino)
    if key in found.seen:
        found.skip(path, "the same folder as another one")
        return False
    found.seen.add(key)
    return True


def _entry(found: _Found, path: str, entry: os.DirEntry[str], stack: list[tuple[str, str]]) -> None:
    if not path.isascii():
        try:
            path.encode()
        except UnicodeEncodeError:
            found.skip(printable(path), "its name is not UTF-8; rename it")
            return
        path = nfc(path)
    if entry.is_dir(follow_symlinks=False):
        reason = found.rules.folder(path)
        if reason:
            found.skip(path, reason)
        else:
            stack.append((path, entry.path))
        return
    if is_temporary(entry.name):
        return
    try:
        state = entry.stat(follow_symlinks=False)
    except OSError as error:
        found.lost(path, error)
        return
    if modes.S_ISREG(state.st_mode):
        _file(found, path, entry.path, state)
    elif modes.S_ISLNK(state.st_mode):
        found.links.append((path, entry.path))
    else:
        found.skip(path, "not an ordinary file")


def _file(found: _Found, path: str, real: str, state: os.stat_result) -> None:
    if not found.rules.plain:
        reason = found.rules.file(path)
        if reason:
            found.skip(path, reason)
            return
    if not path.isascii() and not _first_of_name(found, path, real):
        return
    found.files.append(FileStat(path, file_type(path), state.st_size, state.st_mtime_ns, state.st_ino))


def _first_of_name(found: _Found, path: str, real: str) -> bool:
    """Of names that differ in their Unicode form only, keep the one that :func:`read` will open."""
    other = found.odd.setdefault(path, real)
    if other == real:
        return True
    found.skip(path, "two files here have the same name in different Unicode forms; rename one")
    if locate(Path(found.root), path) != real:
        return False
    found.files[:] = [kept for kept in found.files if kept.path != path]
    found.odd[path] = real
    return True


def _symlink(found: _Found, path: str, real: str) -> None:
    """A link to the vault, a parent or a part of it is ignored (R82). One that leads out of the vault is
    followed, once, only where the person said so: a vault from elsewhere must not name other files (P9)."""
    try:
        target = os.path.realpath(real, strict=True)
        state = os.stat(target)
    except FileNotFoundError:
        found.skip(path, "a symlink to nothing")
        return
    except OSError as error:
        found.skip(path, f"a symlink that leads nowhere: {error.strerror or error}")
        return
    if is_within(target, found.root) or is_within(found.root, target):
        found.skip(path, "a symlink to the vault, its parent or a part of it")
    elif not found.rules.follow:
        found.skip(path, "a symlink out of the vault (GENESYS_FOLLOW_LINKS=true follows it)")
    elif modes.S_ISREG(state.st_mode):
        _file(found, path, real, state)
    elif not modes.S_ISDIR(state.st_mode):
        found.skip(path, "not an ordinary file")
    elif reason := found.rules.folder(path):
        found.skip(path, reason)
    else:
        _folders(found, path, target, outside=True)


def file_stat(root: Path, path: str, *, follow: bool = False) -> FileStat | None:
    """The stat of one file as :func:`walk` would give it; None where it is no ordinary file (any more).

    The ignore rules are the caller's to ask. Raises :class:`PathEscape`.
    """
    real = locate(root, path)
    try:
        state = os.stat(real)
        inner = is_within(os.path.realpath(real), os.path.realpath(root))
        if (inner and os.path.islink(real)) or not (inner or follow):
            return None
    except OSError:
        return None
    if not modes.S_ISREG(state.st_mode):
        return None
    return FileStat(nfc(path), file_type(path), state.st_size, state.st_mtime_ns, state.st_ino)


def is_empty_folder(root: Path, folder: str) -> bool:
    """True where the folder ("" for the vault) is there but holds nothing that Obsidian would show."""
    try:
        with os.scandir(locate(root, folder) if folder else root) as entries:
            return all(entry.name.startswith(".") for entry in entries)
    except OSError:
        return False


def read(root: Path, path: str, limit: int | None = None) -> bytes:
    """The bytes of a file, at most ``limit`` of them.

    Raises :class:`FileGone` where it is not there, :class:`VaultError` where it can't be read or has more
    than ``limit`` bytes, :class:`PathEscape` for a path outside the vault.
    """
    return _read(root, path, limit)[0]


def read_and_hash(root: Path, path: str, limit: int | None = None) -> tuple[bytes, FileStat]:
    """:func:`read`, with the stat of the very file that was read and its content hash."""
    raw, state = _read(root, path, limit)
    path = nfc(path)
    stat = FileStat(path, file_type(path), state.st_size, state.st_mtime_ns, state.st_ino, content_hash(raw))
    return raw, stat


def _read(root: Path, path: str, limit: int | None) -> tuple[bytes, os.stat_result]:
    real = locate(root, path)
    try:
        # O_NONBLOCK: a pipe that took the file's place must not hang us.
        handle = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        raise FileGone(f"{path} is not there", hint="It was moved or deleted a moment ago.") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    with os.fdopen(handle, "rb") as stream:
        try:
            state = os.fstat(handle)
            if not modes.S_ISREG(state.st_mode):
                raise VaultError(f"{path} is no ordinary file")
            if limit is not None and state.st_size > limit:
                hint = "GENESYS_MAX_NOTE_BYTES allows more."
                raise VaultError(f"{path} is larger than {limit} bytes", hint=hint)
            return stream.read(), state
        except OSError as error:
            raise _unreadable(path, error) from None


def _unreadable(path: str, error: OSError) -> VaultError:
    hint = "Check its permissions." if error.errno in (errno.EACCES, errno.EPERM) else "Try again later."
    return VaultError(f"{path} can't be read: {error.strerror or error}", hint=hint)
