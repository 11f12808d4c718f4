"""The text of PDF and Word files, read in a process of its own: a hostile file costs only itself.

The child has a limit of memory, of processor time and of what it may answer, and is killed when its time is
over. The parsers come with the optional extra ``attachments``.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["Extract", "Limits", "available", "extract", "serve"]

Section = tuple[tuple[str, ...], str]

MEMORY = 1 << 30  # bytes of address space a parser may take
MAX_CHARS = 5_000_000  # of text from one file
MAX_UNPACKED = 200 << 20  # bytes of a Word file, unpacked: a zip bomb says so in its directory, or is cut
_HEAD = 5  # bytes that tell what a file is


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` of wall clock, ``pages`` of a PDF, ``size`` in bytes."""

    size: int
    pages: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.size}-{self.pages}-{self.seconds:g}"


@dataclass(frozen=True, slots=True)
class Extract:
    """``sections`` are (heading path, text); ``problem`` is one line, "" where all of it was read."""

    sections: tuple[Section, ...] = ()
    problem: str = ""


@cache
def available() -> bool:
    """Whether the extra is installed."""
    return find_spec("pypdf") is not None and find_spec("docx") is not None


def extract(path: str, raw: bytes, limits: Limits) -> Extract:
    """What a file says; whatever is wrong with it is its ``problem``, and nothing is raised."""
    if len(raw) > limits.size:
        return Extract(problem=f"larger than {limits.size >> 20} MB: its text is not read")
    code = "import sys; sys.path[:0] = sys.argv[1:2]; from genesys.extract import serve; serve(sys.argv[2:])"
    package = str(Path(__file__).resolve().parents[1])
    kind = "pdf" if path.lower().endswith(".pdf") else "docx"
    # -P: the current folder may be a vault, and what lies in a vault is never imported.
    command = [
        sys.executable,
        "-P",
        "-c",
        code,
        package,
        kind,
        str(limits.pages),
        str(int(limits.seconds) + 1),
    ]
    try:
        done = subprocess.run(
            command,
            input=raw,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=limits.seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Extract(problem=f"its text could not be read within {limits.seconds:g} seconds")
    except OSError as error:
        return Extract(problem=f"its text can't be read: {error.strerror or error}")
    try:
        answer = json.loads(done.stdout)
        sections = tuple((tuple(map(str, head)), str(text)) for head, text in answer["sections"])
        return Extract(sections, str(answer["problem"]))
    except (ValueError, KeyError, TypeError):
        return Extract(problem="its text can't be read: the file is damaged, or takes too much memory")


def serve(arguments: list[str]) -> None:
    """The child: a file on standard input, its text as JSON on standard output."""
    import logging
    import os
    import warnings

    kind, pages, seconds = arguments[0], int(arguments[1]), int(arguments[2])
    _bound(seconds)
    logging.disable()
    warnings.simplefilter("ignore")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to stderr, never into the answer
    raw = sys.stdin.buffer.read()
    sections: list[Section] = []
    problem = ""
    try:
        room = MAX_CHARS
        for item in _pdf(raw, pages) if kind == "pdf" else _docx(raw):
            if isinstance(item, str):
                problem = item
                continue
            sections.append((item[0], item[1][:room]))
            room -= len(item[1])
            if room <= 0:
                problem = f"only its first {MAX_CHARS:,} characters are read"
                break
    except Exception as error:  # noqa: BLE001 - whatever a parser trips over is the file's problem
        words = " ".join(str(error).split())[:100]
        problem = f"its text can't be read ({type(error).__name__}{': ' + words if words else ''})"
    sink.write(json.dumps({"sections": sections, "problem": problem}).encode("utf-8", "replace"))
    sink.flush()


def _bound(seconds: int) -> None:
    """Limits of the system, where it has them."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _pdf(raw: bytes, most: int) -> Iterator[Section | str]:
    """Each page that has text; a problem as a text."""
    from pypdf import PasswordType, PdfReader

    reader = PdfReader(io.BytesIO(raw))
    if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
        yield "encrypted: its text is not read"
        return
    failed = words = 0
    count = len(reader.pages)
    for number in range(min(count, most)):
        try:
            text = reader.pages[number].extract_text()
        except Exception:  # noqa: BLE001 - one bad page must not cost the others
            failed += 1
            continue
        if text.strip():
            words += 1
            yield (f"page {number + 1}",), text
    if failed:
        yield f"{failed} of its pages can't be read"
    elif count > most:
        yield f"only its first {most} pages are read"
    elif not words:
        yield "no text in it: pictures of pages, perhaps"


def _docx(raw: bytes) -> Iterator[Section | str]:
    """What stands under each heading, tables row by row."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED:
            yield f"larger than {MAX_UNPACKED >> 20} MB when unpacked: its text is not read"
            return
    from docx import Document

    path: list[tuple[int, str]] = []
    lines: list[str] = []
    for block in Document(io.BytesIO(raw)).iter_inner_content():
        level = _level(block)
        text = _block_text(block)
        if not level:
            lines.append(text)
            continue
        if "".join(lines).strip():
            yield tuple(title for _, title in path), "\n\n".join(lines)
        lines = []
        path = [*(p for p in path if p[0] < level), (level, " ".join(text.split()))]
    if lines or path:
        yield tuple(title for _, title in path), "\n\n".join(lines)


def _level(block: Any) -> int:
    """1 to 9 for a heading, 0 for anything else."""
    name = getattr(getattr(block, "style", None), "name", None) or ""
    digits = name.removeprefix("Heading ")
    return int(digits) if digits != name and digits.isdigit() and hasattr(block, "runs") else 0


def _block_text(block: Any) -> str:
    if hasattr(block, "rows"):
        return "\n".join(" | ".join(cell.text for cell in row.cells) for row in block.rows)
    return str(block.text)
