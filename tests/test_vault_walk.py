"""Which files a walk finds, what it says of the rest, and what a read gives."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys.errors import FileGone, PathEscape, VaultError, VaultNotFound
from genesys.ignore import Rules, make_rules
from genesys.model import FileType
from genesys.vault import Walk, file_stat, is_empty_folder, read, read_and_hash, walk

posix = pytest.mark.skipif(os.name != "posix", reason="symlinks, pipes and modes are POSIX here")


def lay(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(path.encode())


def paths(found: Walk) -> list[str]:
    return [stat.path for stat in found.files]


def reasons(found: Walk) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in found.skipped}


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything; be someone else for a moment."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_every_file_is_found_with_its_type_and_stat(tmp_path: Path) -> None:
    """Notes, canvases and attachments, in the order of their paths, extensions in any case."""
    lay(tmp_path, "b.md", "a/README.MD", "a/plan.canvas", "a/x.png", "a/deep/er/n.md")
    found = walk(tmp_path)
    types = {stat.path: stat.type for stat in found.files}
    assert {
        "a/README.MD": FileType.NOTE,
        "a/deep/er/n.md": FileType.NOTE,
        "a/plan.canvas": FileType.CANVAS,
        "a/x.png": FileType.ATTACHMENT,
        "b.md": FileType.NOTE,
    } == types
    assert sorted(types) == paths(found)
    state = (tmp_path / "b.md").stat()
    note = found.files[-1]
    assert (state.st_size, state.st_mtime_ns, state.st_ino) == (note.size, note.mtime_ns, note.inode)


def test_hidden_and_temporary_files_are_invisible(tmp_path: Path) -> None:
    """Names with a leading dot at any depth, and what editors and browsers write for a moment."""
    lay(tmp_path, ".obsidian/x.md", "a/.hidden/b.md", "a/.b.md", ".trash/c.md", "ok.md")
    lay(tmp_path, "n.md~", "n.md.tmp", ".n.md.swp", "n.swp", "v.crdownload", ".#n.md", "~$d.docx")
    found = walk(tmp_path)
    assert ["ok.md"] == paths(found)
    assert {} == reasons(found)


def test_what_rules_exclude_is_reported_once_a_folder(tmp_path: Path) -> None:
    """A person sees which folder is left out and why, not each file below it."""
    lay(tmp_path, "Templates/a.md", "Templates/b.md", "node_modules/r.md", "Archive/o.md", "n.md", "x/s.md")
    found = walk(tmp_path, make_rules(["Archive/"], ["Templates"], "s.md\n"))
    assert ["n.md"] == paths(found)
    assert {
        "Archive": "excluded in Obsidian (Archive/)",
        "Templates": "template (Obsidian's templates folder)",
        "node_modules": "a folder of program packages",
        "x/s.md": "excluded in .genesysignore",
    } == reasons(found)


def test_deep_nesting_is_walked_without_recursion(tmp_path: Path) -> None:
    """Three hundred folders deep is slow for nobody and overflows no stack."""
    folder = tmp_path
    for _ in range(300):
        folder = folder / "d"
    folder.mkdir(parents=True)
    (folder / "n.md").write_text("x")
    assert ["d/" * 300 + "n.md"] == paths(walk(tmp_path))


@posix
def test_symlinks_into_the_vault_are_ignored(tmp_path: Path) -> None:
    """To the vault, its parent, a folder or a note of it, to itself, in a ring, to nothing: none hangs."""
    vault = tmp_path / "vault"
    lay(vault, "a/n.md")
    for name, target in {
        "root": vault, "up": tmp_path, "twin": vault / "a", "note.md": vault / "a/n.md",
        "self": vault / "self", "ring1": vault / "ring2", "ring2": vault / "ring1", "dead.md": vault / "none",
    }.items():  # fmt: skip
        (vault / name).symlink_to(target)
    (vault / "a" / "loop").symlink_to("..")
    found = walk(vault)
    assert ["a/n.md"] == paths(found)
    assert set(reasons(found)) == {
        "root", "up", "twin", "note.md", "self", "ring1", "ring2", "dead.md", "a/loop",
    }  # fmt: skip
    assert "a symlink to nothing" == reasons(found)["dead.md"]
    assert () == found.unreadable


@posix
def test_symlinks_out_of_the_vault_are_followed_once_where_allowed(tmp_path: Path) -> None:
    """Only if the person said so; a second way to the same folder, and a way back in, are not."""
    vault, other = tmp_path / "vault", tmp_path / "other"
    lay(vault, "n.md")
    lay(other, "o.md", "sub/p.md", "single.md")
    (other / "back").symlink_to(vault)
    (other / "round").symlink_to(other)
    (vault / "a").symlink_to(other)
    (vault / "b").symlink_to(other / "sub")
    (vault / "one.md").symlink_to(other / "single.md")
    assert ["n.md"] == paths(walk(vault))
    assert file_stat(vault, "one.md") is None
    found = walk(vault, Rules(follow=True))
    assert ["a/o.md", "a/single.md", "a/sub/p.md", "n.md", "one.md"] == paths(found)
    assert {"a/back", "a/round", "b"} == set(reasons(found))
    assert b"sub/p.md" == read(vault, "a/sub/p.md")


@posix
def test_pipes_and_sockets_are_skipped(tmp_path: Path) -> None:
    """Opening one would wait for ever."""
    os.mkfifo(tmp_path / "pipe.md")
    assert {"pipe.md": "not an ordinary file"} == reasons(walk(tmp_path))
    with pytest.raises(VaultError, match="no ordinary file"):
        read(tmp_path, "pipe.md")
    assert file_stat(tmp_path, "pipe.md") is None


@posix
def test_an_unreadable_folder_is_not_an_empty_one(tmp_path: Path) -> None:
    """What the index knows below it must be kept, so the walk says which folder it was."""
    with TemporaryDirectory() as place:  # pytest's folders are closed to the user we become
        vault = Path(place)
        vault.chmod(0o755)
        lay(vault, "open/n.md", "shut/deep/n.md")
        (vault / "shut").chmod(0)
        try:
            with as_nobody():
                found = walk(vault)
        finally:
            (vault / "shut").chmod(0o755)
    assert ["open/n.md"] == paths(found)
    assert ("shut",) == found.unreadable
    assert reasons(found)["shut"].startswith("can't be read")
    assert found.hides("shut/deep/n.md")
    assert found.hides("shut")
    assert not found.hides("shutter/n.md")


@posix
def test_names_that_are_not_utf8_are_reported(tmp_path: Path) -> None:
    """Their escapes can be printed and stored; the file can't be a note."""
    try:
        with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "wb"):
            pass
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    found = walk(tmp_path)
    assert [] == paths(found)
    assert {"caf\\xe9.md": "its name is not UTF-8; rename it"} == reasons(found)


