"""The daemon's daily look at what memories may become: told in the log, or done."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.helpers import until
from daemon.processes import Running
from support import tree_bytes

SHORT = "The ice storm took the masts down."
LONG = f"{SHORT} The vote of the cooperative was unanimous."

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("mode", "done"), [("propose", 0), ("apply", 1)])
def test_the_daemon_does_what_the_setting_allows(vault: Path, mode: str, done: int) -> None:
    """By default it only says how many proposals there are; a merge that it did can be undone."""
    with Running(vault, GENESYS_EVOLVE=mode, GENESYS_MAINTENANCE_INTERVAL_S="1") as running:
        short, long = (
            running.cli("remember", text, "--session", text[-6:]).stdout.partition(": ")[2].strip()
            for text in (SHORT, LONG)
        )
        before = tree_bytes(vault)
        running.cli("daemon", "start")
        log = vault / ".genesys" / "daemon.log"

        def lines(word: str) -> list[str]:
            return [line for line in log.read_text("utf-8").splitlines() if word in line]

        until(lambda: len(lines("maintenance: ")) >= 2, "two passes")
        running.note_daemon()
        told = [line.partition("evolve: ")[2].partition(" (")[0] for line in lines("evolve: ")]
        assert [f"1 proposals, {done} done"] == told
        assert (vault / long).is_file()
        if done:
            assert not (vault / short).exists()
            assert before[short] == (vault / ".trash" / short).read_bytes()
            assert 0 == running.cli("forget", "--undo", short).code
        assert before == {p: b for p, b in tree_bytes(vault).items() if not p.startswith(".trash")}
