"""Where the clients keep their files, by system and environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Client",
    "claude_code",
    "claude_desktop",
    "code_settings",
    "desktop_folders",
    "home",
    "project",
    "project_settings",
    "state_folder",
]

Env = Mapping[str, str]

DESKTOP_FILE = "claude_desktop_config.json"


@dataclass(frozen=True, slots=True)
class Client:
    """A program that starts MCP servers, and the file that tells it which. ``present`` is whether there is
    a trace of it on this machine."""

    key: str
    title: str
    file: Path
    present: bool


def home(env: Env, platform: str = sys.platform) -> Path:
    names = ("USERPROFILE", "HOME") if platform == "win32" else ("HOME", "USERPROFILE")
    return Path(next(filter(None, map(env.get, names)), None) or os.path.expanduser("~"))


def state_folder(env: Env, platform: str = sys.platform) -> Path:
    """Where the record of what setup did is kept until it is undone."""
    own = home(env, platform)
    if platform == "darwin":
        return own / "Library/Application Support/genesys"
    if platform == "win32":
        return Path(env.get("LOCALAPPDATA") or own / "AppData/Local") / "genesys"
    return Path(env.get("XDG_STATE_HOME") or own / ".local/state") / "genesys"


def claude_code(env: Env, platform: str = sys.platform) -> Client:
    """Claude Code, for all projects of this person."""
    folder = _code_folder(env, platform)
    file = Path(env.get("CLAUDE_CONFIG_DIR") or home(env, platform)) / ".claude.json"
    older = folder / ".config.json"  # read first, where it exists
    present = folder.is_dir() or file.exists() or _on_path("claude", env)
    return Client("code", "Claude Code", older if older.is_file() else file, present)


def code_settings(env: Env, platform: str = sys.platform) -> Path:
    """Claude Code's settings of this person, hooks among them."""
    return _code_folder(env, platform) / "settings.json"


def _code_folder(env: Env, platform: str) -> Path:
    return Path(env.get("CLAUDE_CONFIG_DIR") or home(env, platform) / ".claude")


def claude_desktop(env: Env, platform: str = sys.platform) -> tuple[Client, ...]:
    """Claude Desktop: each installation there is a trace of, else the usual one."""
    folders = desktop_folders(env, platform)
    there = [folder for folder in folders if folder.is_dir()]
    return tuple(
        Client("desktop", "Claude Desktop", folder / DESKTOP_FILE, folder in there)
        for folder in there or folders[-1:]
    )


def desktop_folders(env: Env, platform: str = sys.platform) -> tuple[Path, ...]:
    """Where Claude Desktop may keep its file; the usual folder is the last."""
    own = home(env, platform)
    if platform == "darwin":
        return (own / "Library/Application Support/Claude",)
    if platform == "win32":
        local = Path(env.get("LOCALAPPDATA") or own / "AppData/Local")
        # Installed from the store it lives in a folder of its own, and sees no other.
        store = sorted((local / "Packages").glob("Claude_*/LocalCache/Roaming/Claude"))
        return (*store, Path(env.get("APPDATA") or own / "AppData/Roaming") / "Claude")
    return (Path(env.get("XDG_CONFIG_HOME") or own / ".config") / "Claude",)


def project(folder: Path) -> Client:
    """What a project tells Claude Code, and any other client that reads ``.mcp.json``."""
    return Client("project", f"project {folder.name}", folder / ".mcp.json", folder.is_dir())


def project_settings(folder: Path) -> Path:
    return folder / ".claude" / "settings.json"


def _on_path(name: str, env: Env) -> bool:
    import shutil

    return shutil.which(name, path=env.get("PATH", "")) is not None
