"""A client that nobody here wrote drives the server: the MCP inspector, a program of node."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT, child_env

_INSPECTOR = os.environ.get("GENESYS_INSPECTOR", "")  # read here: fixtures strip GENESYS_* from tests
_WANTED = bool(_INSPECTOR) or bool(os.environ.get("CI"))


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
@pytest.mark.skipif(not _WANTED, reason="set GENESYS_INSPECTOR to the program, or CI to let npm fetch it")
def test_the_inspector_can_use_the_server(indexed: Path) -> None:
    """It lists tools, resources and prompts, calls recall, store and explain; a fault is one to it."""
    extra = {"GENESYS_EMBEDDER": "fake"} | ({"GENESYS_INSPECTOR": _INSPECTOR} if _INSPECTOR else {})
    command = [sys.executable, "-m", "benchmarks.mcp.inspector", "--vault", str(indexed)]
    env = child_env(None, extra)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert 0 == done.returncode, done.stdout + done.stderr
