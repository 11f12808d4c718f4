"""One daemon per vault, whatever starts at once and whatever a dead one left behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.helpers import DEADLINE_S, until
from daemon.processes import Running, alive
from genesys import sockets
from genesys.engine import lease
from genesys.errors import BusyError, GenesysError
from genesys.sockets import connect, is_newer, places, run_folder
from genesys.starting import holder, look

slow = pytest.mark.slow
STARTS = int(os.environ.get("DAEMON_STARTS", "16"))  # the full race has 100
QUERY = "why did we give up on cellular modems"


def serving(vault: Path) -> list[int]:
    """Processes that were started to be this vault's daemon, and live."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"genesys.daemon" in words and os.fsencode(vault) in words and alive(int(folder.name)):
            found.append(int(folder.name))
    return found


@slow
def test_of_many_simultaneous_starts_one_serves(running: Running) -> None:
    """All begin at once; when the dust has settled one process is left, and it answers."""
    command = [sys.executable, "-m", "genesys.daemon", "--vault", str(running.vault)]
    started = [subprocess.Popen(command, env=running.env, stdin=subprocess.DEVNULL) for _ in range(STARTS)]
    running.children += started  # type: ignore[arg-type]
    assert {0} == {process.wait(DEADLINE_S * 2) for process in started}
    until(lambda: serving(running.vault) == [running.daemon()], "one is left", DEADLINE_S * 2)
    assert running.status()["running"]
    log = (running.vault / ".genesys" / "daemon.log").read_text(encoding="utf-8")
    assert 1 == log.count(", process ")


@slow
def test_sessions_that_open_together_share_a_daemon(running: Running) -> None:
    """Eight bridges at once on a vault without a daemon: each is served, by one."""
    from daemon.processes import INITIALIZE, Session

    sessions = [Session(running.vault, running.env) for _ in range(8)]
    running.sessions += sessions
    numbers = [session.send("initialize", INITIALIZE) for session in sessions]
    for session, number in zip(sessions, numbers, strict=True):
        assert "result" in session.hear(number)
    until(lambda: serving(running.vault) == [running.daemon()], "one daemon")


@slow
def test_what_a_dead_machine_left_blocks_no_start(running: Running) -> None:
    """A socket nobody listens on, locks nobody holds, the process number of somebody else."""
    where = running.places
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(where.socket))
    left = json.dumps({"pid": 1, "socket": str(where.socket.with_name("gone.sock"))})
    where.lock.write_text(left, encoding="utf-8")
    where.start.write_text(left, encoding="utf-8")
    (running.vault / ".genesys" / lease.LOCK_NAME).write_text(left, encoding="utf-8")
    assert running.session().recall(QUERY)
    assert holder(where) == running.status()["pid"] != 1


@slow
def test_a_second_daemon_in_the_foreground_says_so(running: Running) -> None:
    """It leaves the vault to the first."""
    running.session()
    pid = running.daemon()
    done = running.cli("daemon", "start", "--foreground")
    assert 0 == done.code
    assert "already" in done.stderr
    assert pid == running.daemon()


