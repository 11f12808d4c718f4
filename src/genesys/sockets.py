"""Where a vault's daemon listens, and the first words on its socket. Nothing heavy is imported here.

The socket lies in a folder that only this user may enter, outside the vault: a vault may be synced, and the
path of a Unix socket has about 100 bytes. Whoever connects says who they are in one line of JSON, the
daemon answers in one line, and then the line belongs to the protocol that was asked for.
"""

from __future__ import annotations

import json
import os
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genesys import __version__
from genesys.errors import BusyError, GenesysError

__all__ = [
    "MAX_LINE",
    "Link",
    "Places",
    "connect",
    "is_newer",
    "places",
    "run_folder",
    "short_name",
    "supported",
]

PATH_BYTES = 100  # Linux takes 107 bytes, macOS 103
HELLO_WAIT_S = 60.0  # a daemon that has just started listens before it has loaded what it answers with
MAX_LINE = 16 * 1024 * 1024  # bytes of one message


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one vault's daemon: its socket, the lock it lives by, the lock of who starts it."""

    vault: Path
    socket: Path
    lock: Path
    start: Path


@dataclass(slots=True)
class Link:
    """A connection to the daemon after the greeting; ``said`` is what the daemon said of itself."""

    socket: socket.socket
    reader: Any
    said: dict[str, Any]

    def close(self) -> None:
        try:
            self.reader.close()
        finally:
            self.socket.close()


def supported() -> bool:
    """Whether this system has Unix sockets and ``flock``; without them everything runs in one process."""
    try:
        import fcntl  # noqa: F401 - only asked for
    except ImportError:
        return False
    return hasattr(socket, "AF_UNIX")


def places(vault: Path) -> Places:
    """Where the daemon of ``vault`` is found, whatever name or symlink leads there.

    Raises:
        GenesysError: there is no folder that only this user may enter.
    """
    real = Path(os.path.realpath(vault))
    name = short_name(real)
    folder = run_folder()
    return Places(real, folder / f"{name}.sock", folder / f"{name}.lock", folder / f"{name}.start")


def short_name(vault: Path) -> str:
    """16 hexadecimal digits for a vault, whatever name or symlink leads there."""
    return f"{_fnv(os.fsencode(os.path.realpath(vault))):016x}"


def run_folder() -> Path:
    """A folder of this user alone (0700), made where it is not there."""
    uid = os.getuid()
    problem = "no choice"
    for folder in _choices(uid):
        if len(os.fsencode(folder)) + len("/0123456789abcdef.start") > PATH_BYTES:
            problem = f"{folder} is too long for a socket's path"
            continue
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            state = os.lstat(folder)
        except OSError as error:
            problem = f"{folder}: {error.strerror or error}"
            continue
        # Another user may have made the name in a shared folder first, to be in our place.
        if stat.S_ISDIR(state.st_mode) and state.st_uid == uid and not state.st_mode & 0o077:
            return folder
        problem = f"{folder} is not a private folder of this user"
    raise GenesysError(
        f"there is no private folder for the daemon's socket: {problem}",
        hint="set XDG_RUNTIME_DIR to a folder of yours, or run `genesys serve --in-process`",
    )


def _choices(uid: int) -> Iterator[Path]:
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(runtime) / "genesys"
    import tempfile  # several milliseconds, which most sessions need not spend

    yield Path(tempfile.gettempdir()) / f"genesys-{uid}"
    if os.path.isdir("/tmp"):
        yield Path("/tmp") / f"genesys-{uid}"


def _fnv(data: bytes) -> int:
    """FNV-1a with 64 bits: a name for a path. (hashlib would load OpenSSL, four megabytes.)"""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def connect(
    where: Places, role: str, *, wait_s: float = HELLO_WAIT_S, elsewhere: bool = False, **more: Any
) -> Link | None:
    """Connect and greet; None where no daemon listens, or where it went away before it answered.

    ``elsewhere``: only a daemon that was started under another runtime folder.

    Raises:
        BusyError: it is there and does not answer.
    """
    hello = {"genesys": role, "version": __version__, "vault": str(where.vault), **more}
    link = None if elsewhere else _greet(where.socket, hello, wait_s)
    if link is None and (other := _elsewhere(where)) is not None:
        link = _greet(other, hello, wait_s)
    return link


def _greet(path: Path, hello: dict[str, Any], wait_s: float) -> Link | None:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    reader = line.makefile("rb")
    line.settimeout(wait_s)
    said = None
    try:
        line.connect(str(path))
        line.sendall(json.dumps(hello).encode() + b"\n")
        answer = reader.readline(MAX_LINE)
        said = json.loads(answer) if answer.endswith(b"\n") else None
        line.settimeout(None)
    except TimeoutError as error:
        raise BusyError(
            "the vault's daemon does not answer", hint="genesys daemon stop, then try again"
        ) from error
    except (OSError, ValueError):
        return None
    finally:
        if not isinstance(said, dict):
            reader.close()
            line.close()
    return Link(line, reader, said) if isinstance(said, dict) else None


def _elsewhere(where: Places) -> Path | None:
    """The socket of a daemon that was started under another runtime folder (by cron, say, or a service)."""
    try:
        held = json.loads((where.vault / ".genesys" / "daemon.lock").read_bytes())
        path = Path(str(held["socket"]))
        folder = os.lstat(path.parent)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # The file lies in the vault, so anyone may have written it; the folder must be ours alone.
    private = folder.st_uid == os.getuid() and not folder.st_mode & 0o077
    return path if private and path != where.socket else None


def is_newer(mine: str, theirs: str) -> bool:
    """Whether version ``mine`` came after ``theirs``; suffixes are not looked at."""
    return _numbers(mine) > _numbers(theirs)


def _numbers(version: str) -> tuple[int, ...]:
    parts = []
    for part in version.split("+")[0].split("."):
        digits = "".join(c for c in part if c.isdigit())
        if not digits or digits != part:
            break
        parts.append(int(digits))
    return tuple(parts)
