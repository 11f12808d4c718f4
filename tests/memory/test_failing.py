"""What can't be written: one clear line, nothing half-written, and all well again afterwards."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from genesys.errors import DiskFull, GenesysError, WriteRefused
from memory.helpers import Clock, make_vault, memory_of
from support import child_env, tree_bytes

NOTES = {f"N{i}.md": f"Note {i} about anchors.\n" for i in range(20)}


def test_a_read_only_folder_is_said_in_one_line(tmp_path: Path) -> None:
    """Remembering, pinning and forgetting are refused; the notes stay as they are."""
    vault = make_vault(tmp_path / "vault", NOTES)
    with memory_of(vault, Clock()) as memory:
        memory.index()
        os.chmod(vault, 0o555)
        if os.access(vault, os.W_OK):
            pytest.skip("who runs this may write anywhere")
        try:
            for call in (
                lambda: memory.remember("x y z."),
                lambda: memory.pin("N1"),
                lambda: memory.forget("N1", allow_person_note=True),
            ):
                with pytest.raises(WriteRefused) as refused:
                    call()
                assert "\n" not in refused.value.message
        finally:
            os.chmod(vault, 0o755)
        assert set(NOTES) == {p.name for p in vault.glob("[!.]*")}


def test_an_index_that_can_not_take_the_memory_leaves_no_note(tmp_path: Path) -> None:
    """The database is full (as its page limit says): the note that was just made goes again."""
    vault = make_vault(tmp_path / "vault", NOTES)
    with memory_of(vault, Clock()) as memory:
        memory.index(embed=False)
        before = tree_bytes(vault)
        limit_pages(memory)
        with pytest.raises(DiskFull):
            memory.remember("long " * 100_000)
        assert before == tree_bytes(vault)


def test_a_note_that_can_not_be_recorded_as_forgotten_is_not_forgotten(tmp_path: Path) -> None:
    """Trash and index change together, or neither does."""
    vault = make_vault(tmp_path / "vault", {"Big.md": "Anchors away. " * 40_000})
    with memory_of(vault, Clock()) as memory:
        memory.index(embed=False)
        before = tree_bytes(vault)
        db = memory._index._db
        db.run("CREATE TRIGGER no BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'not now'); END")
        with pytest.raises((GenesysError, apsw.Error)):
            memory.forget("Big", allow_person_note=True)
        db.run("DROP TRIGGER no")
        assert before == tree_bytes(vault)
        assert "Big.md" == memory.resolve("Big")


def limit_pages(memory: object) -> None:
    """No page more than there is now."""
    db = memory._index._db  # type: ignore[attr-defined]
    db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    db.run(f"PRAGMA max_page_count = {db.value('PRAGMA page_count')}")


FULL = """
import sys, shutil
from pathlib import Path
from genesys.errors import GenesysError
from memory.helpers import Clock, memory_of
from memory.test_failing import fill
from support import tree_bytes
vault = Path(sys.argv[1])
with memory_of(vault, Clock(), writeback="all", writeback_quiet_s=0.0) as memory:
    memory.index(embed=False)
    before = tree_bytes(vault)
    fill(vault.parent / "filler")
    for call in (lambda: memory.remember("word " * 20_000), lambda: memory.pin("N1"), memory.decay):
        try:
            call()
        except GenesysError as e:
            assert "space" in e.message + e.hint or "full" in e.message, e.message
            assert "\\n" not in e.message
        else:
            sys.exit(f"{call} found room on a full disk")
    assert before == tree_bytes(vault), "a note changed, or half of one is there"
    (vault.parent / "filler").unlink()
    assert memory.remember("word " * 20_000).created
    memory.pin("N1")
    assert len(memory.decay().writes.written) >= 19
"""


def fill(file: Path) -> None:
    """Write until the disk is full to the last byte."""
    with file.open("wb", buffering=0) as out:
        for size in (65_536, 4_096, 512, 1):
            try:
                while out.write(b"\0" * size):
                    pass
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


@pytest.mark.slow
def test_a_full_disk_costs_nothing_but_time(tmp_path: Path) -> None:
    """On a disk of six megabytes: remember, pin and decay say it in one line and change no byte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    script = 'mount -t tmpfs -o size=6m tmpfs "$1" || exit 77; cp -a "$2" "$1/vault"; "$3" -c "$4" "$1/vault"'
    make_vault(tmp_path / "vault", NOTES)
    env = child_env()
    env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(Path(__file__).parents[1])])
    command = [
        "unshare",
        "-m",
        "sh",
        "-c",
        script,
        "sh",
        str(disk),
        str(tmp_path / "vault"),
        sys.executable,
        FULL,
    ]
    try:
        done = subprocess.run(
            command, env=env, capture_output=True, encoding="utf-8", check=False, timeout=120
        )
    except FileNotFoundError:
        pytest.skip("no unshare here")
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("a disk may not be mounted here")
    assert 0 == done.returncode, done.stderr
