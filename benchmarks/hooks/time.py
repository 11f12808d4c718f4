"""How long Claude Code waits for a hook, beside the start of a bare Python, in turns.

    python -m benchmarks.hooks.time [--vault DIR] [--rounds N] [--embedder local]

A round starts each process once: a bare interpreter, and every hook with the daemon up (``user-prompt`` with
a question that the notes answer and with talk that asks nothing). Wall-clock milliseconds from the start of
the process to its end, the median of the rounds; they take turns so that a busy machine is busy for all.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.daemon.harness import Bench, Client, bench, options, report

LIMIT_MS = 300.0
QUESTION = "why did we give up on cellular modems?"
SAID = "We decided to use DuckDB for the reports because it reads Parquet without a server."


def cases(made: Bench) -> dict[str, tuple[str, dict[str, object]]]:
    """Name → hook and its input."""
    transcript = made.vault.parent / "session.jsonl"
    said = {
        "type": "assistant",
        "message": {"role": "assistant", "content": [{"type": "text", "text": SAID}]},
    }
    transcript.write_text(f"{json.dumps(said)}\n" * 500, encoding="utf-8")
    told: dict[str, object] = {"transcript_path": str(transcript)}
    return {
        "session-start": ("session-start", {}),
        "user-prompt, a question": ("user-prompt", {"prompt": QUESTION}),
        "user-prompt, chatter": ("user-prompt", {"prompt": "ok, go on"}),
        "stop": ("stop", told),
        "pre-compact": ("pre-compact", told),
    }


def run(command: list[str], env: dict[str, str], given: dict[str, object]) -> tuple[float, str]:
    """Milliseconds, and what was said."""
    start = time.perf_counter()
    done = subprocess.run(command, env=env, input=json.dumps(given).encode(), capture_output=True, check=True)
    return (time.perf_counter() - start) * 1000, done.stdout.decode()


def main() -> int:
    parser = options(str(__doc__).splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    program = [str(Path(sys.executable).with_name("genesys")), "hook"]
    with bench(given.vault, given.embedder, GENESYS_WRITEBACK="off", GENESYS_HOOK_DEADLINE_S="30") as made:
        client = Client(made.env)
        made.settled()
        todo = cases(made)
        times: dict[str, list[float]] = {name: [] for name in ("bare python", *todo)}
        said: dict[str, str] = {}
        for number in range(given.rounds + 1):
            ms, _ = run([sys.executable, "-c", "pass"], made.env, {})
            times["bare python"].append(ms)
            for name, (hook, asked) in todo.items():
                ms, said[name] = run([*program, hook], made.env, {"session_id": f"{name} {number}", **asked})
                times[name].append(ms)
        client.close()
    medians = {name: statistics.median(rounds[1:]) for name, rounds in times.items()}  # the first: byte code
    figures: dict[str, object] = {"rounds": given.rounds, "limit_ms": LIMIT_MS}
    for name, median in medians.items():
        figures[f"{name}, ms"] = round(median, 1)
        if name != "bare python":
            figures[f"{name} / bare"] = round(median / medians["bare python"], 1)
            figures[f"{name}, characters"] = len(said[name])
    report("hooks.time", figures)
    return int(max(medians.values()) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
