"""Worker processes that read and parse files.

Not ``multiprocessing``: its spawned children run the caller's main module again, which a person's script
that uses the Python API need not survive, and they outlive a killed parent. A worker here is a copy of this
process where that is safe, else a plain interpreter; it answers requests on a pipe and ends with it.
Requests are pickled, answers are rows that :mod:`marshal` writes in a quarter of the time.
"""

from __future__ import annotations

import gc
import marshal
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NoReturn

from genesys.engine.reading import read_record
from genesys.model import FileStat, ParseOptions, Skipped
from genesys.store.prepare import Prepared, bare, prepare, prepared

__all__ = ["Record", "parse_files", "serve", "uncollected"]

Record = Prepared | Skipped
Rows = list[tuple[Any, ...]]
"""(number in the chunk, content hash, rows) of each file, (number, reason) of one that can't be read."""

CHUNK = 64  # files a request; small enough that the last worker is not waited for long
WORTH = 300  # files below which starting workers costs more than it saves (a worker starts in about 0.3 s)
AHEAD = (
    16_000  # bytes of a request that a copy may get before it has answered: what a pipe surely holds twice
)
_LENGTH = 8  # bytes before an answer


def parse_files(
    root: Path, stats: Sequence[FileStat], options: ParseOptions, workers: int
) -> Iterator[list[Record]]:
    """Yield records in chunks, in no particular order; a file that vanished meanwhile is left out."""
    chunks = [stats[i : i + CHUNK] for i in range(0, len(stats), CHUNK)]
    if len(stats) < WORTH or workers < 2:
        for chunk in chunks:
            yield _records(chunk, _read_chunk(root, chunk, options))
        return
    yield from _in_processes(root, chunks, options, workers)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the collector of cycles: among a million rows it looks for what is not there."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _read_chunk(root: Path, chunk: Sequence[FileStat], options: ParseOptions) -> Rows:
    rows: Rows = []
    for number, stat in enumerate(chunk):
        record = read_record(root, stat, options)
        if isinstance(record, Skipped):
            rows.append((number, record.reason))
        elif record is not None:
            rows.append((number, record.stat.content_hash, bare(prepare(record))))
    return rows


def _records(chunk: Sequence[FileStat], rows: Rows) -> list[Record]:
    return [_record(chunk[row[0]], row) for row in rows]


def _record(stat: FileStat, row: tuple[Any, ...]) -> Record:
    if len(row) == 2:
        return Skipped(stat.path, row[1])
    return prepared(stat if stat.content_hash == row[1] else replace(stat, content_hash=row[1]), row[2])


# ------------------------------------------------------------------ this side


@dataclass(slots=True)
class _Worker:
    requests: IO[bytes]
    answers: IO[bytes]
    stop: Callable[[], object]  # ends the process, and waits for that
    ahead: int = 0  # bytes of a request that it may get before it has answered the one before

    def close(self) -> None:
        self.stop()
        for pipe in (self.requests, self.answers):
            try:
                pipe.close()
            except OSError:
                continue  # a request that was never sent


Answer = tuple[Sequence[FileStat], bytes | None]  # a chunk and its rows; None where the worker died


def _in_processes(
    root: Path, chunks: list[Sequence[FileStat]], options: ParseOptions, workers: int
) -> Iterator[list[Record]]:
    todo: queue.SimpleQueue[Sequence[FileStat] | None] = queue.SimpleQueue()
    done: queue.Queue[Answer | Exception | None] = queue.Queue(maxsize=workers * 4)
    for item in (*chunks, *([None] * workers)):
        todo.put(item)
    started: list[_Worker] = []
    try:
        for _ in range(workers):
            started.append(_fork(started) if _may_fork() else _spawn())
        for worker in started:
            pump = threading.Thread(target=_pump, args=(worker, root, options, todo, done), daemon=True)
            pump.start()
        running = workers
        while running:
            answer = done.get()
            if answer is None:
                running -= 1
            elif isinstance(answer, Exception):
                raise answer
            else:
                chunk, raw = answer
                # Should a worker die, its chunk is read here: no note is lost to a crash.
                yield _records(
                    chunk, _read_chunk(root, chunk, options) if raw is None else marshal.loads(raw)
                )
    finally:
        for worker in started:
            worker.close()


