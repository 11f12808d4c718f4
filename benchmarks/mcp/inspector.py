"""A client that nobody here wrote: the MCP inspector in CLI mode, against ``genesys serve``.

    python -m benchmarks.mcp.inspector [--vault DIR]

Needs node and npx. GENESYS_INSPECTOR names an installed ``mcp-inspector`` program; without it the package is
installed into a temporary folder by npm. Exit code 0 all was well, 1 something was not, 77 not possible here
(no node, or npm can't reach its registry).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PACKAGE = "@modelcontextprotocol/inspector@0.15.0"
SKIPPED = 77
ROOT = Path(__file__).resolve().parents[2]


class Inspector:
    """Runs one method of the protocol per process, as the inspector does."""

    def __init__(self, program: str, vault: Path) -> None:
        self.program = program
        self.server = [sys.executable, "-m", "genesys", "serve", "--in-process", "--vault", str(vault)]

    def __call__(self, method: str, *more: str) -> dict[str, Any]:
        command = [self.program, "--cli", *self.server, "--method", method, *more]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=180, check=False)
        if done.returncode:
            raise AssertionError(f"{method} {more}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return dict(json.loads(done.stdout))

    def tool(self, name: str, **given: str) -> dict[str, Any]:
        pairs = [part for key, value in given.items() for part in ("--tool-arg", f"{key}={value}")]
        return self("tools/call", "--tool-name", name, *pairs)


def check(inspect: Inspector) -> None:
    """List everything; recall, store, explain, and fail."""
    names = {tool["name"] for tool in inspect("tools/list")["tools"]}
    assert {"memory_recall", "memory_store", "memory_explain", "promote_to_org"} <= names, names
    assert inspect("resources/list")["resources"]
    assert inspect("resources/templates/list")["resourceTemplates"]
    assert 3 == len(inspect("prompts/list")["prompts"])
    # Each call is a server of its own: the first one reads the vault, in the background of its recall.
    subprocess.run(
        [*inspect.server[:3], "index", "--vault", inspect.server[-1]], check=True, capture_output=True
    )
    found = inspect.tool("memory_recall", query="why did we give up on cellular modems", k="3")
    assert "ADR-003" in json.dumps(found["structuredContent"]["hits"]), found
    stored = inspect.tool("memory_store", content="The inspector was here.", title="Inspected")
    path = stored["structuredContent"]["path"]
    told = inspect.tool("memory_explain", node_id=path)
    assert told["structuredContent"]["note"]["path"] == path, told
    # The inspector checks a failed call's content against the output schema, too.
    failed = inspect.tool("memory_explain", node_id="../../etc/passwd")
    assert failed["isError"] is True, failed
    assert {"error", "hint", "retryable"} <= set(failed["structuredContent"]), failed


def installed(folder: Path) -> str | None:
    """The inspector's program, from GENESYS_INSPECTOR or from npm."""
    named = os.environ.get("GENESYS_INSPECTOR")
    if named:
        return named
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None
    command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), PACKAGE]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=600, check=False)
    program = folder / "node_modules" / ".bin" / "mcp-inspector"
    return str(program) if done.returncode == 0 and program.exists() else None


def main() -> int:
    parser = argparse.ArgumentParser(description="drive the server with the MCP inspector")
    parser.add_argument("--vault", type=Path, default=ROOT / "fixtures" / "vault")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = installed(Path(folder))
        if program is None:
            print("skipped: no node here, or npm could not install the inspector")
            return SKIPPED
        vault = Path(shutil.copytree(options.vault, Path(folder) / "vault", symlinks=True))
        try:
            check(Inspector(program, vault))
        except (AssertionError, KeyError, ValueError, subprocess.SubprocessError) as error:
            print(f"failed: {error}")
            return 1
    print("the inspector lists tools, resources and prompts, recalls, stores, explains, and reads a fault")
    return 0


if __name__ == "__main__":
    sys.exit(main())
