"""What setup writes into other programs' files, and that all of it can be taken back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connect.homes import CODE, FAST, PROGRAM, everything, furnished, hooks, planned, step
from genesys.connect.apply import apply, undo_all
from genesys.connect.journal import BACKUPS, Journal, load, locked
from genesys.connect.plan import Change, Refusal, Step, plan
from genesys.errors import BusyError, ConfigRefused, VaultError
from parse.test_json_patch import ROOTS, written
from support import child_env


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return furnished(tmp_path / "home")


def place(home: Path) -> Path:
    return home / ".local" / "state" / "genesys"


def set_up(home: Path, *steps: Step) -> None:
    for change in planned(*steps):
        if change.needed:
            apply(change, load(place(home)))


def take_back(home: Path) -> dict[str, str]:
    """Undo; what became of each file by its name."""
    journal = load(place(home))
    results, left = undo_all(journal)
    if left.entries:
        left.save()
    else:
        journal.close()
    return {result.file.name: result.how for result in results}


def servers(file: Path) -> Any:
    return json.loads(file.read_bytes())["mcpServers"]


@settings(max_examples=60)
@given(st.tuples(ROOTS.flatmap(written), ROOTS.flatmap(written)), st.booleans())
def test_everything_is_as_it_was(texts: tuple[str, str], bom: bool) -> None:
    """Whatever is in the files: two of them connected, then undone, and not a byte of the home differs."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        home = Path(folder)
        files = (home / "a.json", home / "b.json")
        for file, text in zip(files, texts, strict=True):
            file.write_bytes(b"\xef\xbb\xbf" * bom + text.encode())
        before = everything(home)
        for change in plan([step(files[0]), hooks(files[1]), hooks(files[0])], []):
            if isinstance(change, Change):
                apply(planned(change.step)[0], load(place(home)))
        take_back(home)
        assert before == everything(home)


def test_a_file_that_was_not_there_goes_with_its_folders(home: Path) -> None:
    """And the folders of the record with it."""
    before = everything(home)
    set_up(home, step(home / "a" / "b" / ".mcp.json"), hooks(home / ".claude" / "settings.json"))
    assert {"genesys"} == set(servers(home / "a" / "b" / ".mcp.json"))
    assert {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact"} == set(
        json.loads((home / ".claude" / "settings.json").read_bytes())["hooks"]
    )
    assert {".mcp.json": "removed", "settings.json": "removed"} == take_back(home)
    assert before == everything(home)


def test_what_a_client_wrote_since_stays(home: Path) -> None:
    """Claude Code writes its file all the time: only our entry goes."""
    file = home / ".claude.json"
    set_up(home, step(file))
    file.write_text(json.dumps({**json.loads(file.read_bytes()), "theme": "dark"}, indent=2))
    assert {".claude.json": "cut"} == take_back(home)
    assert json.dumps({"numStartups": 3, "projects": {}, "theme": "dark"}, indent=2) == file.read_text()
    assert not place(home).exists()


def test_a_file_that_is_broken_now_is_left_and_the_rest_undone(home: Path) -> None:
    """The record stays until it can be finished."""
    broken, other = home / ".claude.json", home / "other.json"
    set_up(home, step(broken), step(other))
    whole = broken.read_bytes()
    broken.write_bytes(b"{ broken")
    assert {".claude.json": "left", "other.json": "removed"} == take_back(home)
    assert b"{ broken" == broken.read_bytes()
    broken.write_bytes(whole)
    assert {".claude.json": "restored"} == take_back(home)
    assert CODE == broken.read_bytes()


def test_an_entry_that_was_made_another_s_is_not_ours_to_remove(home: Path) -> None:
    """The person put another program behind the name."""
    file = home / ".claude.json"
    set_up(home, step(file))
    other = file.read_bytes().replace(b"/opt/genesys/bin/genesys", b"/opt/other")
    file.write_bytes(other)
    assert {".claude.json": "gone"} == take_back(home)
    assert other == file.read_bytes()


def test_a_lost_backup_costs_no_undo(home: Path) -> None:
    """The entry is taken out by its text then."""
    file = home / ".claude.json"
    set_up(home, step(file))
    shutil.rmtree(place(home) / BACKUPS)
    assert {".claude.json": "cut"} == take_back(home)
    assert json.loads(CODE) == json.loads(file.read_bytes())


