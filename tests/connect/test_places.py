"""Where clients keep their files, by system and environment; and how they start us."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from genesys.connect.entries import (
    Server,
    hook_additions,
    hooks_of,
    program,
    server_addition,
    server_of,
)
from genesys.connect.places import (
    claude_code,
    claude_desktop,
    code_settings,
    desktop_folders,
    state_folder,
)
from genesys.errors import ConfigRefused

LINUX = {"HOME": "/home/ann"}
MAC = {"HOME": "/Users/ann"}
WINDOWS = {"USERPROFILE": "C:/Ann", "HOME": "C:/msys", "APPDATA": "C:/Roaming", "LOCALAPPDATA": "C:/Local"}
APPLICATIONS = "/Users/ann/Library/Application Support"

# Environment, system, and there: Claude Code's file, its hooks, Claude Desktop's folder, our record.
PLACES = {
    "linux": (
        LINUX,
        "linux",
        "/home/ann/.claude.json",
        "/home/ann/.claude/settings.json",
        "/home/ann/.config/Claude",
        "/home/ann/.local/state/genesys",
    ),
    "linux with XDG": (
        LINUX | {"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"},
        "linux",
        "/home/ann/.claude.json",
        "/home/ann/.claude/settings.json",
        "/c/Claude",
        "/s/genesys",
    ),
    "claude elsewhere": (
        LINUX | {"CLAUDE_CONFIG_DIR": "/cc"},
        "linux",
        "/cc/.claude.json",
        "/cc/settings.json",
        "/home/ann/.config/Claude",
        "/home/ann/.local/state/genesys",
    ),
    "macOS": (
        MAC,
        "darwin",
        "/Users/ann/.claude.json",
        "/Users/ann/.claude/settings.json",
        f"{APPLICATIONS}/Claude",
        f"{APPLICATIONS}/genesys",
    ),
    "Windows": (
        WINDOWS,
        "win32",
        "C:/Ann/.claude.json",
        "C:/Ann/.claude/settings.json",
        "C:/Roaming/Claude",
        "C:/Local/genesys",
    ),
    "Windows without variables": (
        {"USERPROFILE": "C:/Ann"},
        "win32",
        "C:/Ann/.claude.json",
        "C:/Ann/.claude/settings.json",
        "C:/Ann/AppData/Roaming/Claude",
        "C:/Ann/AppData/Local/genesys",
    ),
}


@pytest.mark.parametrize(
    ("env", "platform", "code", "hooks", "desktop", "state"), PLACES.values(), ids=PLACES
)
def test_each_system_has_its_places(
    env: dict[str, str], platform: str, code: str, hooks: str, desktop: str, state: str
) -> None:
    """Pure functions of platform and environment; nothing of the machine that runs this is looked at."""
    assert Path(code) == claude_code(env, platform).file
    assert Path(hooks) == code_settings(env, platform)
    assert (Path(desktop),) == desktop_folders(env, platform)
    (client,) = claude_desktop(env, platform)
    assert (Path(desktop) / "claude_desktop_config.json", False) == (client.file, client.present)
    assert Path(state) == state_folder(env, platform)


def test_a_desktop_from_the_store_has_a_folder_of_its_own(tmp_path: Path) -> None:
    """Both are connected where both are there."""
    store = tmp_path / "Local/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude"
    store.mkdir(parents=True)
    env = {"LOCALAPPDATA": str(tmp_path / "Local"), "APPDATA": str(tmp_path / "Roaming")}
    assert [store] == [client.file.parent for client in claude_desktop(env, "win32")]
    (tmp_path / "Roaming/Claude").mkdir(parents=True)
    assert [store, tmp_path / "Roaming/Claude"] == [c.file.parent for c in claude_desktop(env, "win32")]


def test_claude_code_is_there_by_any_trace(tmp_path: Path) -> None:
    """Its folder, its file, or its command; an older file is read before the newer by Claude Code itself."""
    env = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin")}
    assert not claude_code(env, "linux").present
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").touch(mode=0o755)
    assert claude_code(env, "linux").present
    (tmp_path / "bin" / "claude").unlink()
    (tmp_path / ".claude").mkdir()
    assert claude_code(env, "linux").present
    (tmp_path / ".claude" / ".config.json").write_text("{}")
    assert tmp_path / ".claude" / ".config.json" == claude_code(env, "linux").file


def test_the_command_is_the_one_that_runs(tmp_path: Path) -> None:
    """By its full path; a link to it stays a link, so that an upgrade behind it breaks nothing."""
    venv, links = tmp_path / "venv", tmp_path / "links"
    for folder in (venv, links):
        folder.mkdir()
    (venv / "genesys").touch(mode=0o755)
    (links / "genesys").symlink_to(venv / "genesys")
    python = str(venv / "python")
    assert (str(links / "genesys"),) == program(str(links / "genesys"), python, "linux")
    assert (str(venv / "genesys"),) == program("/x/genesys/__main__.py", python, "linux")
    assert ("/usr/bin/python3", "-P", "-m", "genesys") == program("__main__.py", "/usr/bin/python3", "linux")
    (venv / "genesys.exe").touch(mode=0o755)
    assert (str(venv / "genesys.exe"),) == program("x", str(venv / "python.exe"), "win32")


VAULTS = ["/My Notes", '/it\'s "mine"', "/日記", "C:\\Notes\\new", "/$HOME `x` & y;", "/-v"]


@pytest.mark.parametrize("vault", VAULTS)
@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_any_vault_can_be_named(vault: str, platform: str) -> None:
    """What is written is read back as the same program and the same vault, by the shell's rules too."""
    server = Server(("/opt/a b/genesys",), vault)
    assert server == server_of(server_addition(server).value)
    hooks = hook_additions(server, platform)
    words = ["session-start", "user-prompt", "stop", "pre-compact"]
    assert [((server, word),) for word in words] == [hooks_of(item.value) for item in hooks]
    assert ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact"] == [item.path[1] for item in hooks]


