"""Files outside the vault that memories come from and go to: bounded reads, whole writes.

A file appears under its name when all of it is on disk, and never over another unless that is wanted.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from genesys.errors import UsageError, WriteRefused
from genesys.paths import check_path, nfc
from genesys.write import TEMP_PREFIX, move_into, write_errors

__all__ = ["MAX_BYTES", "Bundle", "open_bundle", "write_file", "write_folder", "write_zip"]

MAX_BYTES = 1 << 29  # of a source, unpacked: it is held in memory while it is checked
MAX_NOTE_BYTES = 1 << 25  # of one note in it: a small archive may hold a huge one


@dataclass(frozen=True, slots=True)
class Bundle:
    """A file (``raw``), or a folder or zip archive (``files``: relative path → bytes). ``mtime_ns`` is its
    own; ``left_out`` counts files of a folder that are no notes.
    """

    name: str
    mtime_ns: int
    raw: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)
    is_folder: bool = False
    left_out: int = 0

    def text(self) -> str:
        """Raises :class:`UsageError` where the file is no UTF-8."""
        try:
            return self.raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{self.name}: not UTF-8 (byte {error.start + 1})",
                hint="nothing was changed; save it as UTF-8",
            ) from None

    def lines(self) -> Iterator[str]:
        """The lines of the file, one at a time: a broken one ends the reading."""
        for number, line in enumerate(io.BytesIO(self.raw), 1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise UsageError(
                    f"line {number}: not UTF-8", hint="nothing was changed; save the file as UTF-8"
                ) from None


def open_bundle(path: Path, limit: int, *, keep: Iterable[str] = ()) -> Bundle:
    """Read a file, or the notes (and the files named in ``keep``) of a folder or zip archive.

    Raises:
        UsageError: there is none, it can't be read, it has more than ``limit`` notes or is too large.
    """
    try:
        stat = path.stat()
        name, mtime = nfc(path.name) or "the file", stat.st_mtime_ns
        if path.is_dir():
            return _folder(path, name, mtime, limit, frozenset(keep))
        if stat.st_size > MAX_BYTES:
            raise _too_large(name)
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"can't read {path}: {error.strerror or error}", hint="name a file or folder"
        ) from None
    if len(raw) > MAX_BYTES:
        raise _too_large(name)
    return _zip(raw, name, mtime, limit, frozenset(keep)) if raw[:2] == b"PK" else Bundle(name, mtime, raw)


def _too_large(name: str) -> UsageError:
    return UsageError(f"{name} is larger than {MAX_BYTES >> 20} MB", hint="nothing was changed; split it")


def _too_large_note(path: str) -> UsageError:
    return UsageError(
        f"{path} is larger than {MAX_NOTE_BYTES >> 20} MB, which is more than a note",
        hint="nothing was changed; take it out",
    )


def _too_many(name: str, limit: int) -> UsageError:
    return UsageError(f"{name} holds more than {limit:,} notes", hint="nothing was changed; split it")


def _wanted(path: str, keep: frozenset[str]) -> bool:
    return path[-3:].lower() == ".md" or path in keep


def _folder(root: Path, name: str, mtime: int, limit: int, keep: frozenset[str]) -> Bundle:
    found = Bundle(name, mtime, is_folder=True)
    size = left_out = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(n for n in folders if not n.startswith("."))
        for file in sorted(n for n in names if not n.startswith(".")):
            full = Path(folder, file)
            path = nfc(full.relative_to(root).as_posix())
            if not _wanted(path, keep) or not full.is_file() or not _inside(root, full):
                left_out += 1
                continue
            size += full.stat().st_size
            if full.stat().st_size > MAX_NOTE_BYTES and path not in keep:
                raise _too_large_note(path)
            if size > MAX_BYTES:
                raise _too_large(name)
            if len(found.files) > limit:
                raise _too_many(name, limit)
            found.files[path] = full.read_bytes()
            found.times[path] = full.stat().st_mtime_ns
    return Bundle(name, mtime, b"", found.files, found.times, True, left_out)


def _inside(root: Path, file: Path) -> bool:
    """Whether a file of the folder lies in it: what a link fetches from elsewhere is nobody's note."""
    return not file.is_symlink() or Path(os.path.realpath(file)).is_relative_to(os.path.realpath(root))


