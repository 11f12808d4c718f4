"""How soon a second session is ready beside a first cold one, and what a bridge weighs beside a bare Python.

    python -m benchmarks.daemon.sessions [--vault DIR] [--rounds N] [--embedder local]

Ready is: process started, ``initialize`` answered, first recall answered; and the same with vectors among its
signals. The vault is indexed before. Ends with 1 where the second takes more than a tenth of the first, or a
bridge more than 40 MB.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import Any

from benchmarks.daemon.harness import Bench, Client, bench, options, report, rss_mb, until

MOST_SHARE, MOST_MB = 0.1, 40.0


def ready(made: Bench) -> tuple[float, float, Client]:
    """Seconds to the first recall, and to the first that has vectors."""
    client = Client(made.env)
    client.recall("why was it decided", read_only=True)
    first = time.perf_counter() - client.start
    until(lambda: "vector" in str(client.call("memory_recall", query="why", read_only=True)["signals"]))
    return first, time.perf_counter() - client.start, client


def sessions(made: Bench, rounds: int) -> dict[str, Any]:
    """Figures of a first cold session and a second one, again and again."""
    cold: list[tuple[float, float]] = []
    warm: list[tuple[float, float]] = []
    client = Client(made.env)
    made.settled()
    client.close()
    for _ in range(rounds):
        made.stop()
        first = ready(made)
        second = ready(made)
        cold.append(first[:2])
        warm.append(second[:2])
        weight = rss_mb(second[2].process.pid)
        first[2].close()
        second[2].close()
    bare = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    time.sleep(0.5)
    bare_mb = rss_mb(bare.pid)
    bare.kill()
    cold_s, warm_s = (statistics.median(x[0] for x in times) for times in (cold, warm))
    cold_all, warm_all = (statistics.median(x[1] for x in times) for times in (cold, warm))
    return {
        "rounds": rounds,
        "first session ready, s (median)": round(cold_s, 3),
        "second session ready, s (median)": round(warm_s, 3),
        "second / first": round(warm_s / cold_s, 3),
        "first with vectors, s (median)": round(cold_all, 3),
        "second with vectors, s (median)": round(warm_all, 3),
        "second / first with vectors": round(warm_all / cold_all, 3),
        "second / first cold": round(warm_s / cold_all, 3),
        "bridge_mb": round(weight, 1),
        "bare_python_mb": round(bare_mb, 1),
        "bridge / bare": round(weight / bare_mb, 2),
    }


def main() -> int:
    parser = options(str(__doc__).splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with bench(given.vault, given.embedder, GENESYS_WRITEBACK="off") as made:
        figures = sessions(made, given.rounds)
    report("sessions", figures)
    return 0 if figures["second / first cold"] <= MOST_SHARE and figures["bridge_mb"] <= MOST_MB else 1


if __name__ == "__main__":
    sys.exit(main())
