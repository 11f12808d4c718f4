"""Whatever goes wrong, a hook exits 0, says nothing, and is done in time."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.processes import Running
from genesys.hooks import HOOKS, INPUT_BYTES
from genesys.sockets import places
from genesys.starting import stop
from support import child_env

PROMPT = "did we give up on cellular modems because of a single iced-up mast?"
GIVEN = {"session_id": "s", "prompt": PROMPT, "transcript_path": "/nowhere"}
FAKE = {
    "GENESYS_EMBEDDER": "fake",
    "GENESYS_WORKERS": "1",
    "GENESYS_HOOK_DEADLINE_S": "30",
    "GENESYS_HOOK_START_DEADLINE_S": "30",
}
INPUTS = {
    "nothing": b"",
    "no json": b"why?",
    "half": b'{"prompt": "wh',
    "no object": b'["prompt"]',
    "binary": bytes(range(256)) * 8,
    "deep": b"[" * 100_000,
    "no utf-8": b'{"prompt": "\xff\xfe"}',
    "too much": b'{"prompt": "' + b"x" * INPUT_BYTES + b'"}',
    "other types": b'{"prompt": {"a": 1}, "session_id": [2], "transcript_path": 3}',
}
CALLS = {
    "none": [],
    "unknown": ["session-end"],
    "unknown option": ["user-prompt", "--wault", "x"],
    "no value": ["user-prompt", "--vault"],
    "too many": ["user-prompt", "stop"],
}


def hook(
    *args: str, given: bytes | None = None, env: dict[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """Exit code, standard output, standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "genesys", "hook", *args],
        input=json.dumps(GIVEN).encode() if given is None else given,
        env=child_env(extra=FAKE | (env or {})),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


SILENT = (0, b"", b"")


@pytest.mark.parametrize("given", INPUTS.values(), ids=INPUTS)
def test_broken_input_is_answered_with_nothing(vault: Path, given: bytes) -> None:
    """And no daemon is started for it."""
    assert hook("user-prompt", "--vault", str(vault), given=given) == SILENT
    assert not places(vault).lock.exists()


@pytest.mark.parametrize("args", CALLS.values(), ids=CALLS)
def test_a_call_that_is_none_blocks_no_prompt(args: list[str]) -> None:
    """A usage error's exit code would: Claude Code takes 2 for "do not go on"."""
    assert hook(*args) == SILENT


@pytest.mark.parametrize("name", HOOKS)
def test_without_a_vault_nothing_is_said_or_made(tmp_path: Path, name: str) -> None:
    """A folder that is gone, a file in its place."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for vault in (tmp_path / "gone", tmp_path / "file"):
        assert hook(name, "--vault", str(vault)) == SILENT
    assert ["file"] == [path.name for path in tmp_path.iterdir()]


def test_a_person_at_a_terminal_is_told(tmp_path: Path) -> None:
    """Help is help; there nothing waits for a prompt."""
    code, out, _ = hook("--help")
    assert 0 == code
    assert b"session-start" in out


def test_a_daemon_that_can_not_start_costs_nothing(vault: Path) -> None:
    """Its complaint goes nowhere near the person's prompt."""
    (vault / ".genesys.toml").write_text("not toml", encoding="utf-8")
    assert hook("user-prompt", "--vault", str(vault)) == SILENT


def test_a_damaged_index_costs_an_answer_at_most(vault: Path) -> None:
    """What is said meanwhile is whole, or nothing."""
    index = vault / ".genesys" / "index.db"
    index.write_bytes(b"SQLite format 3\x00" + os.urandom(4096))
    with Running(vault, **FAKE):
        for name in HOOKS:
            code, out, err = hook(name, "--vault", str(vault))
            assert (0, b"") == (code, err)
            assert out == b"" or json.loads(out)


@pytest.fixture
def deaf(vault: Path) -> Iterator[socket.socket]:
    """Somebody who listens where the daemon would, and never answers."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(places(vault).socket))
    listener.listen()
    yield listener
    listener.close()


@pytest.mark.parametrize("name", ["session-start", "user-prompt"])
def test_a_hook_waits_no_longer_than_its_deadline(vault: Path, deaf: socket.socket, name: str) -> None:
    """For a daemon that hangs; the deadline is the environment's or a settings file's."""
    setting = "hook_start_deadline_s" if name == "session-start" else "hook_deadline_s"
    variable = f"GENESYS_{setting.upper()}"
    assert hook(name, "--vault", str(vault), env={variable: "0.2"}) == SILENT
    (vault / ".genesys.toml").write_text(f"{setting} = 0.2", encoding="utf-8")
    assert hook(name, "--vault", str(vault), env={variable: ""}) == SILENT


def test_a_hook_waits_no_longer_for_its_input(vault: Path) -> None:
    """Whoever called it may never close the pipe."""
    with subprocess.Popen(
        [sys.executable, "-m", "genesys", "hook", "user-prompt", "--vault", str(vault)],
        env=child_env(extra=FAKE | {"GENESYS_HOOK_DEADLINE_S": "0.2"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert 0 == process.wait(60)
        assert process.stdout
        assert b"" == process.stdout.read()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "<&- >&- 2>&-"])
def test_missing_streams_are_no_fault(vault: Path, closed: str) -> None:
    """Whoever starts a hook may give it no input, or nowhere to write."""
    done = subprocess.run(
        [
            "sh",
            "-c",
            f'exec "$0" -m genesys hook user-prompt --vault "$1" {closed}',
            sys.executable,
            str(vault),
        ],
        env=child_env(extra=FAKE),
        input=b"",
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == SILENT


def test_a_broken_pipe_is_no_fault(running: Running) -> None:
    """Claude Code may have stopped listening."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "genesys", "hook", "user-prompt", "--vault", str(running.vault)],
        input=json.dumps(GIVEN).encode(),
        env=running.env,
        stdout=writer,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writer)
    assert (0, b"") == (done.returncode, done.stderr)


def test_a_hook_loads_next_to_nothing(running: Running) -> None:
    """No model, no arrays, no database, no command line, no server: what a bridge loads."""
    assert 0 == running.cli("daemon", "start").code
    code = (
        "import sys; from genesys.cli import run; run(['hook', 'user-prompt', '--vault', sys.argv[1]]); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(running.vault)],
        input=json.dumps(GIVEN).encode(),
        env=running.env,
        capture_output=True,
        timeout=60,
        check=True,
    )
    loaded = set(done.stderr.decode().split())
    assert done.stdout
    ours = {m for m in loaded if m.startswith("genesys.")}
    assert {"cli", "errors", "hooks", "sockets", "starting", "tuning"} == {m.split(".")[1] for m in ours}
    assert not {"typer", "click", "rich", "numpy", "apsw", "torch", "asyncio", "subprocess"} & loaded


def test_a_hook_starts_the_daemon_that_answers(vault: Path) -> None:
    """Where none runs: this time, if there is time."""
    with Running(vault, **FAKE) as made:
        code, out, err = hook("user-prompt", "--vault", str(vault))
        assert (0, b"") == (code, err)
        assert json.loads(out)
        assert made.daemon()


def test_a_vault_without_an_index_gets_one(fixture_vault: Path) -> None:
    """The daemon makes it; the hook waits for none of that."""
    shutil.rmtree(fixture_vault / ".genesys", ignore_errors=True)
    try:
        code, _, err = hook("session-start", "--vault", str(fixture_vault))
        assert (0, b"") == (code, err)
    finally:
        stop(places(fixture_vault))
