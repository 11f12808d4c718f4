"""What a note says, from a file of examples: add a case there and it is a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from genesys.model import Link, Note, ParseOptions
from genesys.parse.note import parse_note

FIXTURE = Path(__file__).parent / "fixtures" / "reading.txt"


def examples() -> Iterator[tuple[str, str, str]]:
    parts = FIXTURE.read_text(encoding="utf-8").replace("␍", "\r").split("\n.\n")[1:]
    assert len(parts) % 3 == 0, "a separator is missing"
    for at in range(0, len(parts), 3):
        yield parts[at], parts[at + 1], parts[at + 2].rstrip("\n")


def line_of(link: Link) -> str:
    return " ".join(filter(None, (f"{link.line} {link.kind.value} {link.target}", link.subpath, link.key)))


def told(note: Note) -> str:
    return "\n".join([*map(line_of, note.links), *(f"#{tag}" for tag in note.tags)]) or "nothing"


@pytest.mark.parametrize(("text", "expected"), [pytest.param(t, e, id=name) for name, t, e in examples()])
def test_example(text: str, expected: str) -> None:
    """A note says what its example says it does, links in order and each on its line."""
    assert expected == told(parse_note("folder/note.md", text.encode(), ParseOptions(cues=False)))
