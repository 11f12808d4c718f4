"""A note is swapped whole or not at all, and a person's edit always wins."""

from __future__ import annotations

import errno
import os
import stat as modes
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from genesys import write
from genesys.errors import DiskFull, PathEscape, VaultError, WriteRefused
from genesys.vault import content_hash, create, file_stat, read, sweep_temp, walk, write_if
from support import child_env

posix = pytest.mark.skipif(os.name != "posix", reason="modes and symlinks are POSIX here")


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture(params=["swap", "rename"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the system's swap of two names, and on a disk that has none."""
    if request.param == "rename":
        monkeypatch.setattr(write, "swap", lambda one, other: False)
    return str(request.param)


@pytest.mark.usefixtures("each_way")
def test_a_note_is_replaced_where_it_has_the_expected_hash(tmp_path: Path) -> None:
    """The answer is the stat of the new file; nothing is left beside it."""
    (tmp_path / "n.md").write_bytes(b"old\r\n")
    stat = write_if(tmp_path, "n.md", content_hash(b"old\r\n"), b"new\r\n")
    assert b"new\r\n" == read(tmp_path, "n.md")
    assert stat is not None
    assert content_hash(b"new\r\n") == stat.content_hash
    seen = file_stat(tmp_path, "n.md")
    assert seen is not None
    assert (seen.size, seen.mtime_ns, seen.inode) == (stat.size, stat.mtime_ns, stat.inode)
    assert ["n.md"] == names(tmp_path)


@pytest.mark.usefixtures("each_way")
def test_a_person_who_was_faster_wins(tmp_path: Path) -> None:
    """Other bytes, or no note any more: None, and the disk as it was."""
    (tmp_path / "n.md").write_bytes(b"person")
    assert write_if(tmp_path, "n.md", content_hash(b"old"), b"new") is None
    assert write_if(tmp_path, "gone.md", content_hash(b"old"), b"new") is None
    assert b"person" == read(tmp_path, "n.md")
    assert ["n.md"] == names(tmp_path)


def test_writing_the_same_bytes_is_no_write(tmp_path: Path) -> None:
    """Own writes settle: file and time stamp stay."""
    (tmp_path / "n.md").write_bytes(b"same")
    before = (tmp_path / "n.md").stat()
    stat = write_if(tmp_path, "n.md", content_hash(b"same"), b"same")
    after = (tmp_path / "n.md").stat()
    assert stat is not None
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert (before.st_ino, before.st_mtime_ns) == (stat.inode, stat.mtime_ns)


@pytest.mark.usefixtures("each_way")
@pytest.mark.parametrize("in_place", [True, False], ids=["in place", "by rename"])
def test_an_edit_at_the_last_moment_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_place: bool
) -> None:
    """A person saves after the temporary file is ready, before the last look."""
    note = tmp_path / "n.md"
    note.write_bytes(b"old")
    prepare = write._keep

    def save_meanwhile(*args: object) -> None:
        prepare(*args)  # type: ignore[arg-type]
        if in_place:
            note.write_bytes(b"person")
        else:
            (tmp_path / "save").write_bytes(b"person")
            (tmp_path / "save").replace(note)

    monkeypatch.setattr(write, "_keep", save_meanwhile)
    assert write_if(tmp_path, "n.md", content_hash(b"old"), b"new") is None
    assert b"person" == read(tmp_path, "n.md")
    assert ["n.md"] == names(tmp_path)


def test_even_edits_between_the_last_look_and_the_swap_are_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And where the person saves again while theirs is put back, the newest stays."""
    note = tmp_path / "n.md"
    note.write_bytes(b"old")
    swap, saves = write.swap, [b"first", b"second"]

    def save_then_swap(one: str, other: str) -> bool:
        if saves:
            (tmp_path / "save").write_bytes(saves.pop(0))
            (tmp_path / "save").replace(note)
        return swap(one, other)

    monkeypatch.setattr(write, "swap", save_then_swap)
    if not swap_works(tmp_path):
        pytest.skip("this system or disk can't swap two names")
    assert write_if(tmp_path, "n.md", content_hash(b"old"), b"new") is None
    assert b"second" == read(tmp_path, "n.md")
    assert ["n.md"] == names(tmp_path)


def swap_works(folder: Path) -> bool:
    from genesys.swap import swap

    for name in "ab":
        (folder / name).write_text(name)
    try:
        return swap(str(folder / "a"), str(folder / "b")) and (folder / "a").read_text() == "b"
    finally:
        (folder / "a").unlink()
        (folder / "b").unlink()


def test_a_note_deleted_at_the_last_moment_stays_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A swap needs both names, so what a person took away does not come back."""
    note = tmp_path / "n.md"
    note.write_bytes(b"old")
    swap = write.swap

    def delete_then_swap(one: str, other: str) -> bool:
        note.unlink()
        return swap(one, other)

    if not swap_works(tmp_path):
        pytest.skip("this system or disk can't swap two names")
    monkeypatch.setattr(write, "swap", delete_then_swap)
    assert write_if(tmp_path, "n.md", content_hash(b"old"), b"new") is None
    assert [] == names(tmp_path)


def test_no_save_is_lost_in_a_race(tmp_path: Path) -> None:
    """An editor saves again and again while we write back: none is lost."""
    if not swap_works(tmp_path):
        pytest.skip("this system or disk can't swap two names")
    note, done = tmp_path / "n.md", threading.Event()
    note.write_bytes(b"0:person")
    lost = []

    def edit() -> None:
        for number in range(1, 61):
            (tmp_path / ".save").write_bytes(b"%d:person" % number)
            (tmp_path / ".save").replace(note)
            end = time.monotonic() + 10
            while int(note.read_bytes().split(b":")[0]) != number and time.monotonic() < end:
                pass
            while number % 3 == 0 and b"genesys" not in note.read_bytes() and time.monotonic() < end:
                pass  # now and then, let the other side have its turn
            if time.monotonic() >= end:
                lost.append(number)
        done.set()

    editor = threading.Thread(target=edit)
    editor.start()
    written = 0
    while not done.is_set():
        raw = note.read_bytes()
        new = raw.split(b":")[0] + b":genesys%d" % written
        written += write_if(tmp_path, "n.md", content_hash(raw), new) is not None
    editor.join()
    assert [] == lost
    assert b"60" == note.read_bytes().split(b":")[0]
    assert written > 0
    assert ["n.md"] == names(tmp_path)


@posix
def test_mode_and_attributes_are_kept(tmp_path: Path) -> None:
    """A private note stays private, and tags of the file system stay."""
    note = tmp_path / "n.md"
    note.write_bytes(b"old")
    note.chmod(0o640)
    tagged = hasattr(os, "setxattr")
    if tagged:
        try:
            os.setxattr(note, "user.tag", b"blue")
        except OSError:
            tagged = False
    write_if(tmp_path, "n.md", content_hash(b"old"), b"new")
    assert 0o640 == modes.S_IMODE(note.stat().st_mode)
    assert not tagged or os.getxattr(note, "user.tag") == b"blue"


@posix
def test_the_copy_is_never_more_readable_than_the_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it has the note's mode, only its owner can open it."""
    (tmp_path / "n.md").write_bytes(b"old")
    seen = []
    keep = write._keep

    def look(real: str, temp: str, before: os.stat_result) -> None:
        seen.append(modes.S_IMODE(os.stat(temp).st_mode))
        keep(real, temp, before)

    monkeypatch.setattr(write, "_keep", look)
    write_if(tmp_path, "n.md", content_hash(b"old"), b"new")
    assert [0o600] == seen


@posix
def test_files_behind_a_symlink_are_never_written(tmp_path: Path) -> None:
    """Neither a note nor a new file in a folder that lies elsewhere."""
    vault, other = tmp_path / "vault", tmp_path / "other"
    vault.mkdir(), other.mkdir()
    (other / "o.md").write_bytes(b"old")
    (vault / "n.md").symlink_to(other / "o.md")
    (vault / "out").symlink_to(other)
    for path in ("n.md", "out/o.md"):
        with pytest.raises(PathEscape):
            write_if(vault, path, content_hash(b"old"), b"new")
    with pytest.raises(PathEscape):
        create(vault, "out/deep/new.md", b"new")
    assert b"old" == (other / "o.md").read_bytes()
    assert ["o.md"] == names(other)


@posix
def test_locked_and_linked_notes_are_left_alone(tmp_path: Path) -> None:
    """A rename would ignore a note's mode, and part a hard link from its other names."""
    (tmp_path / "n.md").write_bytes(b"old")
    os.link(tmp_path / "n.md", tmp_path / "twin.md")
    with pytest.raises(WriteRefused, match="hard link"):
        write_if(tmp_path, "n.md", content_hash(b"old"), b"new")
    assert b"old" == read(tmp_path, "twin.md")
    if os.geteuid():
        (tmp_path / "r.md").write_bytes(b"old")
        (tmp_path / "r.md").chmod(0o444)
        with pytest.raises(WriteRefused, match="read-only"):
            write_if(tmp_path, "r.md", content_hash(b"old"), b"new")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (errno.EROFS, WriteRefused),
        (errno.EACCES, WriteRefused),
        (errno.EIO, VaultError),
    ],
)
def test_errors_of_the_system_are_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, expected: type[Exception]
) -> None:
    """Each is mapped, the note is untouched, and no temporary file stays."""
    (tmp_path / "n.md").write_bytes(b"old")

    def fail(handle: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(expected):
        write_if(tmp_path, "n.md", content_hash(b"old"), b"new")
    with pytest.raises(expected):
        create(tmp_path, "m.md", b"new")
    assert b"old" == read(tmp_path, "n.md")
    assert ["n.md"] == names(tmp_path)


def test_a_write_cut_short_leaves_the_note_whole(tmp_path: Path) -> None:
    """The system's limit on the size of a file stands for a disk that fills up in the middle."""
    resource = pytest.importorskip("resource")
    (tmp_path / "n.md").write_bytes(b"old")
    code = f"""
import resource, signal
from pathlib import Path
from genesys.errors import VaultError
from genesys.vault import content_hash, write_if
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_if(Path({str(tmp_path)!r}), "n.md", content_hash(b"old"), b"x" * 100_000)
except VaultError as error:
    print(error)
"""
    assert resource
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_env(), capture_output=True, text=True, timeout=60, check=False
    )
    assert "n.md can't be written" in done.stdout, done.stderr
    assert b"old" == read(tmp_path, "n.md")
    assert ["n.md"] == names(tmp_path)


