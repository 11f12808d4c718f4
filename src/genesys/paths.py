"""Names and places inside a vault: what is a safe path, and which file on disk it means.

Identity is the vault-relative POSIX path in NFC. Disks may keep another form of the same name, so a
path is tried as it stands and then looked for segment by segment.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

from genesys.errors import PathEscape
from genesys.model import FileType

__all__ = [
    "OUTSIDE_HINT",
    "check_path",
    "file_type",
    "inside",
    "is_within",
    "locate",
    "nfc",
    "printable",
    "safe_name",
    "unique_path",
]

_FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f\u0085\u2028\u2029]+')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
OUTSIDE_HINT = "Files behind a symlink are read, never written."
_MAX_CHARS = 120  # leaves room for a counter, and for the folders above
_MAX_BYTES = 200  # file systems allow 255; temporary and sync-conflict names add some


def nfc(text: str) -> str:
    """NFC form; the same object where the text is ASCII."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def printable(name: str) -> str:
    """The name with bytes that are not UTF-8 shown as escapes, so that it can be stored and printed."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def file_type(path: str) -> FileType:
    """What a file is to us, by its extension in any case."""
    if path[-3:].lower() == ".md":
        return FileType.NOTE
    return FileType.CANVAS if path[-7:].lower() == ".canvas" else FileType.ATTACHMENT


def check_path(path: str) -> str:
    """The path in NFC.

    Raises :class:`PathEscape` for anything that is not a plain path below the vault: absolute, with
    ``..``, ``.`` or empty segments, with NUL, or not encodable as UTF-8.
    """
    absolute = path.startswith("/") or (os.name == "nt" and (":" in path or "\\" in path))
    if absolute or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise PathEscape(f"not a path inside the vault: {path!r}", hint="Give a path relative to the vault.")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise PathEscape(f"not a UTF-8 path: {path!r}", hint="Rename the file.") from None
    return nfc(path)


def is_within(real: str, folder: str) -> bool:
    """True where ``real`` is ``folder`` or lies below it; both are real paths."""
    return real == folder or real.startswith(folder if folder.endswith(os.sep) else folder + os.sep)


def locate(root: Path, path: str) -> str:
    """The absolute on-disk path of a vault path, which need not exist.

    Where only another Unicode form of the name exists, that one is meant. Raises :class:`PathEscape`.
    """
    path = check_path(path)
    plain = os.path.join(root, path)
    if path.isascii() or os.path.lexists(plain):
        return plain
    whole = next(_matches(str(root), path.split("/")), None)
    if whole is not None:
        return whole
    head, _, name = path.rpartition("/")
    folder = next(_matches(str(root), head.split("/")), None) if head else None
    return plain if folder is None else os.path.join(folder, name)


def _matches(folder: str, parts: list[str]) -> Iterator[str]:
    """Every existing path whose segments equal ``parts`` in NFC, the composed form first."""
    try:
        names = [name for name in os.listdir(folder) if nfc(name) == parts[0]]
    except OSError:
        return
    for name in sorted(names, key=lambda n: (n != parts[0], n)):
        full = os.path.join(folder, name)
        if len(parts) == 1:
            yield full
        else:
            yield from _matches(full, parts[1:])


def inside(root: Path, path: str) -> str:
    """The real on-disk path to write to. Raises :class:`PathEscape` where it leaves the vault."""
    real = os.path.realpath(locate(root, path))
    if not is_within(real, os.path.realpath(root)):
        raise PathEscape(f"{path} leads out of the vault", hint=OUTSIDE_HINT)
    return real


def safe_name(title: str, default: str = "Untitled") -> str:
    """A file name (without extension) for a title: readable, and legal in Obsidian and on every system.

    At most 120 characters and 200 bytes; never hidden, never empty, never a Windows device name.
    """
    name = _FORBIDDEN.sub(" ", nfc(title).encode("utf-8", "ignore").decode())
    name = " ".join(name.split()).strip(". ")[:_MAX_CHARS]
    name = name.encode()[:_MAX_BYTES].decode("utf-8", "ignore").rstrip(". ")
    if _RESERVED.fullmatch(name.partition(".")[0].strip()):
        name = f"{name} note" if "." not in name else f"note {name}"
    return name or default


def unique_path(path: str, taken: Callable[[str], bool]) -> str:
    """``path``, or the first of ``name 2.ext``, ``name 3.ext``, … that is not taken."""
    folder, _, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    counter, candidate = 1, path
    while taken(candidate):
        counter += 1
        candidate = "/".join(filter(None, (folder, f"{stem} {counter}{dot}{extension}")))
    return candidate
