"""A command loads what it needs: the cost of a start is the cost of its imports."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import VAULT, child_env, run_cli

FAKE = {"GENESYS_EMBEDDER": "fake"}
NEVER = {
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "sentence_transformers",
    "mcp",
    "markdown_it",
    "yaml",
    "watchfiles",
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    vault = Path(shutil.copytree(VAULT, tmp_path_factory.mktemp("start") / "vault", symlinks=True))
    assert run_cli("index", vault=vault, env=FAKE).code == 0
    return vault


def loaded(vault: Path, *args: str) -> set[str]:
    """Top-level packages in memory when the command is done."""
    code = (
        "import sys; from genesys.cli import run; code = run(sys.argv[1:]); "
        "print(*{m.partition('.')[0] for m in sys.modules}, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args],
        env=child_env(vault, FAKE),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("status",),
        ("status", "--json"),
        ("index",),
        ("index", "--dry-run"),
    ],
    ids=" ".join,
)
def test_a_quick_command_loads_nothing_heavy(vault: Path, args: tuple[str, ...]) -> None:
    """No model, no arrays, no markdown parser, no server."""
    assert loaded(vault, *args) & NEVER == set()


@pytest.mark.parametrize("args", [("status",), ("index",), ("doctor",)], ids=" ".join)
def test_plain_output_does_without_rich(vault: Path, args: tuple[str, ...]) -> None:
    """What has no colour is printed."""
    code = loaded(vault, *args, "--json")
    assert "rich" not in code - loaded_by_typer()


def loaded_by_typer() -> set[str]:
    code = "import typer, sys; print(*{m.partition('.')[0] for m in sys.modules})"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_a_call_builds_the_one_command_it_names(vault: Path) -> None:
    """The modules of other commands stay out."""
    code = "import sys; from genesys.cli import run; run(['status']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=child_env(vault, FAKE),
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    mine = {m for m in done.stderr.split() if m.startswith("genesys.cli.")}
    assert {"genesys.cli.app", "genesys.cli.common", "genesys.cli.indexing"} == mine
