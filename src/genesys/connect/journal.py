"""What setup did and can undo: a record and backups in a folder of the person's own.

A change is written down before it is made, so whatever moment a process dies in, the record knows what it
may have done. Undoing what was not done, or was undone already, changes nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from genesys.errors import BusyError, ConfigRefused
from genesys.parse.json_patch import Addition
from genesys.write import content_hash, write_errors

__all__ = ["Entry", "Journal", "digest", "drop_folders", "load", "locked", "make_folders", "missing_folders"]

RECORD = "setup.json"
BACKUPS = "setup-backups"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of one file. ``before`` and ``after`` are digests of its bytes ("" for no file), ``backup``
    names the copy of what was there, ``folders`` are those made for it, outermost first."""

    file: str
    before: str
    after: str
    backup: str = ""
    folders: tuple[str, ...] = ()
    additions: tuple[Addition, ...] = ()


@dataclass(frozen=True, slots=True)
class Journal:
    """All that setup did, in its order. ``folders`` were made for the record itself; ``trees`` are folders
    that came with setup as a whole (the model's cache, the index)."""

    place: Path
    entries: tuple[Entry, ...] = ()
    folders: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    exists: bool = field(default=False, compare=False)

    @property
    def ours(self) -> list[tuple[Path, Addition]]:
        return [(Path(entry.file), item) for entry in self.entries for item in entry.additions]

    def backup(self, entry: Entry) -> bytes | None:
        """The bytes that were there before; None where the copy is lost."""
        try:
            raw = (self.place / BACKUPS / entry.backup).read_bytes()
        except OSError:
            return None
        return raw if digest(raw) == entry.before else None

    def keep(self, raw: bytes) -> str:
        """Keep a copy of a file; its name."""
        folder = self.place / BACKUPS
        with write_errors(str(folder)):
            folder.mkdir(mode=0o700, exist_ok=True)
        name = secrets.token_hex(8)
        _write(folder / name, raw)
        return name

    def save(self) -> Journal:
        """Write the record; on disk when this returns. The first one makes the folder for it."""
        missing = () if self.exists else missing_folders(self.place)
        made = replace(self, folders=(*self.folders, *missing), exists=True)
        if not missing:
            made._write(self.place / f"{RECORD}.{secrets.token_hex(4)}")
            return made
        # Beside the folders that it is about, until these are there: an end in between can be made good.
        made._write(_outside(self.place, made.folders), move=False)
        make_folders(self.place, mode=0o700)
        os.replace(_outside(self.place, made.folders), self.place / RECORD)
        return made

    def _write(self, path: Path, *, move: bool = True) -> None:
        kept = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del kept["place"], kept["exists"]
        kept["entries"] = [dataclasses.asdict(entry) for entry in self.entries]
        _write(path, json.dumps({"version": VERSION, **kept}, ensure_ascii=True, indent=1).encode())
        if move:
            os.replace(path, self.place / RECORD)

    def close(self) -> None:
        """Remove the record, the backups and the folders made for them; the record goes last of the files,
        and by way of a name outside those folders, so that an end in between can be made good."""
        folder = self.place / BACKUPS
        for name in os.listdir(folder) if folder.is_dir() else ():
            os.unlink(folder / name)
        with contextlib.suppress(OSError):
            folder.rmdir()
        for name in os.listdir(self.place):
            if name.startswith(f"{RECORD}."):
                os.unlink(self.place / name)
        last = _outside(self.place, self.folders)
        if last != self.place / RECORD:
            os.replace(self.place / RECORD, last)
        drop_folders(self.folders)
        last.unlink()


def _outside(place: Path, folders: Sequence[str]) -> Path:
    """A name beside the outermost of those folders that the record lies in; none may be made for it."""
    around = [folder for folder in map(Path, folders) if folder == place or folder in place.parents]
    return around[0].parent / f".genesys-{RECORD}" if around else place / RECORD


def load(place: Path) -> Journal:
    """The record, empty where there is none. Raises :class:`ConfigRefused` where it can't be read."""
    _finish(place)
    name = place / RECORD
    try:
        return _parsed(place, name.read_bytes())
    except OSError:
        return Journal(place)
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigRefused(
            f"{name} can't be read ({type(error).__name__})",
            hint=f"The backups are in {place / BACKUPS}; put them back by hand, and remove the folder.",
        ) from None


def _finish(place: Path) -> None:
    """Make good for a process that ended while it made or removed the record's folders: none are needed."""
    for above in place.parents:
        name = above / f".genesys-{RECORD}"
        try:
            if hasattr(os, "getuid") and name.stat().st_uid != os.getuid():
                continue
            raw = name.read_bytes()
        except OSError:
            continue
        with contextlib.suppress(ValueError, KeyError, TypeError):  # half written: nothing was made yet
            drop_folders(_parsed(place, raw).folders)
        name.unlink()


def _parsed(place: Path, raw: bytes) -> Journal:
    kept = json.loads(raw)
    entries = tuple(_entry(entry) for entry in kept["entries"])
    return Journal(place, entries, tuple(kept["folders"]), tuple(kept["trees"]), exists=True)


def _entry(kept: dict[str, Any]) -> Entry:
    items = (
        Addition(tuple(i["path"]), i["name"], i["value"], tuple(tuple(path) for path in i["made"]))
        for i in kept["additions"]
    )
    return Entry(
        kept["file"], kept["before"], kept["after"], kept["backup"], tuple(kept["folders"]), tuple(items)
    )


def digest(raw: bytes | None) -> str:
    return "" if raw is None else content_hash(raw)


def missing_folders(folder: Path) -> tuple[str, ...]:
    """The folders that must be made to have this one, outermost first."""
    chain = [str(f) for f in (folder, *folder.parents) if not f.exists()]
    return tuple(reversed(chain))


def make_folders(folder: Path, mode: int = 0o777) -> None:
    for name in missing_folders(folder):
        os.mkdir(name, mode)


def drop_folders(folders: Sequence[str]) -> None:
    """Remove those that are there and empty, innermost first."""
    for name in reversed(folders):
        with contextlib.suppress(OSError):
            os.rmdir(name)


@contextlib.contextmanager
def locked(place: Path) -> Iterator[None]:
    """One setup at a time. The lock is on the nearest folder that exists, and leaves nothing behind.

    Raises :class:`BusyError`.
    """
    if sys.platform == "win32":  # where a folder can't be locked
        yield
        return
    folder = next(f for f in (place, *place.parents) if f.is_dir())
    handle = os.open(folder, os.O_RDONLY)
    try:
        _take(handle)
        yield
    finally:
        os.close(handle)


def _take(handle: int) -> None:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BusyError("another genesys setup is running", hint="try again when it is done") from None
    except OSError:
        return  # a disk without locks


def _write(path: Path, raw: bytes) -> None:
    """A new file, whole or not at all. Raises what :func:`genesys.write.write_errors` makes of a failure."""
    with write_errors(str(path)):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(raw)
                stream.flush()
                os.fsync(handle)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
