"""Worker processes that read and parse files.

Not ``multiprocessing``: its spawned children run the caller's main module again, which a person's script
that uses the Python API need not survive, and they outlive a killed parent. A worker here is a plain
interpreter that answers pickled requests on its standard input and ends with it.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from genesys.engine.reading import read_record
from genesys.model import FileRecord, FileStat, ParseOptions, Skipped

__all__ = ["Record", "parse_files", "serve"]

Record = FileRecord | Skipped

CHUNK = 64  # files a request; small enough that the last worker is not waited for long
WORTH = 300  # files below which starting workers costs more than it saves (a worker starts in about 0.3 s)


def parse_files(
    root: Path, stats: Sequence[FileStat], options: ParseOptions, workers: int
) -> Iterator[list[Record]]:
    """Yield records in chunks, in no particular order; a file that vanished meanwhile is left out."""
    chunks = [stats[i : i + CHUNK] for i in range(0, len(stats), CHUNK)]
    if len(stats) < WORTH or workers < 2:
        for chunk in chunks:
            yield _read_chunk(root, chunk, options)
        return
    yield from _in_processes(root, chunks, options, workers)


def _read_chunk(root: Path, chunk: Sequence[FileStat], options: ParseOptions) -> list[Record]:
    records = (read_record(root, stat, options) for stat in chunk)
    return [record for record in records if record is not None]


def _in_processes(
    root: Path, chunks: list[Sequence[FileStat]], options: ParseOptions, workers: int
) -> Iterator[list[Record]]:
    todo: queue.SimpleQueue[Sequence[FileStat] | None] = queue.SimpleQueue()
    done: queue.Queue[list[Record] | Exception | None] = queue.Queue(maxsize=workers * 4)
    for item in (*chunks, *([None] * workers)):
        todo.put(item)
    processes = [_start() for _ in range(workers)]
    threads = [
        threading.Thread(target=_pump, args=(p, root, options, todo, done), daemon=True) for p in processes
    ]
    for thread in threads:
        thread.start()
    try:
        running = workers
        while running:
            records = done.get()
            if records is None:
                running -= 1
            elif isinstance(records, Exception):
                raise records
            else:
                yield records
    finally:
        for process in processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    pipe.close()


def _start() -> subprocess.Popen[bytes]:
    code = "import sys; sys.path[:0] = sys.argv[1:]; from genesys.engine.pool import serve; serve()"
    package = str(Path(__file__).resolve().parents[2])
    # -P: the current folder may be a vault, and what lies in a vault is never imported.
    command = [sys.executable, "-P", "-c", code, package]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True)


def _pump(
    process: subprocess.Popen[bytes],
    root: Path,
    options: ParseOptions,
    todo: queue.SimpleQueue[Sequence[FileStat] | None],
    done: queue.Queue[list[Record] | Exception | None],
) -> None:
    """Feed one worker. Should it die, its chunk is parsed here: no note is lost to a crash."""
    try:
        while (chunk := todo.get()) is not None:
            try:
                assert process.stdin is not None
                assert process.stdout is not None
                pickle.dump((str(root), chunk, options), process.stdin)
                process.stdin.flush()
                records: list[Record] = pickle.load(process.stdout)
            except (OSError, EOFError, pickle.UnpicklingError, ValueError):
                records = _read_chunk(root, chunk, options)
            done.put(records)
    except Exception as e:  # noqa: BLE001 - raised again where the records are awaited
        done.put(e)
    finally:
        done.put(None)


def serve(source: IO[bytes] | None = None, sink: IO[bytes] | None = None) -> None:
    """The worker's loop: until standard input ends."""
    source = source or sys.stdin.buffer
    sink = sink or os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to stderr, never among the answers
    while True:
        try:
            request: Any = pickle.load(source)
        except EOFError:
            return
        root, chunk, options = request
        records = _read_chunk(Path(root), chunk, options)
        pickle.dump(records, sink, protocol=pickle.HIGHEST_PROTOCOL)
        sink.flush()