def test_two_setups_are_undone_in_turn(home: Path) -> None:
    """A second vault in the same file, a client's edit in between: both entries go, the edit stays."""
    file = home / ".claude.json"
    set_up(home, step(file))
    file.write_bytes(file.read_bytes().replace(b'"numStartups": 3', b'"numStartups": 5'))
    set_up(home, step(file, "/other", "genesys-other"), hooks(home / ".claude" / "settings.json"))
    assert {"genesys", "genesys-other"} == set(servers(file))
    take_back(home)
    assert CODE.replace(b"3", b"5") == file.read_bytes()
    assert not place(home).exists()


def test_a_link_stays_a_link_and_modes_stay(home: Path) -> None:
    """Dotfiles are links into a repository: its file is written, with the mode it has."""
    target = home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_bytes(CODE)
    target.chmod(0o600)
    file = home / ".claude.json"
    file.unlink()
    file.symlink_to(target)
    before = everything(home)
    set_up(home, step(file))
    assert file.is_symlink()
    assert {"genesys"} == set(servers(target))
    assert 0o600 == target.stat().st_mode & 0o777
    take_back(home)
    assert before == everything(home)


def test_backups_are_the_person_s_alone(home: Path) -> None:
    """Claude Code's file holds keys: no one else reads the copy."""
    set_up(home, step(home / ".claude.json"))
    for path in (place(home), *place(home).rglob("*")):
        assert not path.stat().st_mode & 0o077, path


def test_what_a_client_writes_meanwhile_stays(home: Path) -> None:
    """The file changed between plan and write: our entry goes into what it is now, and out of it again."""
    file = home / ".claude.json"
    (change,) = planned(step(file))
    file.write_bytes(b'{"theme": "dark"}')
    before = everything(home)
    apply(change, load(place(home)))
    assert {"theme", "mcpServers"} == set(json.loads(file.read_bytes()))
    take_back(home)
    assert before == everything(home)


def test_what_became_impossible_meanwhile_is_refused(home: Path) -> None:
    """Nothing is written, and nothing remains to undo."""
    file = home / ".claude.json"
    (change,) = planned(step(file))
    for now in (b"{", b'{"mcpServers": {"genesys": {"command": "other"}}}'):
        file.write_bytes(now)
        before = everything(home)
        with pytest.raises(ConfigRefused, match="changed meanwhile"):
            apply(change, load(place(home)))
        assert before == everything(home)


def test_what_somebody_else_did_meanwhile_is_not_done_twice(home: Path) -> None:
    """The entry is there already: there is nothing to undo either."""
    file = home / ".claude.json"
    (change,) = planned(step(file))
    file.write_bytes(change.after)
    before = everything(home)
    assert not apply(change, load(place(home))).entries
    assert before == everything(home)


def test_a_write_that_fails_leaves_nothing_behind(home: Path) -> None:
    """Not even the folder of the record."""
    (change,) = planned(step(home / "new" / "x.json"))
    (home / "new").write_bytes(b"a file where a folder must be")
    before = everything(home)
    with pytest.raises(ConfigRefused, match=r"new/x\.json"):
        apply(change, load(place(home)))
    assert before == everything(home)


def test_where_no_backup_can_be_kept_nothing_changes(home: Path) -> None:
    """Neither the file nor the record, and the error names what could not be written."""
    place(home).mkdir(parents=True)
    (place(home) / "setup-backups").write_bytes(b"a file where a folder must be")
    (change,) = planned(step(home / ".claude.json"))
    before = everything(home)
    with pytest.raises(VaultError, match="setup-backups"):
        apply(change, load(place(home)))
    assert before == everything(home)


@pytest.mark.parametrize("kind", ["folder", "hard link", "loop", "no JSON", "UTF-16", "servers twice"])
def test_what_must_be_left_alone_is(home: Path, kind: str) -> None:
    """It is refused in the plan, so nothing is written at all."""
    file = home / "x.json"
    if kind == "folder":
        file.mkdir()
    elif kind == "hard link":
        os.link(home / ".claude.json", file)
    elif kind == "loop":
        file.symlink_to(file)
    else:
        text = {"no JSON": b"{", "UTF-16": "{}".encode("utf-16")}
        file.write_bytes(text.get(kind, b'{"mcpServers": {}, "mcpServers": {}}'))
    before = everything(home)
    (refusal,) = plan([step(file)], [])
    assert isinstance(refusal, Refusal)
    assert refusal.reason
    assert before == everything(home)


def test_a_second_setup_has_nothing_to_do(home: Path) -> None:
    """Neither for a server nor for hooks."""
    steps = (step(home / ".claude.json"), hooks(home / ".claude" / "settings.json"))
    set_up(home, *steps)
    before = everything(home)
    assert [False, False] == [change.needed for change in planned(*steps)]
    set_up(home, *steps)
    assert before == everything(home)


