"""What other programs do to the vault is recalled moments later."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from daemon.helpers import until
from daemon.processes import Running
from genesys.watch import Watcher, needs_polling

slow = pytest.mark.slow


@slow
def test_what_happens_to_a_file_is_recalled(running: Running) -> None:
    """Written, changed, saved atomically, renamed, renamed in case only, deleted: each is noticed."""
    session, vault = running.session(), running.vault
    note = vault / "Ideas" / "Fresh.md"
    note.parent.mkdir()
    note.write_text("Quokkas live on Rottnest.", encoding="utf-8")
    seen = "Ideas/Fresh.md"
    running.until_recalled(session, "quokkas of Rottnest", lambda paths: seen in paths)

    note.write_text("Axolotls live in Xochimilco.", encoding="utf-8")
    running.until_recalled(session, "axolotls of Xochimilco", lambda paths: seen in paths)
    assert seen not in session.recall("quokkas Rottnest", read_only=True)

    draft = note.with_name(".Fresh.md.draft")
    draft.write_text("Kakapos live on Codfish Island.", encoding="utf-8")
    draft.replace(note)
    running.until_recalled(session, "kakapos of Codfish", lambda paths: seen in paths)

    note.rename(vault / "Moved away.md")
    running.until_recalled(
        session, "kakapos of Codfish", lambda paths: "Moved away.md" in paths and seen not in paths
    )
    (vault / "Moved away.md").rename(vault / "MOVED AWAY.md")
    running.until_recalled(
        session,
        "kakapos of Codfish",
        lambda paths: "MOVED AWAY.md" in paths and "Moved away.md" not in paths,
    )
    (vault / "MOVED AWAY.md").unlink()
    running.until_recalled(session, "kakapos of Codfish", lambda paths: "MOVED AWAY.md" not in paths)


@slow
def test_folders_come_and_go(running: Running) -> None:
    """A folder copied in with all it holds, renamed, and removed."""
    session, vault = running.session(), running.vault
    (vault.parent / "aside").mkdir()
    (vault.parent / "aside" / "Deep.md").write_text("Narwhals winter in Baffin Bay.", encoding="utf-8")
    shutil.copytree(vault.parent / "aside", vault / "Sea" / "Arctic")
    running.until_recalled(session, "narwhals winter", lambda p: "Sea/Arctic/Deep.md" in p)
    (vault / "Sea").rename(vault / "Ocean")
    running.until_recalled(session, "narwhals winter", lambda p: "Ocean/Arctic/Deep.md" in p)
    shutil.rmtree(vault / "Ocean")
    running.until_recalled(session, "narwhals winter", lambda p: not any("Arctic" in x for x in p))


@slow
def test_vectors_follow_by_themselves(running: Running) -> None:
    """What was noticed is embedded too, without anyone asking."""
    session, vault = running.session(), running.vault
    (vault / "New.md").write_text("Platypuses lay eggs in Tasmanian rivers.", encoding="utf-8")
    running.until_recalled(session, "platypuses", lambda p: "New.md" in p)

    def complete() -> bool:
        numbers = session.call("memory_stats")["structuredContent"]
        return numbers["pending"] == 0

    until(complete, "everything is embedded")


@slow
def test_rules_that_change_are_followed(running: Running) -> None:
    """A folder that is excluded in .genesysignore or in Obsidian's settings is forgotten, and comes back."""
    session, vault = running.session(), running.vault
    (vault / "Private").mkdir()
    (vault / "Private" / "Diary.md").write_text("Okapis hide in Ituri.", encoding="utf-8")
    found: Callable[[list[str]], bool] = lambda p: "Private/Diary.md" in p  # noqa: E731
    running.until_recalled(session, "okapis of Ituri", found)
    (vault / ".genesysignore").write_text("Private/\n", encoding="utf-8")
    running.until_recalled(session, "okapis of Ituri", lambda p: not found(p))
    (vault / ".genesysignore").unlink()
    running.until_recalled(session, "okapis of Ituri", found)


@slow
def test_polling_notices_too(vault: Path) -> None:
    """Where the disk tells nothing, looking does."""
    with Running(vault, GENESYS_WATCH="poll") as running:
        session = running.session()
        (vault / "Quiet.md").write_text("Quolls hunt at night.", encoding="utf-8")
        running.until_recalled(session, "quolls at night", lambda p: "Quiet.md" in p)


@slow
def test_a_burst_is_one_pass(vault: Path) -> None:
    """Three hundred files written one after the other are read together."""
    with Running(vault, GENESYS_DEBOUNCE_MS="500") as running:
        session = running.session()
        for number in range(300):
            (vault / f"Burst {number}.md").write_text(f"Burst of number {number}.", encoding="utf-8")
        running.until_recalled(session, "Burst of number 299", lambda p: "Burst 299.md" in p)
        until(lambda: running.passes() == ["300 added, 0 changed, 0 moved, 0 removed"])