def _pump(
    worker: _Worker,
    root: Path,
    options: ParseOptions,
    todo: queue.SimpleQueue[Sequence[FileStat] | None],
    done: queue.Queue[Answer | Exception | None],
) -> None:
    """Feed one worker, and take its answers as bytes: what they say is not this thread's to work out."""
    waiting: deque[Sequence[FileStat]] = deque()
    try:
        more = True
        while more or waiting:
            while more and len(waiting) < 2:
                chunk = todo.get()
                if chunk is None:
                    more = False
                    break
                waiting.append(chunk)
                if _asked(worker, (str(root), chunk, options)) > worker.ahead:
                    break
            if waiting:
                done.put((waiting[0], _answer(worker)))
                waiting.popleft()
    except Exception as e:  # noqa: BLE001 - raised again where the records are awaited
        done.put(e)
    finally:
        done.put(None)


def _asked(worker: _Worker, request: tuple[str, Sequence[FileStat], ParseOptions]) -> int:
    """Send a request; its bytes. That a worker is dead shows when it does not answer."""
    raw = pickle.dumps(request, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        worker.requests.write(raw)
        worker.requests.flush()
    except (OSError, ValueError):
        pass
    return len(raw)


def _answer(worker: _Worker) -> bytes | None:
    try:
        length = int.from_bytes(worker.answers.read(_LENGTH), "little")
        raw = worker.answers.read(length)
    except (OSError, ValueError):
        return None
    return raw if length and len(raw) == length else None


def _spawn() -> _Worker:
    code = "import sys; sys.path[:0] = sys.argv[1:]; from genesys.engine.pool import serve; serve()"
    package = str(Path(__file__).resolve().parents[2])
    # -P: the current folder may be a vault, and what lies in a vault is never imported.
    command = [sys.executable, "-P", "-c", code, package]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True)
    assert process.stdin is not None
    assert process.stdout is not None

    def stop() -> None:
        process.kill()
        process.wait()

    return _Worker(process.stdin, process.stdout, stop)


def _may_fork() -> bool:
    """Whether a copy of this process is safe: Linux, and no other thread whose locks it would inherit."""
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _fork(others: Sequence[_Worker]) -> _Worker:
    """A worker that need not import anything. It never touches what else this process has open."""
    import genesys.parse.note  # noqa: F401 - once, not in each

    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    process = os.fork()
    if not process:
        ours = (to_write, back_read, *(f.fileno() for w in others for f in (w.requests, w.answers)))
        _be_worker(to_read, back_write, ours)
    os.close(to_read)
    os.close(back_write)

    def stop() -> None:
        os.kill(process, 9)
        os.waitpid(process, 0)

    return _Worker(os.fdopen(to_write, "wb"), os.fdopen(back_read, "rb"), stop, AHEAD)


# ------------------------------------------------------------------ the worker's side


def _be_worker(requests: int, answers: int, close: Sequence[int]) -> NoReturn:
    import signal

    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the parent has it too, and ends us
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for number in close:
            os.close(number)
        serve(os.fdopen(requests, "rb"), os.fdopen(answers, "wb"))
    finally:
        os._exit(0)  # nothing of the parent's is closed or written


def serve(source: IO[bytes] | None = None, sink: IO[bytes] | None = None) -> None:
    """The worker's loop: until standard input ends."""
    source = source or sys.stdin.buffer
    sink = sink or os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to stderr, never among the answers
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)  # a note's objects go by themselves
    while True:
        try:
            request: Any = pickle.load(source)
        except EOFError:
            return
        root, chunk, options = request
        raw = marshal.dumps(_read_chunk(Path(root), chunk, options))
        sink.write(len(raw).to_bytes(_LENGTH, "little") + raw)
        sink.flush()
