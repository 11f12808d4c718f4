"""Bare work on the same files, in a process of its own: ``python -m benchmarks.speed.floors NAME VAULT``.

Prints the CPU seconds that the work took, without the start of Python.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

__all__ = ["main"]


def notes(vault: Path) -> list[Path]:
    return [
        path
        for path in sorted(vault.rglob("*.md"))
        if not any(part.startswith(".") for part in path.relative_to(vault).parts)
    ]


def parse(vault: Path) -> float:
    """markdown-it-py's block rules, without its inline pass."""
    from markdown_it import MarkdownIt

    texts = [path.read_text(encoding="utf-8", errors="replace") for path in notes(vault)]
    parser = MarkdownIt("commonmark").enable("table")
    start = time.process_time()
    for text in texts:
        parser.block.parse(text, parser, {}, [])
    return time.process_time() - start


def ours(vault: Path) -> float:
    """:func:`genesys.parse.note.parse_note`: passages, links, properties and all."""
    from genesys.model import ParseOptions
    from genesys.parse.note import parse_note

    read = [(str(path.relative_to(vault)), path.read_bytes()) for path in notes(vault)]
    options = ParseOptions()
    start = time.process_time()
    for name, raw in read:
        parse_note(name, raw, options)
    return time.process_time() - start


def hashes(vault: Path) -> float:
    """Read and SHA-256 of every file."""
    files = [path for path in vault.rglob("*") if path.is_file() and ".genesys" not in path.parts]
    start = time.process_time()
    for path in files:
        hashlib.sha256(path.read_bytes()).digest()
    return time.process_time() - start


def main(name: str, vault: str) -> None:
    print({"parse": parse, "ours": ours, "hashes": hashes}[name](Path(vault)))


if __name__ == "__main__":
    main(*sys.argv[1:])