def test_the_name_of_another_is_not_taken(home: Path) -> None:
    """Whether it is another program, another vault, or ours as somebody else wrote it."""
    file = home / "x.json"
    for entry, word in (
        ({"command": "/usr/bin/other"}, "another server"),
        (
            {"command": "genesys", "args": ["serve", "--vault", "/work notes"]},
            "another vault there: /work notes",
        ),
        ({"command": "genesys", "args": ["serve", "--vault=/notes"]}, "did not write"),
        ({"command": "/opt/genesys/bin/genesys", "args": ["serve"]}, "none that is named"),
        ("text", "another server"),
    ):
        file.write_text(json.dumps({"mcpServers": {"genesys": entry}}))
        (refusal,) = plan([step(file)], [])
        assert isinstance(refusal, Refusal)
        assert refusal.taken
        assert word in refusal.reason


def test_the_same_server_by_another_s_hand_is_enough(home: Path) -> None:
    """It is connected already, whatever settings it has besides."""
    server = {"command": PROGRAM[0], "args": ["serve", "--vault=/notes"], "env": {"GENESYS_THREADS": "2"}}
    (home / "x.json").write_text(json.dumps({"mcpServers": {"genesys": server}}))
    assert [False] == [change.needed for change in planned(step(home / "x.json"))]


def test_what_setup_wrote_follows_the_program(home: Path) -> None:
    """Installed anew elsewhere, its own older entries are replaced, and only those."""
    file, other = home / ".claude.json", home / "settings.json"
    set_up(home, step(file), hooks(other))
    moved = (
        file.read_bytes().replace(b"/opt/genesys", b"/old"),
        other.read_bytes().replace(b"/opt/genesys", b"/old"),
    )
    record = (place(home) / "setup.json").read_bytes().replace(b"/opt/genesys", b"/old")
    (place(home) / "setup.json").write_bytes(record)
    file.write_bytes(moved[0])
    other.write_bytes(moved[1])
    ours = load(place(home)).ours
    for change in plan([step(file), hooks(other)], ours):
        assert isinstance(change, Change)
        assert b"/old/" not in change.after
        assert change.after.count(b"/opt/genesys") in (1, 4)
    assert isinstance(plan([step(file)], [])[0], Refusal)


def test_a_whole_file_of_ours(home: Path) -> None:
    """Created and removed; a person's own is refused, and what they made of ours stays."""
    file = home / "Notes" / "x.base"
    whole = Step("dashboard", file, content=b"views: []\n")
    before = everything(home)
    set_up(home, whole)
    assert b"views: []\n" == file.read_bytes()
    assert {"x.base": "removed"} == take_back(home)
    assert before == everything(home)
    set_up(home, whole)
    file.write_bytes(b"mine")
    assert {"x.base": "kept"} == take_back(home)
    assert isinstance(plan([whole], [])[0], Refusal)
    assert isinstance(plan([Step("d", file, content=b"n", replaceable=lambda raw: True)], [])[0], Change)


def test_one_setup_at_a_time(home: Path) -> None:
    """The second says so; the lock leaves nothing behind."""
    before = everything(home)
    with locked(place(home)), pytest.raises(BusyError), locked(place(home)):
        pass
    assert before == everything(home)


def test_a_folder_for_the_record_that_was_there_stays(home: Path) -> None:
    """With what else is in it; other folders that came with setup go."""
    place(home).mkdir(parents=True)
    (place(home) / "other").write_bytes(b"x")
    before = everything(home)
    cache = home / ".cache" / "deep"
    cache.mkdir(parents=True)
    Journal(place(home), folders=(str(home / ".cache"), str(cache))).save()
    load(place(home)).close()
    assert before == everything(home)


def test_a_damaged_record_is_named(home: Path) -> None:
    """With where the backups are."""
    Journal(place(home)).save()
    (place(home) / "setup.json").write_bytes(b"[]")
    with pytest.raises(ConfigRefused) as refused:
        load(place(home))
    assert str(place(home)) in refused.value.hint


@pytest.mark.skipif(not hasattr(os, "fork"), reason="ends forked processes")
def test_killed_at_any_moment_it_can_be_undone() -> None:
    """Setup or undo ends before each of its changes of the disk; an undo afterwards restores everything."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "killing.py")],
        env=child_env(), capture_output=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    assert 40 < int(done.stdout)
