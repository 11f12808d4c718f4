"""A ``git checkout`` that changes thousands of notes: how many passes, and how long recalls take meanwhile.

    python -m benchmarks.daemon.checkout --vault DIR [--notes 2000]

The floor is the median of the same recalls while nothing happens. Ends with 1 where there was more than one
pass.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.daemon.harness import Client, bench, options, report

QUESTIONS = ("why was it decided", "what does the model say", "notes on security", "history of the language")


def git(vault: Path, *words: str) -> None:
    own = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "core.autocrlf=false"]
    subprocess.run(["git", "-C", str(vault), *own, *words], check=True, stdout=subprocess.DEVNULL)


def two_branches(vault: Path, count: int) -> int:
    """The vault as it is, and a branch where so many notes have another line; how many notes have."""
    (vault / ".gitignore").write_text(".genesys/\n", encoding="utf-8")
    git(vault, "init", "-q", "-b", "before")
    git(vault, "add", "-A")
    git(vault, "commit", "-qm", "before")
    git(vault, "checkout", "-qb", "after")
    notes = sorted(p for p in vault.rglob("*.md") if not any(x.startswith(".") for x in p.parts[-3:]))[:count]
    for note in notes:
        with note.open("a", encoding="utf-8") as file:
            file.write("\nOne more line of a branch.\n")
    git(vault, "commit", "-qam", "after")
    git(vault, "checkout", "-q", "before")
    return len(notes)


def timed(client: Client, number: int, read_only: bool) -> float:
    start = time.perf_counter()
    client.recall(f"{QUESTIONS[number % len(QUESTIONS)]} {number}", read_only=read_only)
    return (time.perf_counter() - start) * 1000


def main() -> int:
    parser = options(str(__doc__).splitlines()[0])
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument(
        "--read-only", action="store_true", help="recalls leave no trace, so they write nothing"
    )
    given = parser.parse_args()
    with bench(given.vault, given.embedder, GENESYS_WRITEBACK="off") as made:
        changed = two_branches(made.vault, given.notes)
        client = Client(made.env)
        made.settled()
        client.recall("warm up")
        quiet = [timed(client, number, given.read_only) for number in range(40)]
        passes = made.log().count(" added, ")
        start = time.perf_counter()
        checkout = subprocess.Popen(["git", "-C", str(made.vault), "checkout", "-q", "after"])
        busy: list[float] = []
        read_s = 0.0
        while True:
            busy.append(timed(client, 1000 + len(busy), given.read_only))
            if checkout.poll() is not None and made.log().count(" added, ") > passes and not read_s:
                read_s = time.perf_counter() - start
            if read_s and client.call("memory_stats")["pending"] == 0:
                break
        total_s = time.perf_counter() - start
        found = [line for line in made.log().splitlines() if " added, " in line][passes:]
        client.close()
    floor = statistics.median(quiet)
    report(
        "checkout",
        {
            "notes changed": changed,
            "passes": len(found),
            "read by then": found[0].rpartition(": ")[2] if found else "",
            "seconds to words": round(read_s, 1),
            "seconds to vectors": round(total_s, 1),
            "recalls meanwhile": len(busy),
            "floor_ms (median recall, quiet)": round(floor, 1),
            "worst_ms (quiet)": round(max(quiet), 1),
            "recall_ms (median, meanwhile)": round(statistics.median(busy), 1),
            "recall_ms (worst, meanwhile)": round(max(busy), 1),
            "worst / floor": round(max(busy) / floor, 1),
        },
    )
    return 0 if len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