def test_identity_is_nfc_whatever_the_disk_keeps(tmp_path: Path) -> None:
    """A decomposed name is found, read and looked at by its composed path, folders included."""
    odd = unicodedata.normalize("NFD", "Köln/Café.md")
    lay(tmp_path, odd)
    found = walk(tmp_path)
    assert ["Köln/Café.md"] == paths(found)
    assert odd.encode() == read(tmp_path, "Köln/Café.md")
    assert found.files[0] == file_stat(tmp_path, "Köln/Café.md")


def test_of_two_unicode_forms_of_a_name_one_counts(tmp_path: Path) -> None:
    """The one that a read opens; the other is reported."""
    lay(tmp_path, unicodedata.normalize("NFD", "é.md"), "é.md")
    if len(os.listdir(tmp_path)) < 2:
        pytest.skip("this file system folds Unicode forms")
    found = walk(tmp_path)
    assert ["é.md"] == paths(found)
    assert os.stat(tmp_path / "é.md").st_ino == found.files[0].inode
    assert "é.md".encode() == read(tmp_path, "é.md")
    assert ["é.md"] == list(reasons(found))


def test_a_missing_vault_is_an_error(tmp_path: Path) -> None:
    """A folder that isn't there, or is a file, is no vault without notes."""
    lay(tmp_path, "file")
    for place in ("none", "file"):
        with pytest.raises(VaultNotFound):
            walk(tmp_path / place)
    (tmp_path / "bare").mkdir()
    assert walk(tmp_path / "bare").empty
    assert not walk(tmp_path).empty


def test_an_empty_folder_can_be_told_from_a_missing_one(tmp_path: Path) -> None:
    """An unmounted disk leaves an empty folder behind; hidden files do not fill it."""
    lay(tmp_path, "full/n.md", "hollow/.DS_Store")
    (tmp_path / "bare").mkdir()
    assert [True, True, False, False, False] == [
        is_empty_folder(tmp_path, f) for f in ("bare", "hollow", "full", "none", "")
    ]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x.md", "a/../../x.md", "a//b.md", "", ".", "a\0.md", "\udce9.md"]
)
def test_paths_never_leave_the_vault(tmp_path: Path, path: str) -> None:
    """Absolute, dotted, empty, with NUL or not UTF-8: refused before the disk is touched."""
    for look in (read, file_stat):
        with pytest.raises(PathEscape):
            look(tmp_path, path)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=40))
def test_any_name_is_data(name: str) -> None:
    """No name is an error beside those that leave the vault; a file that isn't there is just gone."""
    root = Path("/nonexistent-vault")
    if name in (".", "..") or os.name == "nt":
        return
    try:
        read(root, name)
    except FileGone:
        pass
    except VaultError:
        assert len(name.encode()) > 255
    else:
        raise AssertionError("read a file that does not exist")


def test_a_read_is_bounded_and_hashed(tmp_path: Path) -> None:
    """Too large is an error, not a cut; the hash comes with the stat of the bytes that were read."""
    lay(tmp_path, "n.md")
    raw, stat = read_and_hash(tmp_path, "n.md", limit=4)
    assert (b"n.md", 4, 32) == (raw, stat.size, len(stat.content_hash))
    with pytest.raises(VaultError, match="larger than 3 bytes"):
        read(tmp_path, "n.md", limit=3)
    with pytest.raises(FileGone):
        read(tmp_path, "n.md/x.md")
