"""What a pass over an unchanged vault costs, against a bare stat walk; and what a start costs.

    python -m benchmarks.index.nochange VAULT      (a copy is indexed in a temporary folder)

Targets: the pass at most 5 × the walk + 0.5 s; ``--help`` and ``status`` under 3 × ``import typer, rich``.
Prints one JSON object; exit code 1 where a target is missed.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 7
WALK_FACTOR, WALK_SLACK_S = 5.0, 0.5
START_FACTOR = 3.0
BARE = "import typer, rich"
WALK = """
import os, sys
stack = [sys.argv[1]]
while stack:
    with os.scandir(stack.pop()) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                stack.append(entry.path)
            else:
                entry.stat(follow_symlinks=False)
"""


def measured(*args: str, env: dict[str, str], rounds: int = ROUNDS) -> tuple[float, float]:
    """(wall, CPU) seconds of the quickest of several runs of this Python with ``args``."""
    wall, cpu = float("inf"), float("inf")
    for _ in range(rounds):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, *args], env=env, stdout=subprocess.DEVNULL, check=True)
        wall = min(wall, time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = min(cpu, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(wall, 4), round(cpu, 4)


def walk_s(vault: Path) -> float:
    """Seconds of a bare walk inside a running Python: the start of one is no part of it."""
    best = float("inf")
    code = compile(WALK, "walk", "exec")
    argv, sys.argv = sys.argv, ["walk", str(vault)]
    for _ in range(ROUNDS):
        start = time.perf_counter()
        exec(code, {})
        best = min(best, time.perf_counter() - start)
    sys.argv = argv
    return round(best, 4)


def main(source: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(source, vault, symlinks=True, ignore=shutil.ignore_patterns(".genesys"))
        env = {**os.environ, "GENESYS_VAULT": str(vault), "GENESYS_EMBEDDER": "fake"}
        first = json.loads(
            subprocess.run(
                [sys.executable, "-m", "genesys", "index", "--json"],
                env=env,
                stdout=subprocess.PIPE,
                check=True,
            ).stdout
        )
        walk = walk_s(vault)
        index, index_cpu = measured("-m", "genesys", "index", env=env)
        bare, bare_cpu = measured("-c", BARE, env=env)
        starts = {name: measured("-m", "genesys", name, env=env) for name in ("--help", "status")}
    limit = WALK_FACTOR * walk + WALK_SLACK_S
    figures = {
        "notes": first["notes"],
        "first_pass_s": first["seconds"],
        "walk_s": walk,
        "nochange_s": index,
        "nochange_cpu_s": index_cpu,
        "nochange_limit_s": round(limit, 3),
        "nochange_over_walk": round(index / walk, 1),
        "import_typer_rich_s": bare,
        "start_over_import_cpu": {name: round(cpu / bare_cpu, 2) for name, (_, cpu) in starts.items()},
    }
    print(json.dumps(figures, indent=2))
    return int(index > limit or any(cpu > START_FACTOR * bare_cpu for _, cpu in starts.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled once
