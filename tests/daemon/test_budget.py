"""What a client of the daemon loads: the cost of a start is the cost of its imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from daemon.processes import Running

HEAVY = {"numpy", "torch", "transformers", "mcp", "apsw", "sqlite_vec", "yaml", "markdown_it", "watchfiles"}


def modules(running: Running, *args: str, given: str = "") -> set[str]:
    """What a run with these arguments loads."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *args],
        env=running.env,
        input=given,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def loaded(running: Running, *args: str, given: str = "") -> set[str]:
    """Of that the top-level packages that Python does not bring."""
    names = {name.partition(".")[0] for name in modules(running, *args, given=given)}
    # "org" is what the standard library looks for to know Jython.
    return names - set(sys.stdlib_module_names) - {"imported package", "org"}


@pytest.mark.parametrize("args", [("recall", "modems", "--read-only"), ("status",)], ids=" ".join)
def test_a_command_leaves_the_work_to_the_daemon(running: Running, args: tuple[str, ...]) -> None:
    """No database, no model, no arrays: it asks, and prints what comes back."""
    running.session()
    assert set() == loaded(running, "-m", "genesys", *args) & HEAVY


def test_a_question_does_without_the_engine(running: Running) -> None:
    """The command that is called most loads what it asks with and what it prints, no more."""
    running.session()
    names = modules(running, "-m", "genesys", "recall", "modems", "--read-only")
    assert "genesys.remote" in names
    assert not [n for n in names if n.startswith(("genesys.engine", "genesys.store", "genesys.reports"))]


def test_a_bridge_and_a_hook_are_bare_python(running: Running) -> None:
    """They stand between a person and their work, so they load nothing that Python does not bring."""
    running.session()
    bare = loaded(running, "-c", "") | {"genesys"}
    vault = ("--vault", str(running.vault))
    assert set() == loaded(running, "-m", "genesys", "serve", *vault) - bare
    prompt = '{"prompt": "which modems did we choose?"}'
    assert set() == loaded(running, "-m", "genesys", "hook", "user-prompt", *vault, given=prompt) - bare
