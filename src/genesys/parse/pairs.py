"""Pairs of a question and the note that answers it: CSV, TSV or JSON lines. Pure."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

__all__ = ["Pair", "read_pairs"]

_QUESTION = ("question", "query", "text")
_NOTE = ("note", "notes", "gold", "path")
_HEADS = frozenset((*_QUESTION, *_NOTE))


@dataclass(frozen=True, slots=True)
class Pair:
    """``line`` counts from 1; ``problem`` says why the line is no pair, "" where it is one."""

    line: int
    question: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""


def read_pairs(text: str, ending: str = "") -> list[Pair]:
    """The pairs of a file; ``ending`` (``jsonl``, ``tsv``, ``csv``) decides the form, else the first line.

    A line that is no pair comes back with its problem and costs no other. A first row of column names is left
    out. Never raises.
    """
    text = text.removeprefix("\ufeff")
    first = text.lstrip().partition("\n")[0]
    if ending in ("jsonl", "ndjson", "json") or (ending not in ("csv", "tsv") and first.startswith("{")):
        return list(_json_lines(text))
    return list(_table(text, "\t" if ending == "tsv" or (ending != "csv" and "\t" in first) else ","))


def _json_lines(text: str) -> Iterator[Pair]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield Pair(number, problem="not JSON")
            continue
        if not isinstance(row, dict):
            yield Pair(number, problem='not an object: {"question", "note"}')
            continue
        question = next((row[key] for key in _QUESTION if key in row), "")
        notes = next((row[key] for key in _NOTE if key in row), "")
        yield _pair(number, question, notes if isinstance(notes, list) else [notes])


def _table(text: str, separator: str) -> Iterator[Pair]:
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator)
    rows = iter(reader)
    first = True
    while True:
        number = reader.line_num + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Pair(number, problem=f"not a row: {error}")
            continue
        if row is None:
            return
        heading = first and len(row) > 1 and {cell.strip().lower() for cell in row} <= _HEADS
        first = False
        if any(cell.strip() for cell in row) and not heading:
            yield _pair(number, row[0], list(row[1:]))


def _pair(number: int, question: object, notes: list[object]) -> Pair:
    if not isinstance(question, str) or not question.strip():
        return Pair(number, problem="there is no question")
    names = tuple(n.strip() for n in notes if isinstance(n, str) and n.strip())
    if not names:
        return Pair(number, question.strip(), problem="there is no note")
    return Pair(number, question.strip(), names)
