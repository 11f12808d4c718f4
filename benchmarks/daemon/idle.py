"""What a daemon costs that nobody asks, and whether it grows with a thousand recalls and a thousand edits.

    python -m benchmarks.daemon.idle --vault DIR [--seconds 60] [--times 1000]

Processor seconds over the idle time as a share of one processor; resident memory before and after; and
whether a single note was written. Growth is what the last half added: caches fill in the first.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

from benchmarks.daemon.harness import Client, bench, cpu_s, options, report, rss_mb


def fingerprint(vault: Path) -> str:
    found = hashlib.blake2b()
    for note in sorted(vault.rglob("*.md")):
        found.update(str(note).encode("utf-8", "surrogateescape"))
        found.update(str(note.stat().st_mtime_ns).encode())
    return found.hexdigest()


def main() -> int:
    parser = options(str(__doc__).splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--times", type=int, default=1000)
    given = parser.parse_args()
    # Hardly any pause, so that edits are read one by one and not in a few bursts.
    with bench(given.vault, given.embedder, GENESYS_DEBOUNCE_MS="10") as made:
        client = Client(made.env)
        client.recall("warm up")
        note = made.vault / "Edited again and again.md"
        note.write_text("A first pass fills the caches.", encoding="utf-8")
        pid = made.settled()["pid"]
        client.recall("warm up again")
        before, used = fingerprint(made.vault), cpu_s(pid)
        time.sleep(given.seconds)
        used = cpu_s(pid) - used
        same = before == fingerprint(made.vault)
        rss = [rss_mb(pid)]
        for half in range(2):
            for number in range(given.times // 2):
                client.recall(f"question number {half} {number}", read_only=True)
            rss.append(rss_mb(pid))
        for half in range(2):
            for number in range(given.times // 2):
                note.write_text(f"Edit {half} {number}.", encoding="utf-8")
                time.sleep(0.05)
            made.settled()
            rss.append(rss_mb(pid))
        passes = made.log().count(" added, ")
        client.close()
    report(
        "idle",
        {
            "idle seconds": given.seconds,
            "cpu % of one processor": round(100 * used / given.seconds, 3),
            "no note was written": same,
            "rss_mb (idle)": round(rss[0], 1),
            f"rss_mb (after {given.times // 2} recalls)": round(rss[1], 1),
            f"rss_mb (after {given.times} recalls)": round(rss[2], 1),
            f"rss_mb (after {given.times // 2} edits)": round(rss[3], 1),
            f"rss_mb (after {given.times} edits)": round(rss[4], 1),
            "passes over edits": passes,
            "growth_mb (second half of recalls)": round(rss[2] - rss[1], 1),
            "growth_mb (second half of edits)": round(rss[4] - rss[3], 1),
        },
    )
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
