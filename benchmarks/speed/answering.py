"""Rows about a daemon and what it answers: recall, a changed note, sessions, memory."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.daemon.first_index import first_found
from benchmarks.daemon.harness import Client, bench, rss_mb
from benchmarks.daemon.sessions import sessions as session_figures
from benchmarks.daemon.visible import FLOOR_MS, TEXT, visible
from benchmarks.index.nochange import BARE, measured
from benchmarks.speed.row import Row
from benchmarks.speed.setup import Setup, alternately

__all__ = ["change", "command", "keywords", "memory", "recall", "sessions"]

QUESTIONS = 60
LOADED = (
    "from genesys.embed import load_embedder; from genesys.settings import load_settings; import sys; "
    "load_embedder(load_settings()).encode_query('a question'); print(); sys.stdout.flush(); input()"
)


def keywords(setup: Setup) -> Iterator[Row]:
    with bench(setup.vault, "fake", GENESYS_WRITEBACK="off") as made:
        found = first_found(made)
    yield Row("keywords", "first keyword answer on a new vault", "start of the session", 0, found, slack=2.0)


def recall(setup: Setup) -> Iterator[Row]:
    from genesys.engine.session import Genesys

    with Genesys.open(setup.settings(setup.filled), read_only=True) as memory:
        asked = questions(memory._index)
        bare = Bare(memory._index, setup.embedder)
        memory._embedder = setup.embedder

        def answer(question: str) -> object:
            return memory.recall(question, read_only=True)

        for question in asked[:10]:
            bare.ask(question)
            answer(question)
        pairs = [(timed(bare.ask, q), timed(answer, q)) for q in asked[10:]]
    floor, ours = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
    worst = statistics.quantiles([pair[1] for pair in pairs], n=20)[-1]
    of = "query embedding, FTS5, numpy scan"
    yield Row(
        "recall", "recall, median, CPU", of, floor, ours, unit="ms", most=1.5, note=f"95 %: {worst:.0f} ms"
    )


class Bare:
    """The least that a hybrid search does: the question's vector, BM25 over its words, a scan of vectors."""

    def __init__(self, index: Any, model: Any) -> None:
        self.index, self.model = index, model
        self.matrix = index.matrix(model.model_id)

    def ask(self, question: str) -> object:
        import numpy as np

        cosine = np.asarray(self.matrix.vectors, dtype=np.float32) @ self.model.encode_query(question)
        near = np.argpartition(cosine, -50)[-50:]
        match = " OR ".join('"' + word.replace('"', '""') + '"' for word in question.lower().split())
        return near, self.index.search_text(match, (1, 1, 1, 1), 50)


def questions(index: Any) -> Sequence[str]:
    titles = sorted(row.title for row in index.names() if len(row.title.split()) > 1)
    step = max(1, len(titles) // QUESTIONS)
    return [f"what do I know about {title}" for title in titles[::step][:QUESTIONS]]


def timed(call: Callable[[str], object], question: str) -> float:
    """CPU milliseconds."""
    start = time.process_time()
    call(question)
    return (time.process_time() - start) * 1000


def change(setup: Setup) -> Iterator[Row]:
    from genesys.model import ParseOptions
    from genesys.parse.note import parse_note

    def once(number: str) -> object:
        note = parse_note(f"{number}.md", TEXT.format(number).encode(), ParseOptions())
        return setup.embedder.encode([passage.embed_text for passage in note.passages])

    floor = statistics.median(timed(once, str(number)) for number in range(20))
    with bench(setup.filled, "local", GENESYS_WRITEBACK="off", **precision(setup)) as made:
        figures = visible(made, 10)
    words, vectors = figures["words_ms (median)"], figures["vectors_ms (median)"]
    what = "one note changed, to its vector"
    note = f"words after {words:.0f} ms, vectors after {vectors:.0f}, debounce {FLOOR_MS:.0f} not counted"
    of = "parse and embed that note"
    yield Row("change", what, of, floor, vectors - FLOOR_MS, unit="ms", most=2.0, note=note)


def precision(setup: Setup) -> dict[str, str]:
    return {"GENESYS_EMBED_PRECISION": setup.precision}


def command(setup: Setup) -> Iterator[Row]:
    with bench(setup.filled, "local", GENESYS_WRITEBACK="off", **precision(setup)) as made:
        client = Client(made.env)
        made.settled()
        client.recall("warm up", read_only=True)
        args = ("-m", "genesys", "recall", "why was it decided", "--read-only")
        for at, name in ((1, "CPU"), (0, "wall")):
            bare, ours = alternately(
                setup.rounds + 4,
                lambda: measured("-c", BARE, env=made.env, rounds=1)[at],  # noqa: B023
                lambda: measured(*args, env=made.env, rounds=1)[at],  # noqa: B023
            )
            what = f"genesys recall, daemon up, {name}"
            yield Row("command", what, f"python -c {BARE!r}", bare, ours, most=2.5)
        client.close()


def sessions(setup: Setup) -> Iterator[Row]:
    with bench(setup.filled, "local", GENESYS_WRITEBACK="off", **precision(setup)) as made:
        found = session_figures(made, setup.rounds)
    cold, warm = found["first with vectors, s (median)"], found["second session ready, s (median)"]
    yield Row("sessions", "second session, to its first recall", "the first, cold", cold, warm, most=0.1)
    bare, bridge = found["bare_python_mb"], found["bridge_mb"]
    yield Row("sessions", "memory of a bridge", "bare interpreter", bare, bridge, unit="MB", most=2.5)


def memory(setup: Setup) -> Iterator[Row]:
    with bench(setup.filled, "local", GENESYS_WRITEBACK="off", **precision(setup)) as made:
        child = subprocess.Popen(
            [sys.executable, "-c", LOADED], env=made.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert child.stdout
        child.stdout.readline()
        model = rss_mb(child.pid)
        child.kill()
        child.wait()
        client = Client(made.env)
        pid = made.settled()["pid"]
        for number in range(30):
            client.recall(f"question number {number}", read_only=True)
        ours = rss_mb(pid)
        client.close()
    yield Row("memory", "memory of the daemon", "a process with the model", model, ours, unit="MB", most=1.3)
