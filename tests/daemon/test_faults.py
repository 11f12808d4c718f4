"""The index is damaged, the disk is full, the vault goes away: the daemon says so, and lives on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from daemon.helpers import settings_of, until
from daemon.processes import Running, Session
from genesys.engine.session import Genesys
from support import child_env

pytestmark = pytest.mark.slow
QUERY = "why did we give up on cellular modems"
ADR = "Decisions/ADR-003 LoRa Mesh.md"


def notices(session: Session) -> str:
    """What the answer to a recall says beside its hits, or as its error."""
    body: dict[str, Any] = session.call("memory_recall", query=QUERY, read_only=True)["structuredContent"]
    return " ".join([*body.get("notices", ()), body.get("error", "")])


def answered(session: Session) -> bool:
    result = session.call("memory_recall", query=QUERY, read_only=True)
    return not result.get("isError") and ADR in [h["path"] for h in result["structuredContent"]["hits"]]


@pytest.mark.parametrize("how", ["removed", "garbage", "truncated"])
def test_a_damaged_index_is_made_anew(running: Running, how: str) -> None:
    """Found broken while it is open: it is set aside, made anew from the notes, and told."""
    session = running.session()
    session.recall(QUERY)
    file = running.vault / ".genesys" / "index.db"
    for suffix in ("-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
    if how == "removed":
        file.unlink()
    elif how == "garbage":
        file.write_bytes(os.urandom(file.stat().st_size))
    else:
        os.truncate(file, 5_000)
    (running.vault / "Wake.md").write_text("Wombats dig.", encoding="utf-8")
    until(lambda: answered(session), "the vault is recalled again")
    running.until_recalled(session, "wombats dig", lambda paths: "Wake.md" in paths)
    pid = running.daemon()
    assert pid == running.status()["pid"]
    if how != "removed":
        assert "made anew" in (running.vault / ".genesys" / "daemon.log").read_text(encoding="utf-8")


def test_an_index_that_is_broken_at_the_start_is_set_aside(running: Running) -> None:
    """A file of noise where the index should be."""
    file = running.vault / ".genesys" / "index.db"
    file.write_bytes(b"this is no database" * 1000)
    session = running.session()
    until(lambda: answered(session), "the vault is recalled")
    assert file.with_name("index.db.broken").exists()


def test_a_vault_that_goes_away_is_not_forgotten(vault: Path, tmp_path: Path) -> None:
    """Its index elsewhere, the vault is unmounted: recall goes on and says so; when it is back, what
    changed meanwhile is noticed, and nothing was forgotten."""
    index = tmp_path / "elsewhere" / "index.db"
    with Running(vault, GENESYS_INDEX=str(index)) as running:
        session = running.session()
        until(lambda: answered(session), "the vault is read")
        away = vault.with_name("away")
        vault.rename(away)
        until(lambda: "nothing of it is forgotten" in notices(session), "it is said")
        assert answered(session)
        refused = session.call("memory_store", content="Not now.")
        assert refused["isError"] is True
        assert not vault.exists()
        (away / "Meanwhile.md").write_text("Numbats eat termites.", encoding="utf-8")
        away.rename(vault)
        running.until_recalled(session, "numbats eat termites", lambda paths: "Meanwhile.md" in paths)
        until(lambda: "forgotten" not in notices(session), "all is well again")
        assert not session.call("memory_store", content="Now.").get("isError")


def test_an_empty_mount_point_is_not_a_deletion(vault: Path, tmp_path: Path) -> None:
    """The folder is there and empty, as where a disk is not mounted."""
    index = tmp_path / "elsewhere" / "index.db"
    with Running(vault, GENESYS_INDEX=str(index)) as running:
        session = running.session()
        until(lambda: answered(session), "the vault is read")
        away = vault.with_name("away")
        vault.rename(away)
        vault.mkdir()
        until(lambda: "forgotten" in notices(session) or "empty" in notices(session), "it is said")
        assert answered(session)
        assert session.call("memory_store", content="Not here.")["isError"] is True
        assert [] == list(vault.iterdir())
        vault.rmdir()
        away.rename(vault)
        until(lambda: not notices(session), "all is well again")
        assert answered(session)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_kept(running: Running) -> None:
    """Its notes stay, and come up to date when it can be read again."""
    session = running.session()
    folder = running.vault / "Decisions"
    folder.chmod(0)
    try:
        (running.vault / "Poke.md").write_text("poke", encoding="utf-8")
        running.until_recalled(session, "poke", lambda paths: "Poke.md" in paths)
        assert answered(session)
    finally:
        folder.chmod(0o755)


def test_a_full_disk_stops_writes_and_not_answers(tmp_path: Path, vault: Path) -> None:
    """On a real disk of a few megabytes: the daemon goes on answering, refuses to store, and stores again
    when there is room."""
    mount = tmp_path / "disk"
    mount.mkdir()
    script = Path(__file__).parent / "full_disk.py"
    command = ["unshare", "-rm", sys.executable, str(script), str(mount), str(vault)]
    try:
        done = subprocess.run(
            command, env=child_env(), capture_output=True, encoding="utf-8", timeout=120, check=False
        )
    except FileNotFoundError:
        pytest.skip("no unshare here, which mounts a small disk without root")
    if done.returncode == 77:
        pytest.skip("this system lets no one mount a small disk")
    assert 0 == done.returncode, done.stdout + done.stderr


def test_a_clock_that_jumps_decays_nothing(vault: Path) -> None:
    """A daemon whose clock is a year ahead: no status changes (faketime is not needed, its own clock is
    compared with one that can't be set; here the last pass lies a year back)."""
    with Genesys.open(settings_of(vault)) as memory:
        memory.decay()
        before = memory.status().statuses
        memory._index.meta_set("maintained_at", "1000000000.0")
    with Running(vault, GENESYS_MAINTENANCE_INTERVAL_S="1") as running:
        session = running.session()
        session.recall(QUERY, read_only=True)
        log = vault / ".genesys" / "daemon.log"
        until(lambda: "the clock jumped" in log.read_text(encoding="utf-8"), "it is noticed")
        assert "maintenance:" not in log.read_text(encoding="utf-8")
    with Genesys.open(settings_of(vault), read_only=True) as memory:
        assert before == memory.status().statuses


def test_commands_use_the_daemon_and_do_without(running: Running) -> None:
    """Each command gives the same with a daemon as without one; errors come through as themselves."""
    asked = {
        "search": ("search", "modems", "--json"),
        "explain": ("explain", "ADR-003 LoRa Mesh", "--json"),
        "status": ("status", "--json"),
        "graphml": ("graph", "--format", "graphml"),
    }
    without = {name: running.cli(*words) for name, words in asked.items()}
    running.session()
    through = {name: running.cli(*words) for name, words in asked.items()}
    for name, result in through.items():
        assert 0 == result.code, (name, result.stderr)
        assert without[name].stdout == result.stdout or name in ("explain", "status"), name
    missing = running.cli("why", "No such note at all")
    assert 2 == missing.code
    assert "Traceback" not in missing.stderr
    stored = json.loads(running.cli("remember", "Dugongs graze on seagrass.", "--json").stdout)
    assert (running.vault / stored["path"]).is_file()
    assert 0 == running.cli("pin", stored["path"]).code
    assert 0 == running.cli("unpin", stored["path"]).code
    amended = running.cli("amend", stored["path"], "Dugongs graze on seagrass in Moreton Bay.")
    assert "supersedes" in amended.stdout
    assert 0 == running.cli("forget", stored["path"]).code
    assert 0 == running.cli("forget", "--undo").code
    assert 0 == running.cli("index").code
    assert 1 == running.status()["clients"]
