"""Recalls while a vault is indexed for the first time: the first answer, and how long any had to wait.

    python -m benchmarks.daemon.first_index --vault DIR [--seconds 120] [--embedder local]

The index of the copy is removed first. The floor is the median of the same recalls afterwards (or, where the
vectors were not done in time, of the last tenth).
"""

from __future__ import annotations

import shutil
import statistics
import time

from benchmarks.daemon.harness import Bench, Client, bench, options, report, until

QUESTIONS = ("why was it decided", "what does the model say", "notes on security", "history of the language")


def first_found(made: Bench) -> float:
    """Seconds from the start of a session on a vault without an index to the first recall with an answer."""
    shutil.rmtree(made.vault / ".genesys", ignore_errors=True)
    client = Client(made.env)
    until(lambda: any(client.recall(question, read_only=True) for question in QUESTIONS))
    found_s = time.perf_counter() - client.start
    client.close()
    return found_s


def main() -> None:
    parser = options(str(__doc__).splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0, help="stop asking after so long")
    given = parser.parse_args()
    with bench(given.vault, given.embedder, GENESYS_WRITEBACK="off") as made:
        shutil.rmtree(made.vault / ".genesys", ignore_errors=True)
        client = Client(made.env)
        greeted_s = time.perf_counter() - client.start
        times: list[float] = []
        found_s = words_s = 0.0
        while time.perf_counter() - client.start < given.seconds:
            start = time.perf_counter()
            found = client.recall(f"{QUESTIONS[len(times) % len(QUESTIONS)]} {len(times)}")
            times.append((time.perf_counter() - start) * 1000)
            if found and not found_s:
                found_s = time.perf_counter() - client.start
            stats = client.call("memory_stats")
            if not words_s and " added, " in made.log():
                words_s = time.perf_counter() - client.start
            if words_s and stats["pending"] == 0:
                break
        total_s = time.perf_counter() - client.start
        settled = [client.recall(f"{QUESTIONS[n % len(QUESTIONS)]} quiet {n}") for n in range(2)]
        quiet = []
        for number in range(30):
            start = time.perf_counter()
            client.recall(f"{QUESTIONS[number % len(QUESTIONS)]} again {number}")
            quiet.append((time.perf_counter() - start) * 1000)
        client.close()
    floor = statistics.median(quiet)
    report(
        "first_index",
        {
            "handshake, s": round(greeted_s, 2),
            "first recall that finds something, s": round(found_s, 2),
            "all words and links, s": round(words_s, 1),
            "end of the measurement, s": round(total_s, 1),
            "vectors still pending": stats["pending"],
            "recalls": len(times),
            "floor_ms (median recall, afterwards)": round(floor, 1),
            "recall_ms (median)": round(statistics.median(times), 1),
            "recall_ms (95 %)": round(statistics.quantiles(times, n=20)[-1], 1),
            "recall_ms (worst)": round(max(times), 1),
            "worst / floor": round(max(times) / floor, 1),
            "answers afterwards": len(settled[0]),
        },
    )


if __name__ == "__main__":
    main()
