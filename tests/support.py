"""What tests of every room share: where things lie, a frozen now, and two ways to run the command line."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

__all__ = [
    "FIXTURES",
    "GUARD",
    "NOW",
    "QUESTIONS",
    "ROOT",
    "VAULT",
    "Result",
    "cases_folder",
    "child_env",
    "invoke",
    "run_cli",
    "tree_bytes",
]

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
VAULT = FIXTURES / "vault"
QUESTIONS = FIXTURES / "questions.jsonl"
GUARD = ROOT / "tests" / "guard"

# The day after the last note of the fixture vault.
NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str


def cases_folder() -> Path | None:
    """The shared vault cases: ``GENESYS_CASES``, else ``shared/cases`` beside the checkout, or None."""
    folder = Path(os.environ.get("GENESYS_CASES") or ROOT.parent / "shared" / "cases")
    return folder if folder.is_dir() else None


def tree_bytes(folder: Path, *, skip: str = ".genesys") -> dict[str, bytes]:
    """Every file below a folder by its relative path, without the index: for "not a byte has changed"."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and skip not in path.relative_to(folder).parts
    }


def child_env(vault: Path | None = None, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a child process: this test's, offline, with the vault named if there is one."""
    env = dict(os.environ)
    paths = [str(GUARD), *(p for p in env.get("PYTHONPATH", "").split(os.pathsep) if p and p != str(GUARD))]
    env["PYTHONPATH"] = os.pathsep.join(paths)
    env["PYTHONIOENCODING"] = "utf-8"
    env["COLUMNS"] = "200"  # so that no line is wrapped
    if vault is not None:
        env["GENESYS_VAULT"] = str(vault)
    return env | dict(extra or {})


def run_cli(
    *args: str,
    vault: Path | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    timeout_s: float = 120,
) -> Result:
    """Run ``python -m genesys`` as a person would: a process of its own, its output captured."""
    done = subprocess.run(
        [sys.executable, "-m", "genesys", *args],
        cwd=cwd or vault,
        env=child_env(vault, env),
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout_s,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def invoke(*args: str, vault: Path | None = None) -> Result:
    """Run the command line in this process: fast, for tests of what is printed and of exit codes."""
    from genesys.cli import main

    # Byte streams below: what is printed as JSON goes to stdout.buffer.
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with _environment(vault), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        argv, sys.argv = sys.argv, ["genesys", *args]
        try:
            code = main() or 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        finally:
            sys.argv = argv
    return Result(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


@contextlib.contextmanager
def _environment(vault: Path | None) -> Iterator[None]:
    before = dict(os.environ)
    os.environ["COLUMNS"] = "200"
    if vault is not None:
        os.environ["GENESYS_VAULT"] = str(vault)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
