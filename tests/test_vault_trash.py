"""What is trashed can be had back; nothing is ever deleted or overwritten."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from genesys.errors import FileGone, PathEscape, WriteRefused
from genesys.vault import read, restore, trash, walk


def note(root: Path, path: str, text: str = "text") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("option", ["local", "none", "system"])
def test_the_vaults_trash_keeps_folders_and_gives_back(tmp_path: Path, option: str) -> None:
    """Also for "none", which would delete, and for "system" where no system trash is known."""
    note(tmp_path, "a/b/n.md")
    went = trash(tmp_path, "a/b/n.md", option)
    assert ".trash/a/b/n.md" == went
    assert () == walk(tmp_path).files
    restore(tmp_path, went, "a/b/n.md")
    assert b"text" == read(tmp_path, "a/b/n.md")


def test_namesakes_in_the_trash_stay(tmp_path: Path) -> None:
    """The second note of a name gets a number; both can be restored."""
    went = []
    for text in ("one", "two", "three"):
        note(tmp_path, "n.md", text)
        went.append(trash(tmp_path, "n.md"))
    assert [".trash/n.md", ".trash/n 2.md", ".trash/n 3.md"] == went
    restore(tmp_path, went[1], "n.md")
    assert b"two" == read(tmp_path, "n.md")


def test_restoring_overwrites_nothing(tmp_path: Path) -> None:
    """A new note of the old name is kept, and the trashed one stays in the trash."""
    note(tmp_path, "n.md", "old")
    went = trash(tmp_path, "n.md")
    note(tmp_path, "n.md", "new")
    with pytest.raises(WriteRefused, match="exists already"):
        restore(tmp_path, went, "n.md")
    assert b"new" == read(tmp_path, "n.md")
    assert b"old" == read(tmp_path, went)


@pytest.mark.skipif(sys.platform != "linux", reason="the freedesktop.org trash")
def test_the_systems_trash_is_used_as_specified(tmp_path: Path) -> None:
    """File and information as other programs expect them; both go when the note is restored."""
    vault, home = tmp_path / "vault", tmp_path / "share"
    home.mkdir()
    note(vault, "a/50 % Käse.md")
    went = trash(vault, "a/50 % Käse.md", "system", system_trash=home / "Trash")
    assert str(home / "Trash/files/50 % Käse.md") == went
    info = home / "Trash/info/50 % Käse.md.trashinfo"
    header, path, date = info.read_text(encoding="utf-8").splitlines()
    assert "[Trash Info]" == header
    assert f"Path={vault}/a/50%20%25%20K%C3%A4se.md" == path
    assert len("DeletionDate=2026-06-01T12:00:00") == len(date)
    assert not (vault / ".trash").exists()
    restore(vault, went, "a/50 % Käse.md")
    assert b"text" == read(vault, "a/50 % Käse.md")
    assert [] == os.listdir(home / "Trash/files") + os.listdir(home / "Trash/info")


@pytest.mark.skipif(sys.platform != "linux", reason="the freedesktop.org trash")
def test_the_systems_trash_numbers_namesakes(tmp_path: Path) -> None:
    """Two notes called the same in different folders are two files there."""
    vault = tmp_path / "vault"
    went = []
    for folder in "ab":
        note(vault, f"{folder}/n.md", folder)
        went.append(trash(vault, f"{folder}/n.md", "system", system_trash=tmp_path / "Trash"))
    assert ["n.md", "n 2.md"] == [Path(place).name for place in went]
    assert 2 == len(os.listdir(tmp_path / "Trash/info"))


def test_a_trash_that_does_not_exist_falls_back(tmp_path: Path) -> None:
    """A server has no desktop; the vault's own trash takes the note."""
    note(tmp_path / "vault", "n.md")
    went = trash(tmp_path / "vault", "n.md", "system", system_trash=tmp_path / "no" / "such" / "Trash")
    assert ".trash/n.md" == went


def test_errors_say_what_is_gone(tmp_path: Path) -> None:
    """A missing note, an emptied trash, a path out of the vault."""
    with pytest.raises(FileGone):
        trash(tmp_path, "n.md")
    with pytest.raises(FileGone):
        restore(tmp_path, ".trash/n.md", "n.md")
    with pytest.raises(PathEscape):
        trash(tmp_path, "../n.md")
    note(tmp_path, "n.md")
    went = trash(tmp_path, "n.md")
    with pytest.raises(PathEscape):
        restore(tmp_path, went, "../n.md")


@pytest.mark.skipif(os.name != "posix", reason="symlinks")
def test_a_file_behind_a_symlink_is_not_trashed(tmp_path: Path) -> None:
    """It is not the vault's to take away."""
    vault, other = tmp_path / "vault", tmp_path / "other"
    vault.mkdir()
    note(other, "o.md")
    (vault / "out").symlink_to(other)
    with pytest.raises(PathEscape):
        trash(vault, "out/o.md")
    assert (other / "o.md").exists()