@slow
def test_own_writes_are_no_news(vault: Path) -> None:
    """A memory stored and a pin written into a note are known: neither is read again."""
    # The pause is longer than a stalled machine takes from writing a note to writing that it did.
    with Running(vault, GENESYS_WRITEBACK="touched", GENESYS_DEBOUNCE_MS="1000") as running:
        session = running.session()
        session.call("memory_store", content="Tapirs swim well.")
        session.call("pin_memory", node_id="ADR-003 LoRa Mesh")
        (vault / "Last.md").write_text("Pangolins roll up.", encoding="utf-8")
        running.until_recalled(session, "pangolins roll up", lambda p: "Last.md" in p)
        until(lambda: running.passes() == ["1 added, 0 changed, 0 moved, 0 removed"])


# ------------------------------------------------------------------ the watcher alone


class Heard:
    """What a watcher said."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.nudges = 0
        self._lock = threading.Lock()

    def changed(self, paths: Collection[str]) -> None:
        with self._lock:
            self.paths |= set(paths)

    def nudge(self) -> None:
        with self._lock:
            self.nudges += 1


@contextmanager
def watched(root: Path, *, poll: bool = False) -> Iterator[Heard]:
    heard = Heard()
    watcher = Watcher(root, heard.changed, heard.nudge, poll=poll)
    watcher.start()
    try:
        # Events of before the watch began are nobody's; so write until it is heard.
        def begun() -> bool:
            (root / "probe.md").write_text("x", encoding="utf-8")
            (root / "Folder" / "probe.md").write_text("x", encoding="utf-8")
            return poll or {"probe.md", "Folder/probe.md"} <= heard.paths

        until(begun, "the watch has begun")
        heard.paths.clear()
        yield heard
    finally:
        watcher.stop()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "Folder").mkdir(parents=True)
    return tmp_path / "root"


def test_paths_are_the_vault_s(root: Path) -> None:
    """Relative to the vault, with forward slashes, also where the vault is reached through a link."""
    (root.parent / "link").symlink_to(root)
    with watched(root.parent / "link") as heard:
        (root / "Folder" / "Note.md").write_text("x", encoding="utf-8")
        until(lambda: "Folder/Note.md" in heard.paths)


def test_the_index_makes_no_noise(root: Path) -> None:
    """Writing in a hidden folder wakes nobody, or the daemon would feed on its own writes."""
    (root / ".genesys").mkdir()
    with watched(root) as heard:
        for number in range(50):
            (root / ".genesys" / f"index-{number}").write_text("x", encoding="utf-8")
        (root / "after.md").write_text("x", encoding="utf-8")
        until(lambda: "after.md" in heard.paths)
        assert [] == [path for path in heard.paths if path.startswith(".genesys/")]


def test_a_new_folder_is_watched(root: Path) -> None:
    """And because files may be in it before it is watched, a look at everything is asked for."""
    with watched(root) as heard:
        before = heard.nudges
        (root / "Another").mkdir()
        until(lambda: heard.nudges > before)

        def noticed() -> bool:
            (root / "Another" / "Note.md").write_text(str(heard.nudges), encoding="utf-8")
            return "Another/Note.md" in heard.paths

        until(noticed)


def test_a_vault_that_comes_back_is_watched_again(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Renamed away and back, as a disk is unmounted and mounted."""
    with watched(root) as heard:
        root.rename(root.with_name("away"))
        until(lambda: "is gone" in caplog.text)
        before = heard.nudges
        os.rename(root.with_name("away"), root)
        until(lambda: heard.nudges > before)

        def noticed() -> bool:
            (root / "Folder" / "Back.md").write_text(str(heard.nudges), encoding="utf-8")
            return "Folder/Back.md" in heard.paths

        until(noticed)


MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/notes /mnt/nfs nfs4 rw 0 0
me@host:/ /mnt/my\\040notes fuse.sshfs rw 0 0
tmpfs /mnt/nfs/local tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("place", "polls"),
    [
        ("/home/me/vault", False),
        ("/mnt/nfs/vault", True),
        ("/mnt/nfs", True),
        ("/mnt/nfsx", False),
        ("/mnt/my notes/vault", True),
        ("/mnt/nfs/local/vault", False),
    ],
)
def test_network_disks_are_polled(place: str, polls: bool) -> None:
    """The innermost mount decides."""
    assert polls is needs_polling(Path(place), MOUNTS)


def test_polling_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the variable that watchfiles itself knows."""
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "1")
    assert needs_polling(Path("/home"), MOUNTS)
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "false")
    assert not needs_polling(Path("/mnt/nfs"), MOUNTS)
