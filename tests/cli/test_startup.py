"""A command loads what it needs: the cost of a start is the cost of its imports."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from support import GUARD, ROOT, VAULT, child_env, run_cli

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
RATIO = 3.0  # of the CPU time that `python -c "import typer, rich"` takes
ROUNDS = 7


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


def cpu_s(*args: str, vault: Path) -> float:
    """The least CPU time of several starts, children of this process alone: a busy machine adds nothing."""
    best = float("inf")
    env = child_env(vault, FAKE)
    paths = env["PYTHONPATH"].split(os.pathsep)
    env["PYTHONPATH"] = os.pathsep.join(p for p in paths if p != str(GUARD))  # which is no part of a start
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *args], env=env, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def typer_in_range() -> bool:
    """Whether the typer at hand is one that pyproject.toml allows; a newer one starts more slowly."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    limit = next(d for d in project["dependencies"] if d.startswith("typer")).rpartition("<")[2]
    return tuple(map(int, version("typer").split(".")[:2])) < tuple(map(int, limit.split(".")[:2]))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="counts the CPU time of children")
@pytest.mark.parametrize("args", [("--help",), ("status",)], ids=" ".join)
def test_help_and_status_start_within_three_times_their_libraries(vault: Path, args: tuple[str, ...]) -> None:
    """Measured against ``import typer, rich`` in the same minute."""
    if not typer_in_range():
        pytest.skip(f"typer {version('typer')} is not one that pyproject.toml asks for")
    bare = cpu_s("-c", "import typer, rich", vault=vault)
    took = cpu_s("-m", "genesys", *args, vault=vault)
    print(f"{' '.join(args)}: {took:.3f} s, {took / bare:.1f} × {bare:.3f} s")
    assert took < RATIO * bare
