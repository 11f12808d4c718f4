"""What Obsidian keeps on disk: the list of a person's vaults, and the settings of one vault.

Everything here is written by another program: whatever is missing, broken or of the wrong type counts
as not set.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from genesys.errors import VaultNotFound

__all__ = ["ObsidianConfig", "find_vault", "obsidian_config", "registered_vaults", "registry_files"]

_MARKS = (".obsidian", ".genesys")
_HINT = "Give the vault's folder with --vault or GENESYS_VAULT."


@dataclass(frozen=True, slots=True)
class ObsidianConfig:
    """Settings of a vault that concern us. Folders are vault-relative, without outer slashes."""

    ignore_filters: tuple[str, ...] = ()
    attachment_folder: str = ""
    trash_option: str = "system"
    new_file_location: str = "root"
    new_file_folder: str = ""
    template_folders: tuple[str, ...] = ()
    daily_folder: str = ""
    daily_format: str = "YYYY-MM-DD"


def obsidian_config(vault: Path) -> ObsidianConfig:
    """The settings in ``.obsidian``; Obsidian's own defaults where there are none."""
    folder = vault / ".obsidian"
    app, daily = _object(folder / "app.json"), _object(folder / "daily-notes.json")
    filters = app.get("userIgnoreFilters")
    trash = _text(app, "trashOption")
    return ObsidianConfig(
        ignore_filters=tuple(f for f in filters if isinstance(f, str)) if isinstance(filters, list) else (),
        attachment_folder=_text(app, "attachmentFolderPath").strip("/"),
        trash_option=trash if trash in ("system", "local", "none") else "system",
        new_file_location=_text(app, "newFileLocation") or "root",
        new_file_folder=_text(app, "newFileFolderPath").strip("/"),
        template_folders=tuple(_template_folders(folder)),
        daily_folder=_text(daily, "folder").strip("/"),
        daily_format=_text(daily, "format") or "YYYY-MM-DD",
    )


def _template_folders(folder: Path) -> Iterator[str]:
    """The folder of the core plugin, and of Templater, where they are not switched off."""
    core = _json(folder / "core-plugins.json")
    off = (isinstance(core, dict) and core.get("templates") is False) or (
        isinstance(core, list) and "templates" not in core
    )
    own = "" if off else _text(_object(folder / "templates.json"), "folder").strip("/")
    plugins = _json(folder / "community-plugins.json")
    templater = ""
    if isinstance(plugins, list) and "templater-obsidian" in plugins:
        data = _object(folder / "plugins" / "templater-obsidian" / "data.json")
        templater = _text(data, "templates_folder").strip("/")
    yield from dict.fromkeys(filter(None, (own, templater)))


def find_vault(explicit: Path | None, cwd: Path, env: Mapping[str, str]) -> Path:
    """The vault that is meant: the one named, the enclosing one, or the only one that Obsidian knows.

    Raises :class:`VaultNotFound`, with the vaults to choose from where there are several.
    """
    named = str(explicit) if explicit is not None else env.get("GENESYS_VAULT", "").strip()
    if named:
        vault = cwd / Path(named).expanduser()
        if vault.is_file():
            raise VaultNotFound(
                f"{vault} is a file, and a vault is a folder", hint=f'--vault "{vault.parent}"'
            )
        if not vault.is_dir():
            raise VaultNotFound(f"no folder at {vault}", hint="Is it spelled right, and its disk mounted?")
        return Path(os.path.abspath(vault))
    enclosing = _enclosing(cwd, env)
    if enclosing is not None:
        return enclosing
    known = registered_vaults(env)
    if len(known) == 1:
        return known[0]
    if known:
        names = ", ".join(str(vault) for vault in known)
        raise VaultNotFound(f"Obsidian knows several vaults: {names}", hint=_HINT)
    raise VaultNotFound("no vault here, and Obsidian knows of none", hint=_HINT)


def _enclosing(cwd: Path, env: Mapping[str, str]) -> Path | None:
    home = env.get("HOME") or env.get("USERPROFILE") or ""
    for folder in (cwd, *cwd.parents):
        # A home folder with someone's .obsidian or our .genesys in it is no vault of notes.
        if str(folder) == home and folder != cwd:
            return None
        if any((folder / mark).is_dir() for mark in _MARKS):
            return folder
    return None


def registered_vaults(env: Mapping[str, str]) -> tuple[Path, ...]:
    """The vaults in Obsidian's registry that exist, the most recently opened first."""
    found: dict[str, float] = {}
    for file in registry_files(env):
        vaults = _object(file).get("vaults")
        for entry in vaults.values() if isinstance(vaults, dict) else ():
            path = entry.get("path") if isinstance(entry, dict) else None
            if isinstance(path, str) and path and os.path.isdir(path):
                stamp = entry.get("ts")
                found.setdefault(os.path.realpath(path), stamp if isinstance(stamp, int | float) else 0)
    return tuple(Path(path) for path in sorted(found, key=lambda p: (-found[p], p)))


def registry_files(env: Mapping[str, str], platform: str = sys.platform) -> tuple[Path, ...]:
    """Where Obsidian may keep its registry on this system: plain, Flatpak and Snap."""
    home = Path(env.get("HOME") or env.get("USERPROFILE") or "/nonexistent")
    if platform == "darwin":
        folders = [home / "Library/Application Support/obsidian"]
    elif platform == "win32":
        folders = [Path(env.get("APPDATA") or home / "AppData/Roaming") / "obsidian"]
    else:
        folders = [
            Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "obsidian",
            home / ".var/app/md.obsidian.Obsidian/config/obsidian",
            home / "snap/obsidian/current/.config/obsidian",
        ]
    return tuple(folder / "obsidian.json" for folder in folders)


def _json(file: Path) -> Any:
    try:
        raw = file.read_bytes()
    except OSError:
        return None
    import json  # most vaults without .obsidian never need it

    try:
        return json.loads(raw.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def _object(file: Path) -> dict[str, Any]:
    value = _json(file)
    return value if isinstance(value, dict) else {}


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value if isinstance(value, str) else ""
