"""A look at the changed paths alone finds what a pass over the whole vault finds."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.helpers import settings_of, snapshot
from genesys.engine import indexing
from genesys.engine.session import Genesys
from genesys.ignore import load_rules
from genesys.store.index import open_index
from genesys.vault import file_stat, walk
from support import NOW

ADR = "Decisions/ADR-003 LoRa Mesh.md"


def edit(vault: Path) -> set[str]:
    (vault / ADR).write_text("# New\n\nCaused by [[Home]].\n", encoding="utf-8")
    return {ADR}


def create(vault: Path) -> set[str]:
    (vault / "Decisions" / "Brand new.md").write_text("because of [[ADR-003 LoRa Mesh]]", encoding="utf-8")
    return {"Decisions/Brand new.md"}


def delete(vault: Path) -> set[str]:
    (vault / ADR).unlink()
    return {ADR}


def rename(vault: Path) -> set[str]:
    (vault / ADR).rename(vault / "Moved.md")
    return {ADR, "Moved.md"}


def change_case(vault: Path) -> set[str]:
    (vault / ADR).rename(vault / "Decisions" / "adr-003 lora mesh.md")
    return {ADR, "Decisions/adr-003 lora mesh.md"}


def save_atomically(vault: Path) -> set[str]:
    draft = vault / "Decisions" / ".draft"
    draft.write_text("written aside", encoding="utf-8")
    draft.replace(vault / ADR)
    return {"Decisions/.draft", ADR}


def ignore(vault: Path) -> set[str]:
    (vault / "Decisions" / "x.tmp").write_text("[[Home]]", encoding="utf-8")
    return {"Decisions/x.tmp", ".obsidian/workspace.json"}


def remove_folder(vault: Path) -> set[str]:
    shutil.rmtree(vault / "Decisions")
    return {"Decisions"}


def rename_folder(vault: Path) -> set[str]:
    (vault / "Decisions").rename(vault / "Choices")
    return {"Decisions", "Choices"}


def make_folder(vault: Path) -> set[str]:
    (vault / "Fresh").mkdir()
    (vault / "Fresh" / "One.md").write_text("one", encoding="utf-8")
    return {"Fresh"}


def link(vault: Path) -> set[str]:
    (vault / "link.md").symlink_to(vault / ADR)
    return {"link.md"}


CHANGES = [
    edit,
    create,
    delete,
    rename,
    change_case,
    save_atomically,
    ignore,
    remove_folder,
    rename_folder,
    make_folder,
    link,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda c: str(c.__name__))
def test_a_look_at_the_changed_paths_is_enough(vault: Path, change: Callable[[Path], set[str]]) -> None:
    """After any change the index equals one made anew."""
    settings = settings_of(vault)
    paths = change(vault)
    with open_index(settings.index) as index:
        indexing.run(settings, index, now=NOW, paths=paths)
    with Genesys.open(settings) as memory:
        seen = snapshot(memory)
    shutil.rmtree(vault / ".genesys")
    with Genesys.open(settings) as memory:
        memory.index(embed=False)
        assert snapshot(memory) == seen


def test_only_the_changed_paths_are_looked_at(vault: Path) -> None:
    """What nobody named is left for the next whole pass."""
    settings = settings_of(vault)
    edit(vault)
    (vault / "Unnoticed.md").write_text("not said", encoding="utf-8")
    with open_index(settings.index) as index:
        assert (0, 1) == _counts(indexing.run(settings, index, now=NOW, paths={ADR}))
        assert (1, 0) == _counts(indexing.run(settings, index, now=NOW))


def _counts(report: object) -> tuple[int, int]:
    return report.added, report.changed  # type: ignore[attr-defined]


def test_a_stat_is_the_same_either_way(vault: Path) -> None:
    """One file looked at by itself has the stat that a walk gives it."""
    rules = load_rules(vault)
    for stat in walk(vault, rules).files:
        assert stat == file_stat(vault, stat.path)
