"""Rows about reading a vault: the first time, again, in full; and how large the index is."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator

from benchmarks.index.nochange import BARE, WALK_FACTOR, WALK_SLACK_S, measured, walk_s
from benchmarks.speed.row import Row
from benchmarks.speed.setup import Setup, alternately

__all__ = ["first", "full", "nochange", "parsing", "size", "start"]


def floor(setup: Setup, name: str) -> float:
    command = [sys.executable, "-m", "benchmarks.speed.floors", name, str(setup.vault)]
    return float(subprocess.run(command, env=setup.env, stdout=subprocess.PIPE, check=True).stdout)


def parsing(setup: Setup) -> Iterator[Row]:
    bare, ours = alternately(setup.rounds, lambda: floor(setup, "parse"), lambda: floor(setup, "ours"))
    yield Row("parse", "parse all notes, CPU", "markdown-it-py's block parse", bare, ours, most=2.0)


def first(setup: Setup) -> Iterator[Row]:
    vault = setup.copied(setup.vault, "first")
    wall: list[float] = []

    def index() -> float:
        shutil.rmtree(vault / ".genesys", ignore_errors=True)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        setup.genesys("index", "--no-embed", vault=vault)
        wall.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    bare, ours = alternately(setup.rounds, lambda: floor(setup, "parse"), index)
    of = "markdown-it-py's block parse, one process, CPU"
    yield Row("first", "first index without vectors, CPU", of, bare, ours, most=2.0, note="all processes")
    yield Row("first", "first index without vectors, wall", of, bare, min(wall), most=1.2)


def nochange(setup: Setup) -> Iterator[Row]:
    env = setup.env | {"GENESYS_VAULT": str(setup.indexed), "GENESYS_EMBEDDER": "fake"}
    walk = walk_s(setup.indexed)
    wall, cpu = measured("-m", "genesys", "index", env=env, rounds=setup.rounds)
    note = f"{cpu:.2f} s CPU"
    yield Row(
        "nochange",
        "index, nothing changed",
        "bare stat walk",
        walk,
        wall,
        most=WALK_FACTOR,
        slack=WALK_SLACK_S,
        note=note,
    )


def full(setup: Setup) -> Iterator[Row]:
    env = setup.env | {"GENESYS_VAULT": str(setup.indexed), "GENESYS_EMBEDDER": "fake"}
    args = ("-m", "genesys", "index", "--full", "--no-embed")
    bare, ours = alternately(
        setup.rounds, lambda: floor(setup, "hashes"), lambda: measured(*args, env=env, rounds=1)[1]
    )
    yield Row("full", "index --full, CPU", "read and SHA-256 of all files", bare, ours, most=3.0, slack=0.5)


def size(setup: Setup) -> Iterator[Row]:
    from genesys.store.index import open_index

    file = setup.filled / ".genesys" / "index.db"
    with open_index(file, read_only=True) as index:
        passages = index.counts().passages
    texts = sum(path.stat().st_size for path in setup.vault.rglob("*.md"))
    floor_mb, ours = (texts + 4 * 384 * passages) / 1e6, file.stat().st_size / 1e6
    yield Row("size", "index.db", "bytes of notes and vectors", floor_mb, ours, unit="MB", most=1.8)


def start(setup: Setup) -> Iterator[Row]:
    env = setup.env | {"GENESYS_VAULT": str(setup.indexed), "GENESYS_EMBEDDER": "fake"}
    for name in ("--help", "status"):
        bare, ours = alternately(
            setup.rounds + 4,
            lambda: measured("-c", BARE, env=env, rounds=1)[1],
            lambda: measured("-m", "genesys", name, env=env, rounds=1)[1],  # noqa: B023
        )
        yield Row("start", f"genesys {name}, CPU", f"python -c {BARE!r}", bare, ours, most=3.0)