def test_a_hook_has_the_settings_of_its_server() -> None:
    """They stand before the command, and it is known all the same."""
    server = Server(("/opt/genesys",), "/n", (("GENESYS_INDEX", "/my index.db"),))
    (element,) = [item.value for item in hook_additions(server, "linux") if item.path[1] == "Stop"]
    assert ((server, "stop"),) == hooks_of(element)
    assert "GENESYS_INDEX='/my index.db' /opt/genesys hook stop --vault /n" in str(element)


@pytest.mark.parametrize("vault", [os.fsdecode(b"/not-\xff-utf8"), "/a/${HOME}/b"])
def test_a_vault_that_no_config_can_name_is_refused(vault: str) -> None:
    """Bytes that are no text, and what Claude Code would take for a variable."""
    with pytest.raises(ConfigRefused) as refused:
        server_addition(Server(("genesys",), vault))
    assert "symlink" in refused.value.hint


OURS: list[tuple[Any, Server | None]] = [
    ({"command": "genesys", "args": ["serve", "--vault", "/n"]}, Server(("genesys",), "/n")),
    ({"command": "C:\\Genesys.EXE", "args": ["serve", "--vault=/n"]}, Server(("C:\\Genesys.EXE",), "/n")),
    ({"command": "python", "args": ["-P", "-m", "genesys", "serve", "-v", "/n"]},
     Server(("python", "-P", "-m", "genesys"), "/n")),
    ({"command": "genesys", "args": ["serve"], "env": {"GENESYS_VAULT": "/n"}}, Server(("genesys",), "/n")),
    ({"command": "genesys", "args": ["serve"]}, Server(("genesys",), "")),
    ({"command": "other", "args": ["serve", "--vault", "/n"]}, None),
    ({"command": "genesys", "args": ["recall"]}, None),
    ({"url": "x"}, None),
    ({"command": 3, "args": "serve"}, None),
    (None, None),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "server"), OURS, ids=range(len(OURS)))
def test_our_server_is_known_whoever_wrote_it(entry: Any, server: Server | None) -> None:
    """By what it starts and not by its name."""
    assert server == server_of(entry)


@pytest.mark.parametrize(
    "element", [None, [], {"hooks": 3}, {"hooks": [{"command": "it's"}, {}, {"command": 1}]}]
)
def test_a_hook_that_is_none_of_ours(element: Any) -> None:
    """Whatever shape it has."""
    assert () == hooks_of(element)
