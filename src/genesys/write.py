"""Changing a note without ever losing a person's edit: compare, and swap in one rename.

A reader sees the old bytes or the new ones, never half; a person who was faster wins.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat as modes
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from genesys.errors import DiskFull, PathEscape, VaultError, WriteRefused
from genesys.ignore import is_hidden
from genesys.model import FileStat
from genesys.paths import OUTSIDE_HINT, check_path, file_type, inside, is_within, locate, unique_path
from genesys.swap import move_new, swap

__all__ = [
    "TEMP_PREFIX",
    "content_hash",
    "create",
    "make_folders",
    "move_into",
    "sweep_temp",
    "uncreate",
    "write_errors",
    "write_if",
]

TEMP_PREFIX = ".genesys-tmp-"  # hidden, so neither Obsidian nor our own watcher takes it for a note
PART = "part"  # in the name of one that is still being written
MARK = 16  # hexadecimal digits of a content hash in such a name
RECOVERED = "Recovered note.md"
_TEMP_AGE_S = 60.0  # an older one belongs to no write in progress
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})


def content_hash(raw: bytes) -> str:
    """BLAKE2b of the bytes, 16 bytes as 32 hexadecimal digits."""
    return hashlib.blake2b(raw, digest_size=16).hexdigest()


def write_if(root: Path, path: str, expected_hash: str, new: bytes) -> FileStat | None:
    """Replace a note's bytes if they still have the expected hash; the stat of the new file.

    None where a person was faster (the bytes differ, or the note is gone): drop the change and plan anew.
    Mode, owner, extended attributes and (where the system can) the time of birth are kept.
    Raises :class:`PathEscape`, :class:`WriteRefused` (no permission, read-only) or :class:`DiskFull`.
    """
    real = inside(root, path)
    with write_errors(path):
        before = _current(real, expected_hash)
        if before is None:
            return None
        if content_hash(new) == expected_hash:
            return _stat(path, before, expected_hash)
        _refuse_locked(path, real, before)
        digest = content_hash(new)
        temp = _temp(os.path.dirname(real), new, before, f"{digest[:MARK]}-{expected_hash[:MARK]}-")
        try:
            _keep(real, temp, before)
            state = os.stat(temp)
            if _current(real, expected_hash) is None or not _exchange(temp, real, expected_hash, digest):
                return None
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temp)
        _sync_folder(os.path.dirname(real))
    return _stat(path, state, digest)


def _refuse_locked(path: str, real: str, state: os.stat_result) -> None:
    """A rename needs no permission of the file, so what speaks against writing must be asked."""
    if not os.access(real, os.W_OK):
        raise WriteRefused(f"{path} is read-only", hint="Make it writable, or leave it alone.")
    if state.st_nlink > 1:
        raise WriteRefused(f"{path} is a hard link", hint="Writing would part it from its other names.")


def _exchange(temp: str, real: str, expected_hash: str, digest: str) -> bool:
    """Put the new file in the note's place; False, and nothing changed, where a person saved meanwhile.

    Afterwards ``temp`` may hold what was displaced, which nobody needs any more.
    """
    try:
        if not swap(temp, real):
            os.replace(temp, real)
            return True
        if _current(temp, expected_hash) is not None:
            return True
        # Between our last look and the swap a person saved. Theirs goes back; and if they save while it
        # does, the newest goes back. ``stale`` is what nobody has to see again.
        stale = {digest}
        while True:
            with open(temp, "rb") as stream:
                back = content_hash(stream.read())
            if back in stale:
                return False
            stale.add(back)
            swap(temp, real)
    except FileNotFoundError:
        return False  # the note was deleted or moved meanwhile


def create(root: Path, path: str, raw: bytes, mtime_ns: int = 0, *, hidden_ok: bool = False) -> FileStat:
    """Write a new file, with its folders; never over an existing one. ``mtime_ns`` is its time, if not now.

    Raises :class:`WriteRefused` where the path is taken or hidden (no note is, ``hidden_ok`` is for other
    files), :class:`PathEscape`, :class:`DiskFull`.
    """
    path = check_path(path)
    if is_hidden(path) and not hidden_ok:
        raise WriteRefused(f"{path} would be hidden from Obsidian", hint="No name may start with a dot.")
    real = locate(root, path)
    make_folders(root, os.path.dirname(real), path)
    with write_errors(path):
        temp = _temp(os.path.dirname(real), raw, None, f"{content_hash(raw)[:MARK]}-")
        try:
            if mtime_ns:
                os.utime(temp, ns=(mtime_ns, mtime_ns))
            move_into(temp, real)
            temp = ""
        except FileExistsError:
            raise WriteRefused(f"{path} exists already", hint="Choose another name.") from None
        finally:
            if temp:
                os.unlink(temp)
        _sync_folder(os.path.dirname(real))
        return _stat(path, os.stat(real), content_hash(raw))


def uncreate(root: Path, made: FileStat) -> None:
    """Take back a file that :func:`create` made a moment ago, unless somebody has written to it since."""
    real = inside(root, made.path)
    with suppress(OSError):
        if _current(real, made.content_hash) is not None:
            os.unlink(real)


def make_folders(root: Path, folder: str, path: str) -> None:
    """Make an absolute folder below the vault. Raises :class:`PathEscape` where a symlink leads it out."""
    if not is_within(os.path.realpath(folder), os.path.realpath(root)):
        raise PathEscape(f"{path} leads out of the vault", hint=OUTSIDE_HINT)
    with write_errors(path):
        os.makedirs(folder, exist_ok=True)


def move_into(source: str, target: str) -> None:
    """Rename within one disk, never over an existing file. Raises :class:`FileExistsError`."""
    if move_new(source, target):
        return
    try:
        os.link(source, target, follow_symlinks=False)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno not in _NO_LINKS:
            raise
        # No hard links here (FAT, some network disks): reserve the name, then rename over the reservation.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        os.replace(source, target)
    else:
        try:
            os.unlink(source)
        except OSError:
            os.unlink(target)  # or the file would have two names
            raise


def sweep_temp(root: Path, *, now: float | None = None, deep: bool = True) -> int:
    """Remove temporary files that a killed process left, older than a minute; how many there were. With
    ``deep`` False only this folder is looked through.

    Killed in the one moment in which a note and its new text have traded names, a process may leave there
    what a person had just saved. What is not ours comes back as a note beside.
    """
    limit = (time.time() if now is None else now) - _TEMP_AGE_S
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if deep and not name.startswith(".")]
        for name in names:
            if name.startswith(TEMP_PREFIX):
                with suppress(OSError):
                    count += _sweep(os.path.join(folder, name), limit)
    return count


def _sweep(temp: str, limit: float) -> bool:
    """Remove one file if it is old and ours; give it back if it is old and a person's."""
    if os.lstat(temp).st_mtime >= limit:
        return False
    marks = os.path.basename(temp).removeprefix(TEMP_PREFIX).split("-")[:-1]
    with open(temp, "rb") as stream:
        digest = content_hash(stream.read())[:MARK]
    if not marks or PART in marks or digest in marks:
        os.unlink(temp)
    else:
        folder = os.path.dirname(temp)
        name = unique_path(RECOVERED, lambda n: os.path.lexists(os.path.join(folder, n)))
        move_into(temp, os.path.join(folder, name))
    return True


