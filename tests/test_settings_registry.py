"""Which vault is meant, and what Obsidian's own files say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genesys.errors import VaultNotFound
from genesys.registry import ObsidianConfig, find_vault, obsidian_config, registered_vaults, registry_files


def make_vault(path: Path, mark: str = ".obsidian") -> Path:
    (path / mark).mkdir(parents=True)
    return path


def register(home: Path, *vaults: Path, folder: str = ".config/obsidian") -> dict[str, str]:
    (home / folder).mkdir(parents=True, exist_ok=True)
    entries = {f"id{n}": {"path": str(v), "ts": n} for n, v in enumerate(vaults)}
    (home / folder / "obsidian.json").write_text(json.dumps({"vaults": entries}))
    return {"HOME": str(home)}


def test_the_named_vault_beats_all(tmp_path: Path) -> None:
    """An argument, then the variable, then the folder one is in, then Obsidian's only vault."""
    one, two, three, four = (make_vault(tmp_path / name) for name in ("one", "two", "three", "four"))
    env = register(tmp_path / "home", four)
    named = {**env, "GENESYS_VAULT": str(two)}
    deep = three / "a" / "b"
    deep.mkdir(parents=True)
    assert one == find_vault(one, deep, named)
    assert two == find_vault(None, deep, named)
    assert three == find_vault(None, deep, env)
    assert four == find_vault(None, tmp_path, env)


@pytest.mark.parametrize("mark", [".obsidian", ".genesys"])
def test_a_vault_is_known_by_its_marks(tmp_path: Path, mark: str) -> None:
    """Obsidian's folder or ours; the nearest one up."""
    outer = make_vault(tmp_path / "outer", mark)
    inner = make_vault(outer / "sub" / "inner", mark)
    assert inner == find_vault(None, inner, {})
    assert outer == find_vault(None, outer / "sub", {})


def test_a_home_folder_is_no_enclosing_vault(tmp_path: Path) -> None:
    """Someone's ``~/.obsidian`` must not make every folder below home a vault."""
    make_vault(tmp_path)
    (tmp_path / "work").mkdir()
    with pytest.raises(VaultNotFound):
        find_vault(None, tmp_path / "work", {"HOME": str(tmp_path)})
    assert tmp_path == find_vault(None, tmp_path, {"HOME": str(tmp_path)})


def test_several_vaults_are_listed(tmp_path: Path) -> None:
    """The error names them, the most recent first, and says how to choose."""
    vaults = [make_vault(tmp_path / name) for name in ("old", "new")]
    with pytest.raises(VaultNotFound) as caught:
        find_vault(None, tmp_path, register(tmp_path / "home", *vaults))
    assert f"{vaults[1]}, {vaults[0]}" in caught.value.message
    assert "--vault" in caught.value.hint


def test_a_missing_vault_says_so(tmp_path: Path) -> None:
    """Named but not there, or none at all."""
    for vault in (tmp_path / "none", Path("none")):
        with pytest.raises(VaultNotFound, match="no folder at"):
            find_vault(vault, tmp_path, {})
    with pytest.raises(VaultNotFound, match="knows of none"):
        find_vault(None, tmp_path, {"HOME": str(tmp_path / "home")})


def test_registered_vaults_that_are_gone_do_not_count(tmp_path: Path) -> None:
    """Nor do broken entries; one vault in two registries is one."""
    vault = make_vault(tmp_path / "v")
    env = register(tmp_path, vault, tmp_path / "gone")
    register(tmp_path, vault, folder=".var/app/md.obsidian.Obsidian/config/obsidian")
    register(tmp_path, vault, folder="snap/obsidian/current/.config/obsidian")
    assert (vault,) == registered_vaults(env)
    for broken in (
        "",
        "[]",
        '{"vaults": 3}',
        '{"vaults": {"a": 1, "b": {"path": 4}}}',
        '{"vaults": ',
        "[" * 99999,
    ):
        (tmp_path / ".config/obsidian/obsidian.json").write_text(broken)
        assert (vault,) == registered_vaults(env)


def test_each_system_keeps_the_registry_elsewhere() -> None:
    """macOS, Windows and Linux, the last with XDG, Flatpak and Snap."""
    env = {"HOME": "/h", "APPDATA": "/roaming"}
    assert (
        "/h/Library/Application Support/obsidian/obsidian.json" == registry_files(env, "darwin")[0].as_posix()
    )
    assert "/roaming/obsidian/obsidian.json" == registry_files(env, "win32")[0].as_posix()
    assert 3 == len(registry_files(env, "linux"))
    assert (
        "/x/obsidian/obsidian.json" == registry_files({**env, "XDG_CONFIG_HOME": "/x"}, "linux")[0].as_posix()
    )


def write(vault: Path, **files: object) -> Path:
    folder = vault / ".obsidian"
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in files.items():
        text = value if isinstance(value, str) else json.dumps(value)
        (folder / f"{name.replace('_', '-')}.json").write_text(text, encoding="utf-8")
    return vault


def test_obsidians_settings_are_read(tmp_path: Path) -> None:
    """Those that concern us, with folders as vault paths."""
    write(
        tmp_path,
        app={
            "userIgnoreFilters": ["Old/"], "attachmentFolderPath": "Files/", "trashOption": "local",
            "newFileLocation": "folder", "newFileFolderPath": "/Inbox/",
        },
        templates={"folder": "/Templates/"},
        daily_notes={"folder": "Daily", "format": "YYYY/MM-DD"},
        core_plugins={"templates": True},
    )  # fmt: skip
    assert obsidian_config(tmp_path) == ObsidianConfig(
        ("Old/",), "Files", "local", "folder", "Inbox", ("Templates",), "Daily", "YYYY/MM-DD"
    )


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "3", "{", '{"userIgnoreFilters": null}', '{"trashOption": 7}', "\ufeff{}"]
)
def test_broken_settings_are_no_settings(tmp_path: Path, text: str) -> None:
    """Obsidian's own defaults hold where a file is missing, empty, broken or of another shape."""
    assert ObsidianConfig() == obsidian_config(tmp_path)
    write(tmp_path, app=text, templates=text, daily_notes=text, core_plugins=text, community_plugins=text)
    assert ObsidianConfig() == obsidian_config(tmp_path)


@pytest.mark.parametrize(
    ("core", "expected"), [({"templates": False}, ()), (["graph"], ()), (["templates"], ("T",))]
)
def test_templates_switched_off_are_ordinary_notes(
    tmp_path: Path, core: object, expected: tuple[str, ...]
) -> None:
    """Old and new shape of Obsidian's list of core plugins."""
    write(tmp_path, templates={"folder": "T"}, core_plugins=core)
    assert expected == obsidian_config(tmp_path).template_folders
