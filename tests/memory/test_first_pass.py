"""The first maintenance pass of a vault, told beforehand and afterwards alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.model import Status
from genesys.settings import load_settings
from support import run_cli

NOW = 1_780_000_000.0
DAY = 86_400.0


@pytest.fixture
def memory(tmp_path: Path) -> Genesys:
    for name, days in (("new", 1), ("older", 90), ("old", 700)):
        file = tmp_path / f"{name}.md"
        file.write_text(f"# {name}\nSomething of its own.\n", encoding="utf-8")
        os.utime(file, (NOW - days * DAY, NOW - days * DAY))
    settings = load_settings(tmp_path, os.environ | {"GENESYS_EMBEDDER": "fake"})
    opened = Genesys.open(settings, clock=lambda: NOW)
    opened.index(embed=False)
    return opened


def test_a_dry_run_tells_what_the_pass_will_do(memory: Genesys) -> None:
    """Statuses by age are changes like any other, and so are the notes that will be written."""
    with memory:
        told, done = memory.decay(dry_run=True), memory.decay()
        statuses = {r.title: r.status for r in memory.search("", 10)}
    assert {c.path: c.new for c in told.changes} == {c.path: c.new for c in done.changes}
    assert {"older.md", "old.md"} == {c.path for c in done.changes}
    assert told.writes.written == done.writes.written
    assert {"new": Status.ACTIVE, "older": Status.DORMANT, "old": Status.FADING} == statuses


def test_what_explain_foretells_begins_where_the_pass_will_put_the_note(memory: Genesys) -> None:
    """Before any pass an old note is explained as the fading one that it is."""
    with memory:
        lines = memory.explain("old").outlook
    assert not any("goes dormant" in line for line in lines)


@pytest.mark.parametrize(
    "args", [("recall", "x"), ("pin", "new"), ("forget", "new"), ("decay",)], ids=" ".join
)
def test_a_command_that_needs_an_index_says_so_and_leaves_none(tmp_path: Path, args: tuple[str, ...]) -> None:
    """The first mistake of a newcomer gets the one line that helps."""
    (tmp_path / "new.md").write_text("x\n", encoding="utf-8")
    result = run_cli(*args, vault=tmp_path, env={"GENESYS_EMBEDDER": "fake"})
    assert (1, "") == (result.code, result.stdout)
    assert "no index yet" in result.stderr
    assert "genesys index" in result.stderr
    assert not (tmp_path / ".genesys").exists()
