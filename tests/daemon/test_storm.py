"""Daemon and bridges are killed at random during a storm of stores and edits: nothing confirmed is lost."""

from __future__ import annotations

import os
import random
import threading
from pathlib import Path

import pytest

from daemon.helpers import settings_of, snapshot, until
from daemon.processes import Running, Session
from genesys.engine.session import Genesys

ROUNDS = int(os.environ.get("DAEMON_STORM_ROUNDS", "3"))  # the full storm has 100
WRITERS = 3
EDITS = 12


class Writer(threading.Thread):
    """A client that stores, and opens another session when its bridge is killed."""

    def __init__(self, running: Running, name: str) -> None:
        super().__init__(daemon=True)
        self.running, self.label = running, name
        self.session: Session | None = None
        self.confirmed: dict[str, str] = {}
        self.refused = self.lost = 0
        self.stop = threading.Event()
        self.problem: BaseException | None = None

    def run(self) -> None:
        number = 0
        try:
            while not self.stop.is_set():
                number += 1
                self._store(f"Fact {self.label}-{number} of the storm, about [[Home]].")
        except BaseException as error:  # noqa: BLE001 - told by the test
            self.problem = error

    def _store(self, content: str) -> None:
        try:
            if self.session is None:
                self.session = self.running.session()
            result = self.session.call("memory_store", content=content)
        except (OSError, EOFError, ValueError):
            self.session = None  # the bridge was killed
            self.lost += 1
            return
        if result.get("isError"):
            assert result["structuredContent"]["retryable"] is False, result
            self.refused += 1
        else:
            self.confirmed[result["structuredContent"]["path"]] = content


def edit(vault: Path, chance: random.Random, number: int) -> None:
    """What a person does meanwhile: write, change, rename, delete."""
    mine = sorted(vault.glob("Storm *.md"))
    kind = chance.choice(("write", "change", "rename", "delete")) if mine else "write"
    if kind == "write":
        (vault / f"Storm {number}.md").write_text(f"Edit {number} about [[Home]].", encoding="utf-8")
        return
    note = chance.choice(mine)
    if kind == "change":
        note.write_text(f"Change {number}, because of [[Storm {number - 1}]].", encoding="utf-8")
    elif kind == "rename":
        note.rename(vault / f"Storm renamed {number}.md")
    else:
        note.unlink()


@pytest.mark.slow
def test_nothing_confirmed_is_lost_in_a_storm(vault: Path) -> None:
    """After the storm each confirmed memory is in the vault and in the index, and the index equals one
    made anew."""
    chance = random.Random(5)
    with Running(vault) as running:
        running.session().recall("warm up")
        writers = [Writer(running, str(number)) for number in range(WRITERS)]
        for writer in writers:
            writer.start()
        for number in range(ROUNDS):
            before = sum(len(w.confirmed) for w in writers)
            for step in range(EDITS):
                edit(vault, chance, number * EDITS + step)
            until(
                lambda before=before: (
                    sum(len(w.confirmed) for w in writers) > before  # type: ignore[misc]
                    or any(w.problem for w in writers)
                ),
                "stores are confirmed",
            )
            if chance.random() < 0.7:
                running.kill_daemon()
            if chance.random() < 0.5 and (victim := chance.choice(writers).session) is not None:
                victim.process.kill()
        for writer in writers:
            writer.stop.set()
        for writer in writers:
            writer.join(120)
            assert writer.problem is None, repr(writer.problem)
            assert not writer.is_alive()
        confirmed = {path: text for w in writers for path, text in w.confirmed.items()}
        print(
            f"{ROUNDS} rounds, {len(confirmed)} stores confirmed, {sum(w.refused for w in writers)} refused, "
            f"{sum(w.lost for w in writers)} lost with their bridge"
        )
        report = running.cli("index", "--json")
        assert 0 == report.code, report.stderr
    check(vault, confirmed)


def check(vault: Path, confirmed: dict[str, str]) -> None:
    for path, text in confirmed.items():
        assert text in (vault / path).read_text(encoding="utf-8")
    with Genesys.open(settings_of(vault)) as memory:
        for path in confirmed:
            assert path == memory.resolve(path)
        seen = snapshot(memory)
    with Genesys.open(settings_of(vault, index=str(vault.parent / "fresh.db"))) as memory:
        memory.index(embed=False)
        assert snapshot(memory) == seen
