"""What a hostile vault or a kill at the worst moment can't do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from genesys.ignore import make_rules
from genesys.swap import move_new
from genesys.write import MARK, PART, TEMP_PREFIX, content_hash, move_into, sweep_temp
from support import child_env

OLD = 10_000_000_000.0  # a time at which every file here is old


def temp_of(folder: Path, held: bytes, *marks: str) -> Path:
    file = folder / f"{TEMP_PREFIX}{'-'.join([*marks, 'feed'])}"
    file.write_bytes(held)
    return file


def test_a_save_that_a_killed_write_displaced_comes_back_as_a_note(tmp_path: Path) -> None:
    """Neither the new nor the old text of the note: so it is a person's, and stays."""
    temp_of(tmp_path, b"precious", content_hash(b"new")[:MARK], content_hash(b"old")[:MARK])
    sweep_temp(tmp_path, now=OLD)
    assert ["Recovered note.md"] == os.listdir(tmp_path)
    assert b"precious" == (tmp_path / "Recovered note.md").read_bytes()


@pytest.mark.parametrize("held", [b"new", b"old"])
def test_what_is_ours_is_swept(tmp_path: Path, held: bytes) -> None:
    """The text that was to be written, or the one that it replaced, is nobody's loss."""
    temp_of(tmp_path, held, content_hash(b"new")[:MARK], content_hash(b"old")[:MARK])
    temp_of(tmp_path, b"half a te", PART)
    assert 2 == sweep_temp(tmp_path, now=OLD)
    assert [] == os.listdir(tmp_path)


def test_a_move_leaves_one_name_and_replaces_nothing(tmp_path: Path) -> None:
    """No hard link stays behind; a place that is taken stays as it is."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("1", encoding="utf-8")
    move_into(str(one), str(other))
    assert 1 == other.stat().st_nlink
    one.write_text("2", encoding="utf-8")
    with pytest.raises(FileExistsError):
        move_into(str(one), str(other))
    assert ("2", "1") == (one.read_text(encoding="utf-8"), other.read_text(encoding="utf-8"))


@pytest.mark.skipif(sys.platform != "linux", reason="the call is the system's own")
def test_the_system_moves_without_replacing(tmp_path: Path) -> None:
    """One step, so there is no moment with two names."""
    (tmp_path / "a").write_text("x", encoding="utf-8")
    assert move_new(str(tmp_path / "a"), str(tmp_path / "b"))
    assert ["b"] == os.listdir(tmp_path)


@pytest.mark.parametrize("pattern", ["**********b", "a**********b", "*a*a*a*a*a*a*b", "x/*a*a*a*a*a*b"])
def test_no_ignore_pattern_takes_long(pattern: str) -> None:
    """Stars in a row are one; more than a few in one name are refused with a word."""
    rules = make_rules(ignore_text=pattern + "\nDrafts/\n")
    code = (
        "import sys; from genesys.ignore import make_rules; r = make_rules(ignore_text=sys.argv[1]);"
        "r.file('x/' + 'a' * 200 + '.md')"
    )
    subprocess.run([sys.executable, "-c", code, pattern], env=child_env(), check=True, timeout=60)
    assert rules.file("Drafts/x.md")


def test_two_stars_keep_their_meaning() -> None:
    """A whole name of two stars is any number of folders."""
    rules = make_rules(ignore_text="**/deep/*.md\nTop/**\n")
    assert rules.file("a/b/deep/x.md")
    assert rules.file("Top/a/b.md")
    assert not rules.file("a/b/other.md")


@pytest.mark.parametrize(
    "args", [("index",), ("status",), ("daemon", "start"), ("daemon", "stop")], ids=" ".join
)
def test_what_lies_in_the_vault_is_never_imported(tmp_path: Path, args: tuple[str, ...]) -> None:
    """Modules with the names of libraries, in the folder that a person works in."""
    for name in ("apsw", "pickle", "numpy", "mcp", "typer", "yaml"):
        (tmp_path / f"{name}.py").write_text("open('PWNED', 'w').close()\n", encoding="utf-8")
    for number in range(320):  # enough for workers
        (tmp_path / f"n{number}.md").write_text(f"note {number}\n", encoding="utf-8")
    env = child_env(tmp_path, {"GENESYS_EMBEDDER": "fake", "GENESYS_WORKERS": "2"})
    subprocess.run(
        [sys.executable, "-m", "genesys", *args], cwd=tmp_path, env=env, capture_output=True, check=False
    )
    subprocess.run(
        [sys.executable, "-m", "genesys", "daemon", "stop"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        check=False,
    )
    assert not (tmp_path / "PWNED").exists()