def test_create_makes_folders_and_never_overwrites(tmp_path: Path) -> None:
    """A taken name is refused, also under another Unicode form."""
    stat = create(tmp_path, "Memories/2026/Café.md", b"one")
    assert b"one" == read(tmp_path, "Memories/2026/Café.md")
    assert content_hash(b"one") == stat.content_hash
    for path in ("Memories/2026/Café.md", "Memories/2026/Cafe\u0301.md"):
        with pytest.raises(WriteRefused, match="exists already"):
            create(tmp_path, path, b"two")
    assert b"one" == read(tmp_path, "Memories/2026/Café.md")
    assert ["Café.md"] == names(tmp_path / "Memories/2026")
    for hidden in (".x.md", "a/.b/c.md"):
        with pytest.raises(WriteRefused, match="hidden"):
            create(tmp_path, hidden, b"x")


@posix
def test_a_new_note_has_the_mode_a_person_would_give_it(tmp_path: Path) -> None:
    """The process's umask decides, as for any file."""
    old = os.umask(0o027)
    try:
        create(tmp_path, "n.md", b"x")
    finally:
        os.umask(old)
    assert 0o640 == modes.S_IMODE((tmp_path / "n.md").stat().st_mode)


def test_create_works_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT: the name is reserved, then filled; a taken one is still refused."""

    def no_links(*args: object, **named: object) -> None:
        raise OSError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "link", no_links)
    create(tmp_path, "n.md", b"x")
    with pytest.raises(WriteRefused, match="exists already"):
        create(tmp_path, "n.md", b"y")
    assert b"x" == read(tmp_path, "n.md")
    assert ["n.md"] == names(tmp_path)


def test_strays_are_swept_when_they_are_old(tmp_path: Path) -> None:
    """A killed process leaves a hidden file that no walk sees; a fresh one may belong to a live process."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / ".genesys-tmp-00").write_bytes(b"half")
    (tmp_path / "a" / "n.md").write_bytes(b"note")
    assert ["a/n.md"] == [stat.path for stat in walk(tmp_path).files]
    assert 0 == sweep_temp(tmp_path)
    assert 1 == sweep_temp(tmp_path, now=time.time() + 61)
    assert ["n.md"] == names(tmp_path / "a")
