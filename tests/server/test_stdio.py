"""The server as Claude starts it: a process of its own, spoken to over its stdin and stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from server.helpers import VALID, call, content, fault
from support import child_env

# Each test starts a process that imports mcp.
pytestmark = [pytest.mark.anyio, pytest.mark.slow]

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
EXIT_S = 30  # far more than it takes; a shared machine stalls

# A library that prints in every way there is, imported by whatever the server imports first.
NOISY = """
import os, sys, subprocess, warnings, atexit
print("python print")
sys.stdout.write("sys.stdout\\n")
os.write(1, b"os.write to 1\\n")
sys.__stdout__.write("sys.__stdout__\\n")
subprocess.run(["echo", "a child process"])
warnings.warn("a warning")
"""
# What the noisy server runs: the noise before the engine is imported, and in every call of one tool.
NOISY_SERVER = """
import sys
from genesys.cli.serve import serve_in_process
from genesys.settings import load_settings
from pathlib import Path
import genesys.serving.wire as wire

claim = wire.claim
def noisy_claim():
    made = claim()
    import noisy
    return made
wire.claim = noisy_claim

import genesys.serving.calls as calls
def crash(call):
    exec(open(sys.argv[2]).read())
    raise ZeroDivisionError("a secret of the server")
calls.HANDLERS = {**calls.HANDLERS, "memory_stats": crash}
serve_in_process(load_settings(Path(sys.argv[1])))
"""


def parameters(vault: Path, **extra: str) -> StdioServerParameters:
    env = child_env(vault, {"GENESYS_EMBEDDER": "fake", "GENESYS_WORKERS": "1", **extra})
    arguments = ["-m", "genesys", "serve", "--in-process", "--vault", str(vault)]
    return StdioServerParameters(command=sys.executable, args=arguments, env=env)


@pytest.fixture
def process(vault: Path) -> Iterator[subprocess.Popen[str]]:
    """The server with its pipes in hand."""
    how = parameters(vault)
    made = subprocess.Popen(
        [how.command, *how.args],
        env=how.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    yield made
    made.kill()
    made.wait()
    for pipe in (made.stdin, made.stdout, made.stderr):
        assert pipe
        pipe.close()


def asking(number: int, tool: str, given: dict[str, Any]) -> dict[str, Any]:
    params = {"name": tool, "arguments": given}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def say(process: subprocess.Popen[str], *messages: dict[str, Any]) -> None:
    assert process.stdin
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout
    return dict(json.loads(process.stdout.readline()))


async def test_a_session_over_real_pipes(era: str, vault: Path) -> None:
    """List, recall, store and recall again, in both eras."""
    async with Client(parameters(vault), mode=era) as client:
        assert 14 == len((await client.list_tools()).tools)
        content(await call(client, "memory_recall", VALID["memory_recall"]))
        path = content(await call(client, "memory_store", VALID["memory_store"]))["path"]
        fault(await call(client, "memory_explain", {"node_id": "../../etc/passwd"}))
        content(await call(client, "memory_explain", {"node_id": path}))
    assert (vault / path).is_file()


async def test_a_server_mends_its_index_and_warms_by_itself(vault: Path) -> None:
    """The index file is removed under a running server: calls say that they may be repeated, the background
    reads the vault anew, and soon recall answers again, by meaning too."""
    async with Client(parameters(vault)) as client:
        content(await call(client, "memory_recall", VALID["memory_recall"]))
        for file in (vault / ".genesys").glob("index.db*"):
            file.unlink()
        signals: set[str] = set()
        with anyio.fail_after(EXIT_S):
            while "vectors" not in signals:
                result = await call(client, "memory_recall", VALID["memory_recall"])
                if result.is_error:
                    assert fault(result)["retryable"] is True
                elif content(result)["hits"]:
                    signals = set(content(result)["signals"])


def test_closing_stdin_ends_the_process(process: subprocess.Popen[str]) -> None:
    """No server outlives its client; it ends as one that did well."""
    say(process, INITIALIZE)
    assert 1 == hear(process)["id"]
    assert process.stdin
    process.stdin.close()
    assert 0 == process.wait(EXIT_S)


def test_closing_stdin_before_a_word_ends_the_process(process: subprocess.Popen[str]) -> None:
    """Also a client that never spoke."""
    assert process.stdin
    process.stdin.close()
    assert 0 == process.wait(EXIT_S)


def test_what_is_no_message_does_not_stop_the_server(process: subprocess.Popen[str]) -> None:
    """Garbage, half a message and a megabyte of noise, and then a client that means it."""
    assert process.stdin
    process.stdin.write("garbage\n{\n[]\n\n" + "x" * 1_000_000 + "\n")
    say(process, INITIALIZE)
    assert 1 == hear(process)["id"]


def test_a_missing_vault_is_said_on_stderr_in_one_line(tmp_path: Path) -> None:
    """Not a byte on stdout, an exit code, no traceback."""
    how = parameters(tmp_path / "nowhere")
    done = subprocess.run(
        [how.command, *how.args], env=how.env, input="", capture_output=True, encoding="utf-8", check=False
    )
    assert 0 != done.returncode
    assert "" == done.stdout
    assert "nowhere" in done.stderr
    assert "Traceback" not in done.stderr


def test_every_byte_on_stdout_is_a_message(vault: Path, tmp_path: Path) -> None:
    """With prints, raw writes, a printing child, warnings and a crash in a tool: stdout has JSON-RPC only,
    the rest is on stderr, and the crash told the client nothing of itself."""
    (tmp_path / "noisy.py").write_text(NOISY, encoding="utf-8")
    (tmp_path / "server.py").write_text(NOISY_SERVER, encoding="utf-8")
    env = child_env(vault, {"GENESYS_EMBEDDER": "fake", "GENESYS_WORKERS": "1"})
    env["PYTHONPATH"] = f"{tmp_path}:{env['PYTHONPATH']}"
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "server.py"), str(vault), str(tmp_path / "noisy.py")],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    ask = [asking(2, "memory_stats", {}), asking(3, "memory_recall", {"query": "ice"})]
    assert process.stdin
    assert process.stdout
    lines: list[bytes] = []
    for message in (INITIALIZE, INITIALIZED, *ask):
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            lines.append(process.stdout.readline())
    rest, errors = process.communicate(timeout=EXIT_S)
    lines += rest.splitlines()
    messages = [json.loads(line) for line in lines]
    assert all("2.0" == message["jsonrpc"] for message in messages)
    assert {1, 2, 3} == {message["id"] for message in messages if "id" in message}
    crashed = next(message["result"] for message in messages if message.get("id") == 2)
    assert crashed["isError"] is True
    assert b"a secret of the server" not in b"".join(lines)
    for noise in (
        b"python print",
        b"os.write to 1",
        b"a child process",
        b"sys.__stdout__",
        b"a secret of the server",
    ):
        assert noise in errors


def test_the_handshake_loads_no_model_and_no_engine_room(vault: Path) -> None:
    """Building the server and its tools imports neither torch nor numpy, nor the markdown reader."""
    code = (
        "import sys; from pathlib import Path; from genesys.settings import load_settings;"
        "from genesys.serving.host import Host; from genesys.server import build_server;"
        f"build_server(Host(load_settings(Path({str(vault)!r})), background=False));"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers', 'numpy', 'markdown_it')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_env(vault), capture_output=True, encoding="utf-8", check=False
    )
    assert "[]" == done.stdout.strip(), done.stderr
