"""How soon the server answers ``initialize``, beside a bare MCPServer started the same way, in turns.

    python -m benchmarks.mcp.initialize [--vault DIR] [--rounds N]

A round starts a process, sends ``initialize``, waits for the answer, then for ``tools/list``, then closes
stdin. Times are wall-clock milliseconds from the start of the process; the median of the rounds counts, and
both servers take turns so that a busy machine is busy for both. Ends with 1 where the limit is missed or the
model was loaded by then.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

LIMIT = 2.0  # times the bare server
ROOT = Path(__file__).resolve().parents[2]

BARE = """
from mcp.server import MCPServer
server = MCPServer("bare")
@server.tool()
def hello(name: str) -> str:
    return name
server.run("stdio")
"""


def message(number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def one_round(command: list[str], env: dict[str, str]) -> tuple[float, float, bool]:
    """Milliseconds to the answers of ``initialize`` and ``tools/list``; whether torch was mapped by then."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(message(1, "initialize", HELLO))
        process.stdin.flush()
        assert "result" in json.loads(process.stdout.readline())
        first = time.perf_counter()
        loaded = torch_is_mapped(process.pid)
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        process.stdin.write(message(2, "tools/list", {}))
        process.stdin.flush()
        assert "result" in json.loads(process.stdout.readline())
        second = time.perf_counter()
        process.stdin.close()
    return (first - start) * 1000, (second - start) * 1000, loaded


def torch_is_mapped(pid: int) -> bool:
    """Whether the process has torch's library in memory (where the system tells)."""
    try:
        return "libtorch" in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description="time to initialize, beside a bare MCPServer")
    parser.add_argument("--vault", type=Path, default=ROOT / "fixtures" / "vault")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(shutil.copytree(options.vault, Path(folder) / "vault", symlinks=True))
        env = {k: v for k, v in os.environ.items() if not k.startswith("GENESYS_")}
        commands = {
            "bare": [sys.executable, "-c", BARE],
            "genesys": [sys.executable, "-m", "genesys", "serve", "--in-process", "--vault", str(vault)],
        }
        for command in commands.values():  # once unmeasured: byte code and the page cache
            one_round(command, env)
        rounds: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in commands}
        for _ in range(options.rounds):
            for name, command in commands.items():
                rounds[name].append(one_round(command, env))
    report = {
        name: {
            "initialize_ms": round(statistics.median(r[0] for r in found)),
            "tools_list_ms": round(statistics.median(r[1] for r in found)),
            "model_loaded": any(r[2] for r in found),
        }
        for name, found in rounds.items()
    }
    ratio = report["genesys"]["initialize_ms"] / report["bare"]["initialize_ms"]
    print(
        json.dumps({**report, "ratio": round(ratio, 2), "limit": LIMIT, "rounds": options.rounds}, indent=1)
    )
    return int(ratio > LIMIT or bool(report["genesys"]["model_loaded"]))


if __name__ == "__main__":
    sys.exit(main())
