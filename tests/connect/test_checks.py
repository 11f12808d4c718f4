"""What doctor says of clients: a line each, and the one thing that mends what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from connect.homes import furnished, hooks, planned, step
from genesys.accounts import Check
from genesys.connect.apply import apply
from genesys.connect.checks import examine_clients
from genesys.connect.entries import Server, hook_additions, server_addition
from genesys.connect.journal import load
from genesys.connect.plan import Step


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "Notes").mkdir(parents=True)
    return furnished(tmp_path / "home")


@pytest.fixture
def program(tmp_path: Path) -> str:
    (tmp_path / "genesys").touch(mode=0o755)
    return str(tmp_path / "genesys")


def look(home: Path, vault: Path | None = None) -> list[Check]:
    env = {"HOME": str(home), "PATH": ""}
    return list(examine_clients(vault or home / "Notes", env, home / "Notes"))


def named(checks: list[Check], name: str) -> Check:
    (found,) = [check for check in checks if check.name == name]
    return found


def write(file: Path, program: str, vault: Path) -> None:
    item = server_addition(Server((program,), str(vault)))
    file.write_text(json.dumps({"mcpServers": {item.name: item.value}}), encoding="utf-8")


def test_without_a_client_there_is_nothing_to_mend(tmp_path: Path) -> None:
    """One line, and it is fine."""
    (check,) = look(tmp_path)
    assert (True, False, "") == (check.ok, check.warning, check.fix)


def test_a_client_that_is_not_connected_is_a_warning_with_its_command(home: Path) -> None:
    """Each client has a line; hooks are offered."""
    checks = look(home)
    for key in ("code", "desktop"):
        check = named(checks, key)
        assert (True, True) == (check.ok, check.warning)
        assert check.fix == f"genesys setup {home / 'Notes'} --client {key}"
    assert "genesys setup --hooks" in named(checks, "hooks").detail


def test_a_connected_client_is_fine(home: Path, program: str) -> None:
    """By whatever name the vault goes, and also where one project alone is connected."""
    (home / "link").symlink_to(home / "Notes")
    write(home / ".config/Claude/claude_desktop_config.json", program, home / "link")
    item = server_addition(Server((program,), str(home / "Notes")))
    project = {"projects": {"/p": {"mcpServers": {"notes": item.value}}, "/q": 3}}
    (home / ".claude.json").write_text(json.dumps(project))
    checks = look(home)
    for key in ("code", "desktop"):
        assert (True, False) == (named(checks, key).ok, named(checks, key).warning)


def test_another_vault_is_named(home: Path, program: str) -> None:
    """With a command that connects this one beside it."""
    other = home / "Other"
    other.mkdir()
    write(home / ".claude.json", program, other)
    check = named(look(home), "code")
    assert check.warning
    assert str(other) in check.detail
    assert "--name" in check.fix


def test_what_leads_nowhere_fails(home: Path, program: str) -> None:
    """A program or a vault that is gone; what setup wrote, setup mends, the rest is named for removal."""
    file, desktop = home / ".claude.json", home / ".config/Claude/claude_desktop_config.json"
    notes = home / "Notes"
    write(file, "/gone/genesys", notes)
    write(desktop, program, home / "Gone")
    checks = [check for check in look(home) if not check.ok]
    assert ["code", "desktop"] == [check.name for check in checks]
    assert "/gone/genesys, which is not there" in checks[0].detail
    assert "claude mcp remove genesys" == checks[0].fix
    assert str(home / "Gone") in checks[1].detail
    assert f'take "genesys" out of "{desktop}"' == checks[1].fix


def test_what_setup_wrote_is_mended_by_setup(home: Path) -> None:
    """A program that moved by setting up again, a vault that is gone by undoing."""
    file, settings = home / ".claude.json", home / ".claude" / "settings.json"
    for change in planned(step(file, str(home / "Notes")), hooks(settings, str(home / "Gone"))):
        apply(change, load(home / ".local/state/genesys"))
    checks = [check for check in look(home) if not check.ok]
    assert [("code", f"genesys setup {home / 'Notes'}"), ("hooks", "genesys setup --undo")] == [
        (check.name, check.fix) for check in checks
    ]


def test_hooks_are_whole_or_named(home: Path, program: str) -> None:
    """All four, or which are missing."""
    file = home / ".claude" / "settings.json"
    items = hook_additions(Server((program,), str(home / "Notes")), "linux")
    (change,) = planned(Step("hooks", file, items[:3]))
    file.write_bytes(change.after)
    check = named(look(home), "hooks")
    assert check.warning
    assert "without pre-compact" in check.detail
    (change,) = planned(Step("hooks", file, items))
    file.write_bytes(change.after)
    assert "session-start, user-prompt, stop, pre-compact" in named(look(home), "hooks").detail


def test_a_file_that_cannot_be_read_is_named(home: Path) -> None:
    """It is the client's to complain about; we warn."""
    (home / ".claude.json").write_bytes(b"{")
    (home / ".claude" / "settings.json").write_bytes(b"\xff\xfe")
    (home / "Notes" / ".mcp.json").write_bytes(b"[]")
    checks = look(home)
    assert "not valid JSON (line 1" in named(checks, "code").detail
    assert "UTF-8" in named(checks, "hooks").detail
    assert all(check.ok for check in checks)