@slow
def test_a_daemon_under_another_runtime_folder_is_found(
    running: Running, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A service and a terminal may have different folders for sockets; the vault still has one writer."""
    running.session()
    pid = running.daemon()
    with_other = Running(running.vault, XDG_RUNTIME_DIR="", TMPDIR="/tmp")
    with_other.env["XDG_RUNTIME_DIR"] = ""
    assert pid == with_other.status()["pid"]
    session = with_other.session()
    assert session.recall(QUERY)
    session.kill()
    assert [pid] == serving(running.vault)


@slow
def test_a_daemon_that_hangs_can_be_ended(running: Running) -> None:
    """Stopped dead, it answers nothing; `daemon stop` ends it all the same."""
    running.session().kill()
    pid = running.daemon()
    os.kill(pid, signal.SIGSTOP)
    assert "stopped" in running.cli("daemon", "stop").stdout
    until(lambda: not alive(pid), "the daemon is gone")


@slow
def test_a_newer_version_takes_over(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """The daemon makes way for a client of a newer version; sessions that are open go on."""
    session = running.session()
    session.recall(QUERY)
    old = running.daemon()
    monkeypatch.setattr(sockets, "__version__", "99.0")
    link = connect(running.places, "control")
    assert link is not None
    assert link.said["leaving"] is True
    link.close()
    until(lambda: not alive(old), "the old one has gone")
    assert session.recall(QUERY)
    assert old != running.daemon()


@slow
def test_a_pass_of_a_command_holds_nobody_up(running: Running) -> None:
    """While another process has the lease, the daemon answers from what there is, and takes over later."""
    with lease.hold(running.vault / ".genesys"):
        session = running.session()
        assert session.recall(QUERY)
    (running.vault / "Later.md").write_text("Quokkas live on Rottnest.", encoding="utf-8")
    running.until_recalled(session, "quokkas of Rottnest", lambda paths: "Later.md" in paths)


def test_the_socket_s_folder_is_private(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that others may enter, or that is no folder, is not used."""
    runtime = Path(os.environ["XDG_RUNTIME_DIR"])
    assert runtime / "genesys" == run_folder()
    assert 0o700 == (runtime / "genesys").stat().st_mode & 0o777
    (runtime / "genesys").chmod(0o755)
    assert runtime / "genesys" != run_folder()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / ("long" * 40)))
    assert len(str(places(tmp_path).socket)) < 100


def test_a_socket_path_is_short_and_one_per_vault(tmp_path: Path) -> None:
    """By another name or through a link it is the same vault; its neighbour is another."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vault")
    assert places(tmp_path / "vault") == places(tmp_path / "link" / ".." / "vault")
    assert places(tmp_path / "vault").socket != places(tmp_path / "vault2").socket
    assert len(os.fsencode(places(tmp_path / ("deep" * 60)).socket)) < 100


def test_without_a_private_folder_the_hint_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nowhere to put a socket is an error with a way out."""
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    with pytest.raises(GenesysError, match="private") as caught:
        run_folder()
    assert "--in-process" in caught.value.hint


@pytest.mark.parametrize(
    ("mine", "theirs", "newer"),
    [
        ("1.2.0", "1.1.9", True),
        ("1.10.0", "1.9.0", True),
        ("1.0.0", "1.0.0", False),
        ("1.0.0", "1.0.1", False),
        ("2", "1.9.9", True),
        ("1.0.0+local", "1.0.0", False),
        ("", "1.0.0", False),
    ],
)
def test_versions_compare_by_their_numbers(mine: str, theirs: str, newer: bool) -> None:
    """Only a client of a later version replaces a daemon, so two installations don't fight."""
    assert newer is is_newer(mine, theirs)


def test_one_lease_at_a_time(tmp_path: Path) -> None:
    """Within the process that keeps it nothing waits; elsewhere it is busy; afterwards it is free."""
    kept = lease.Lease(tmp_path)
    assert kept.take(b"me")
    assert kept.take(b"me")
    with lease.hold(tmp_path):
        pass
    code = (
        "import sys; from pathlib import Path; from genesys.engine import lease\n"
        "with lease.hold(Path(sys.argv[1])): pass"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    busy = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert BusyError.__name__ in busy.stderr
    kept.release()
    assert 0 == subprocess.run(command, check=False).returncode


def test_doctor_s_line_says_whether_a_daemon_answers(tmp_path: Path) -> None:
    """None is fine; one that hangs is not, and the line has the command that ends it."""
    none = look(tmp_path, tmp_path / "index.db")
    assert (True, False) == (none.ok, none.warning)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as mute:
        mute.bind(str(places(tmp_path).socket))
        mute.listen()
        hung = look(tmp_path, tmp_path / "index.db", wait_s=0.1)
    assert not hung.ok
    assert f"genesys daemon stop --vault {tmp_path}" == hung.fix