def _zip(raw: bytes, name: str, mtime: int, limit: int, keep: frozenset[str]) -> Bundle:
    files: dict[str, bytes] = {}
    size = left_out = 0
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for info in archive.infolist():
                path = nfc(info.filename)
                if info.is_dir() or not _wanted(path, keep):
                    left_out += not info.is_dir()
                    continue
                most = MAX_BYTES if path in keep else MAX_NOTE_BYTES
                with archive.open(info) as stream:
                    data = stream.read(min(most, MAX_BYTES - size) + 1)
                if len(data) > most:
                    raise _too_large(name) if path in keep else _too_large_note(path)
                size += len(data)
                if size > MAX_BYTES:
                    raise _too_large(name)
                if len(files) > limit:
                    raise _too_many(name, limit)
                files[check_path(path)] = data
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise UsageError(f"{name}: not a whole zip archive ({error})", hint="nothing was changed") from None
    return Bundle(name, mtime, b"", files, dict.fromkeys(files, mtime), True, left_out)


# ------------------------------------------------------------------ writing


def write_file(path: Path, parts: Iterable[str], *, force: bool = False) -> int:
    """Write a text file as it comes, in UTF-8; its size in bytes.

    Raises:
        WriteRefused: it exists and ``force`` is not set, or it can't be written. DiskFull.
    """
    _check_free(path, force)
    with write_errors(str(path)):
        temp = path.parent / f"{TEMP_PREFIX}{secrets.token_hex(8)}"
        try:
            with temp.open("w", encoding="utf-8", newline="") as stream:
                for part in parts:
                    stream.write(part)
                stream.flush()
                os.fsync(stream.fileno())
            size = temp.stat().st_size
            _settle(temp, path, force)
        finally:
            temp.unlink(missing_ok=True)
    return size


def write_zip(path: Path, files: Iterable[tuple[str, bytes]], *, force: bool = False) -> int:
    """A zip archive of these files; its size in bytes. Raises as :func:`write_file`."""
    _check_free(path, force)
    with write_errors(str(path)):
        temp = path.parent / f"{TEMP_PREFIX}{secrets.token_hex(8)}"
        try:
            with zipfile.ZipFile(temp, "x", zipfile.ZIP_DEFLATED) as archive:
                for name, raw in files:
                    archive.writestr(zipfile.ZipInfo(name), raw, zipfile.ZIP_DEFLATED)
            size = temp.stat().st_size
            _settle(temp, path, force)
        finally:
            temp.unlink(missing_ok=True)
    return size


def write_folder(path: Path, files: Iterable[tuple[str, bytes]], marker: str, *, force: bool = False) -> int:
    """A folder of these files; their size in bytes.

    With ``force`` an older folder is replaced, if it has the file ``marker``: no other folder is ours, and
    where ``marker`` is "" none is.
    Raises as :func:`write_file`.
    """
    if os.path.lexists(path) and not (path.is_dir() and not any(path.iterdir())):
        _check_free(path, force)
        if not (marker and (path / marker).is_file()):
            raise WriteRefused(f"{path} is no export of Genesys", hint="name another folder")
    size = 0
    with write_errors(str(path)):
        temp = path.parent / f"{TEMP_PREFIX}{secrets.token_hex(8)}"
        old = temp.with_name(temp.name + "-old")
        temp.mkdir()
        try:
            for name, raw in files:
                file = temp / check_path(name)
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("xb") as stream:
                    stream.write(raw)
                size += len(raw)
            if path.exists():
                path.rename(old)
            temp.rename(path)
        finally:
            if not path.exists() and old.exists():
                old.rename(path)
            shutil.rmtree(temp, ignore_errors=True)
            shutil.rmtree(old, ignore_errors=True)
    return size


def _check_free(path: Path, force: bool) -> None:
    if os.path.lexists(path) and not force:
        raise WriteRefused(f"{path} exists already", hint="name another, or add --force")
    if force and path.is_dir() != (not path.is_file()) and os.path.lexists(path):
        raise WriteRefused(f"{path} is no ordinary file", hint="name another")
    if not path.parent.is_dir():
        raise WriteRefused(f"there is no folder {path.parent}", hint="make it first")


def _settle(temp: Path, path: Path, force: bool) -> None:
    if force:
        os.replace(temp, path)
        return
    try:
        move_into(str(temp), str(path))
    except FileExistsError:
        raise WriteRefused(f"{path} exists already", hint="name another, or add --force") from None
    with suppress(OSError):
        temp.unlink()
