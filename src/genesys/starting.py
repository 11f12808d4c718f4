"""Start the vault's daemon where none runs, and connect to it. Light: the bridge imports this."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from genesys import __version__
from genesys.errors import BusyError, GenesysError
from genesys.sockets import Link, Places, connect, is_newer, places, supported

if TYPE_CHECKING:
    from genesys.accounts import Check

__all__ = ["ensure", "find", "holder", "look", "named_vault", "spawn", "stop"]

STOP_S = 20.0  # time to write back; who takes longer hangs
HANGS_S = 4.0  # who does not even greet in so long hangs
START_S = 60.0  # a loaded machine takes seconds to start Python
PAUSE_S = 0.02


def named_vault(vault: str | None) -> Path:
    """The vault that is meant. Named outright, as Claude's configuration does, it needs no search."""
    if name := vault or os.environ.get("GENESYS_VAULT", "").strip():
        root = os.path.abspath(os.path.expanduser(name))
        if os.path.isdir(root):
            return Path(root)
    from genesys.settings import find_vault

    return find_vault(Path(vault) if vault else None, Path.cwd(), os.environ)


def ensure(where: Places, role: str, *, deadline_s: float = START_S) -> Link:
    """A connection to the vault's daemon; starts it where there is none, replaces it where it is older.

    Raises:
        BusyError: it can't be had in time.
        GenesysError: it can't be started; it said why on stderr.
    """
    end = time.monotonic() + deadline_s
    takeover = True  # once: what our own Python starts must do
    while time.monotonic() < end:
        link = connect(where, role, takeover=takeover)
        if link is None:
            with _starter(where, end):
                link = connect(where, role, takeover=takeover) or _started(where, role, end)
        if link is None:
            continue
        if not link.said.get("leaving"):
            return link
        link.close()
        takeover = takeover and not is_newer(__version__, str(link.said.get("version", "")))
        time.sleep(PAUSE_S)
    raise BusyError(
        "the vault's daemon can't be reached",
        hint="`genesys daemon logs` says why; `genesys serve --in-process` works without one",
    )


@contextlib.contextmanager
def _starter(where: Places, end: float) -> Iterator[None]:
    """One at a time: of ten sessions that open together, one starts the daemon and nine wait for it."""
    import fcntl

    fd = os.open(where.start, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > end:
                    raise BusyError("another process is starting the vault's daemon") from None
                time.sleep(PAUSE_S)
        yield
    finally:
        os.close(fd)


def _started(where: Places, role: str, end: float) -> Link | None:
    spawn(where.vault)
    while time.monotonic() < end:
        link = connect(where, role, takeover=False)
        if link is not None:
            return link
        time.sleep(PAUSE_S)
    return None


def spawn(vault: Path) -> None:
    """Start a daemon that outlives us. Returns when it has left this process's family.

    Raises:
        GenesysError: its settings or its vault can't be used.
    """
    import subprocess

    command = [sys.executable, "-P", "-m", "genesys.daemon", "--vault", str(vault)]
    # Its own session: a Ctrl-C in our terminal is not meant for it.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=2, start_new_session=True, check=False)
    if done.returncode:
        raise GenesysError(
            "the vault's daemon can't be started", hint="genesys daemon start --foreground shows why"
        )


def find(vault: Path, index: Path, *, start: bool) -> Link | None:
    """For a command or a program: a connection to the daemon of a vault, if one runs (or may be started) on
    this index.

    Raises:
        BusyError: one runs and does not answer.
    """
    if not supported():
        return None
    try:
        where = places(vault)
    except GenesysError:
        return None  # without a place for a daemon there is none
    link = ensure(where, "cli") if start else _living(where)
    if link is not None and link.said.get("index") != str(index):
        link.close()
        return None
    return link


def _living(where: Places) -> Link | None:
    """The daemon that runs; one that is about to go is waited for, since there is one writer."""
    end = time.monotonic() + STOP_S
    while True:
        link = connect(where, "cli")
        if link is None or not link.said.get("leaving"):
            return link
        link.close()
        if time.monotonic() > end:
            raise BusyError("the vault's daemon is about to end", hint="try again in a moment")
        time.sleep(PAUSE_S)


def look(vault: Path, index: Path, *, wait_s: float = HANGS_S) -> Check:
    """The vault's daemon as a line of ``doctor``; none is started and none is ended."""
    from shlex import quote

    from genesys.accounts import Check

    try:
        where = places(vault)
        link = connect(where, "control", wait_s=wait_s, takeover=False)
    except BusyError as error:
        return Check("daemon", False, error.message, f"genesys daemon stop --vault {quote(str(vault))}")
    except GenesysError as error:
        return Check("daemon", True, error.message, error.hint, warning=True)
    if link is None:
        return Check("daemon", True, "none runs; a session starts it")
    said = link.said
    link.close()
    if said.get("index") != str(index):
        detail = f"process {said.get('pid')} has another index: {said.get('index')}"
        return Check("daemon", True, detail, f"genesys daemon stop --vault {quote(str(vault))}", warning=True)
    return Check("daemon", True, f"process {said.get('pid')}, version {said.get('version')}")


def holder(where: Places) -> int | None:
    """The process that is the vault's daemon; None where there is none, whatever files say."""
    import fcntl

    try:
        fd = os.open(where.lock, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except OSError:
        try:
            return int(json.loads(os.pread(fd, 4096, 0))["pid"])
        except (ValueError, KeyError, TypeError):
            return None
    finally:
        os.close(fd)


def stop(where: Places, *, write_back: bool = True) -> bool:
    """End the vault's daemon and wait until it is gone; False where none ran. Without ``write_back`` it
    leaves the notes as they are, whatever it has to say of them.

    Raises:
        BusyError: it does not end.
    """
    import signal

    pid, hangs = holder(where), False
    try:
        link = connect(where, "control", wait_s=HANGS_S)
        if link is None and pid is None:
            return False
        if link is not None:
            pid = int(link.said["pid"])
            with contextlib.closing(link), contextlib.suppress(OSError):  # it may be leaving already
                link.socket.sendall(json.dumps({"ask": "stop", "write_back": write_back}).encode() + b"\n")
    except BusyError:
        hangs = True
    for signal_number, wait_s in ((0, STOP_S), (signal.SIGTERM, HANGS_S), (signal.SIGKILL, HANGS_S)):
        if hangs and not signal_number:
            continue
        if pid is None or _gone(pid, signal_number, wait_s):
            return True
    raise BusyError(f"the daemon (process {pid}) does not end", hint=f"kill -9 {pid}")


def _gone(pid: int, signal_number: int, wait_s: float) -> bool:
    end = time.monotonic() + wait_s
    try:
        os.kill(pid, signal_number)
        while time.monotonic() < end and not _dead(pid):
            os.kill(pid, 0)
            time.sleep(PAUSE_S)
    except ProcessLookupError:
        return True
    return _dead(pid)


def _dead(pid: int) -> bool:
    """Whether the process has ended, and only its parent has not noticed yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return False