@contextmanager
def write_errors(path: str) -> Iterator[None]:
    """Map the system's errors of a write to ours."""
    try:
        yield
    except OSError as error:
        message = f"{path} can't be written: {error.strerror or error}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"no space to write {path}", hint="Free some; nothing was changed.") from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise WriteRefused(message, hint="Check its permissions.") from None
        raise VaultError(message) from error


def _current(real: str, expected_hash: str) -> os.stat_result | None:
    """The stat of the file if its bytes have this hash."""
    try:
        with open(real, "rb") as stream:
            state = os.fstat(stream.fileno())
            same = modes.S_ISREG(state.st_mode) and content_hash(stream.read()) == expected_hash
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    return state if same else None


def _temp(folder: str, raw: bytes, like: os.stat_result | None, marks: str) -> str:
    """A temporary file with these bytes, on disk before we return.

    Its name has ``marks``, the digests that it may hold, from the moment it is whole.
    """
    token = secrets.token_hex(8)
    temp = os.path.join(folder, f"{TEMP_PREFIX}{PART}-{token}")
    # A note may be private: nobody else may read the copy while it has no mode of its own yet.
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    handle = os.open(temp, flags, 0o666 if like is None else 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(raw)
            stream.flush()
            os.fsync(handle)
        whole = os.path.join(folder, f"{TEMP_PREFIX}{marks}{token}")
        os.rename(temp, whole)
    except BaseException:
        os.unlink(temp)
        raise
    return whole


def _keep(real: str, temp: str, before: os.stat_result) -> None:
    """Give the new file the old one's attributes, as far as this user and system can."""
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temp, before.st_uid, before.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(real):
                with suppress(OSError):
                    os.setxattr(temp, name, os.getxattr(real, name))
    os.chmod(temp, modes.S_IMODE(before.st_mode))
    birth = getattr(before, "st_birthtime", None)
    if birth is not None and os.name == "posix":
        # Setting an earlier time of change moves a file's birth back too (macOS); then the present again.
        with suppress(OSError):
            os.utime(temp, (birth, birth))
            os.utime(temp)


def _sync_folder(folder: str) -> None:
    """Make a rename durable; systems that can't open folders are as durable as they are."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _stat(path: str, state: os.stat_result, digest: str) -> FileStat:
    path = check_path(path)
    return FileStat(path, file_type(path), state.st_size, state.st_mtime_ns, state.st_ino, digest)
