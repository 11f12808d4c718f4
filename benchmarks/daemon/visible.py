"""How soon a file that another program writes is recalled: by its words, and by its meaning.

    python -m benchmarks.daemon.visible [--vault DIR] [--rounds N] [--embedder local]

The floor is the quiet time that the watcher waits for (GENESYS_DEBOUNCE_MS, 300 by default): nothing can be
visible sooner. Milliseconds from the end of the write to the first recall that has the note, and until no
passage waits for its vector.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

from benchmarks.daemon.harness import Bench, Client, bench, options, report, until

FLOOR_MS = 300.0
TEXT = "Zyx{0}qj is written here."


def visible(made: Bench, rounds: int) -> dict[str, Any]:
    """Figures of ``rounds`` new notes in an idle vault."""
    client = Client(made.env)
    client.recall("warm up", read_only=True)
    made.settled()
    words: list[float] = []
    vectors: list[float] = []
    asked: list[float] = []
    for number in range(rounds):
        note = made.vault / f"Visible {number}.md"
        note.write_text(TEXT.format(number), encoding="utf-8")
        start = time.perf_counter()
        query = f"zyx{number}qj"
        until(lambda: note.name in client.recall(query, read_only=True, k=10))  # noqa: B023
        words.append((time.perf_counter() - start) * 1000)
        until(lambda: client.call("memory_stats")["pending"] == 0)
        vectors.append((time.perf_counter() - start) * 1000)
        start = time.perf_counter()
        client.recall(query, read_only=True)
        asked.append((time.perf_counter() - start) * 1000)
    client.close()
    return {
        "rounds": rounds,
        "floor_ms (debounce)": FLOOR_MS,
        "recall_ms (median)": round(statistics.median(asked), 1),
        "words_ms (median)": round(statistics.median(words)),
        "words_ms (worst)": round(max(words)),
        "words / floor": round(statistics.median(words) / FLOOR_MS, 2),
        "vectors_ms (median)": round(statistics.median(vectors)),
        "vectors_ms (worst)": round(max(vectors)),
        "vectors / floor": round(statistics.median(vectors) / FLOOR_MS, 2),
    }


def main() -> None:
    parser = options(str(__doc__).splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    with bench(given.vault, given.embedder, GENESYS_WRITEBACK="off") as made:
        report("visible", visible(made, given.rounds))


if __name__ == "__main__":
    main()
