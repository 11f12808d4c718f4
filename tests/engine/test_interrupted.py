"""kill -9 at any moment, and two passes at once: the index goes on where it was (P6, P10)."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.kit import FAKE, TestVault
from genesys.engine import lease
from genesys.errors import IndexError_
from support import child_env, run_cli

NOTES = 420  # enough for workers, two transactions of notes and a dozen batches of vectors
BATCH = 64
PATIENCE_S = 60

pytestmark = pytest.mark.slow


def fill(vault: TestVault) -> TestVault:
    """A vault whose notes link to each other, some by an alias, some to nothing."""
    for i in range(NOTES):
        alias = f"---\naliases: [alias {i}]\n---\n" if i % 7 == 0 else ""
        links = f"because of [[note {i * 3 % NOTES}]], [[alias {i * 7 % NOTES}]] and [[nowhere {i}]]"
        vault.write(
            f"folder {i % 9}/note {i}.md",
            f"{alias}# Note {i}\n\n{links}.\n\n"
            + "".join(f"## {p}\n\nword{i} part{p} text\n\n" for p in range(3)),
        )
    return vault


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, int, float]:
    """The graph, the number of passages and the seconds of one pass that nobody interrupted."""
    root = tmp_path_factory.mktemp("undisturbed")
    vault = fill(TestVault(root))
    start = time.monotonic()
    done = run_cli("index", "--json", vault=root, env=FAKE)
    seconds = time.monotonic() - start
    assert done.code == 0, done.stderr
    return vault.graph(inferred=True), json.loads(done.stdout)["passages"], seconds


def start_index(vault: TestVault, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "genesys", "index", *args],
        env=child_env(vault.root, FAKE),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    assert process.stderr
    process.stderr.close()


def vectors(vault: TestVault) -> int:
    """Vectors that are safe in the index."""
    try:
        with vault.memory(read_only=True) as memory:
            return memory.status().vectors
    except IndexError_:
        return 0


def notes(vault: TestVault) -> int:
    try:
        with vault.memory(read_only=True) as memory:
            return memory.status().notes
    except IndexError_:
        return 0


def wait_until(reached: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Poll until it holds or the process is done."""
    limit = time.monotonic() + PATIENCE_S
    while not reached() and process.poll() is None:
        assert time.monotonic() < limit


MOMENTS: dict[str, Callable[[TestVault], bool]] = {
    "lease taken": lambda v: lease.is_held(v.root / ".genesys"),
    "first notes": lambda v: notes(v) > 0,
    "first vectors": lambda v: vectors(v) > 0,
    "half the vectors": lambda v: vectors(v) > NOTES * 2,
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_first_pass_is_continued(
    vault: TestVault, undisturbed: tuple[str, int, float], moment: str
) -> None:
    """The next pass ends in the graph of an undisturbed one and embeds what was not safe yet, no more."""
    graph, passages, _ = undisturbed
    process = start_index(fill(vault))
    wait_until(lambda: MOMENTS[moment](vault), process)
    end(process)
    safe = vectors(vault)
    report = vault.index()
    assert (report.passages, report.embedded, report.reused) == (passages, passages - safe, safe)
    assert vault.graph(inferred=True) == graph
    assert vault.index().embedded == 0


def test_a_pass_killed_again_and_again_ends_the_same(
    vault: TestVault, undisturbed: tuple[str, int, float]
) -> None:
    """At several fractions of its time; the vectors of each try stay."""
    graph, passages, seconds = undisturbed
    fill(vault)
    safe = 0
    for fraction in (0.35, 0.5, 0.6, 0.75, 0.9):
        process = start_index(vault)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=fraction * seconds)
        end(process)
        assert vectors(vault) >= safe
        safe = vectors(vault)
    report = vault.index()
    assert (report.embedded, report.passages) == (passages - safe, passages)
    assert vault.graph(inferred=True) == graph


def test_a_kill_amid_moves_and_edits_loses_nothing(
    vault: TestVault, undisturbed: tuple[str, int, float]
) -> None:
    """A renamed folder and edited notes; the graph is that of a fresh index."""
    fill(vault).index()
    (vault.root / "folder 1").rename(vault.root / "renamed")
    for i in range(0, NOTES, 9):
        vault.write(f"folder {i % 9}/note {i}.md", f"edited {i} [[note {i + 1}]]")
    for fraction in (0.3, 0.6):
        process = start_index(vault)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=fraction * undisturbed[2])
        end(process)
    vault.index()
    continued = vault.graph(inferred=True)
    vault.drop_index()
    vault.index()
    assert vault.graph(inferred=True) == continued


def children(pid: int) -> list[int]:
    file = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(p) for p in file.read_text().split()] if file.exists() else []


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_workers_end_with_a_killed_parent(vault: TestVault) -> None:
    """Their input ends; no process is left behind."""
    process = start_index(fill(vault))
    workers: list[int] = []
    wait_until(lambda: bool(workers.extend(children(process.pid)) or workers), process)
    end(process)
    limit = time.monotonic() + PATIENCE_S
    while any(running(pid) for pid in workers):
        assert time.monotonic() < limit


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.fixture
def busy(vault: TestVault) -> Iterator[subprocess.Popen[bytes]]:
    """A pass that is under way and stands still."""
    process = start_index(fill(vault))
    wait_until(lambda: lease.is_held(vault.root / ".genesys"), process)
    process.send_signal(signal.SIGSTOP)
    assert lease.is_held(vault.root / ".genesys")
    yield process
    process.send_signal(signal.SIGCONT)
    end(process)


def test_a_second_pass_is_told_that_one_is_under_way(vault: TestVault, busy: subprocess.Popen[bytes]) -> None:
    """Exit code 3, one line and what to do; the first one ends well."""
    done = run_cli("index", vault=vault.root, env=FAKE)
    assert done.code == 3
    assert done.stdout == ""
    first, *rest = done.stderr.splitlines()
    assert "another Genesys process is writing" in first
    assert len(rest) == 1
    with vault.memory(read_only=True) as memory:
        assert memory.status().writing
    busy.send_signal(signal.SIGCONT)
    assert busy.wait(timeout=PATIENCE_S) == 0
    assert notes(vault) == NOTES


def test_two_first_passes_at_once_make_one_index(vault: TestVault) -> None:
    """Both make the file at the same moment; at least one succeeds, none breaks it."""
    fill(vault)
    both = [start_index(vault, "--no-embed") for _ in range(2)]
    codes = sorted(process.wait(timeout=PATIENCE_S) for process in both)
    for process in both:
        end(process)
    assert codes in ([0, 0], [0, 3])
    report = vault.index(embed=False)
    assert (report.notes, report.added) == (NOTES, 0)


def test_a_look_at_the_lease_never_turns_a_writer_away(vault: TestVault) -> None:
    """`status` asks whether someone writes while another process begins to."""
    vault.write("a.md", "a")
    vault.index()
    folder = vault.root / ".genesys"
    for _ in range(200):
        assert not lease.is_held(folder)
    looker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, pathlib; from genesys.engine import lease\n"
            "while True: lease.is_held(pathlib.Path(sys.argv[1]))",
            str(folder),
        ],
        env=child_env(),
    )
    try:
        for _ in range(30):
            with lease.hold(folder):
                pass
    finally:
        looker.kill()
        looker.wait()
