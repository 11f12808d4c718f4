"""A markdown file, read: any bytes give a note, and what could not be read is said in one line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from genesys.model import Json, Note, ParseOptions, Passage, Relation
from genesys.parse import properties as props
from genesys.parse.body import Body, read_body
from genesys.parse.edges import vocabulary
from genesys.parse.frontmatter import Properties, load, split
from genesys.parse.links import TextLinks, property_links, text_links
from genesys.parse.passages import Frame, cut_passages, title_passage
from genesys.parse.text import digest, fold, stem

__all__ = ["is_conflict_copy", "parse_note"]

_HEAD_BYTES = 200_000  # of a note over the limit, what is read all the same
_CONFLICT = re.compile(
    r"\.sync-conflict-\d|conflict(?:ed)? copy|\(conflict|_conflict-\d|\.conflict\b|\(case conflict"
    r"|\(.*in Konflikt stehende Kopie|копия с конфликтом|冲突副本",
    re.IGNORECASE,
)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(slots=True)
class _Decoded:
    text: str
    problem: str = ""
    refuse: str = ""


def parse_note(path: str, raw: bytes, options: ParseOptions, content_hash: str = "") -> Note:
    """Return the note in ``raw``; ``path`` is its vault path. No bytes make it raise.

    ``options.max_note_bytes`` bounds what is read in full: of a larger note the first part alone.
    ``content_hash`` is that of the bytes, where the caller knows it.
    """
    decoded = _decode(raw if len(raw) <= options.max_note_bytes else raw[:_HEAD_BYTES])
    text = decoded.text
    block = split(text)
    loaded = load(block) if block else Properties({})
    body_text = _plain_newlines(text[block.body :] if block else text)
    first_line = block.body_line if block else 1
    known = _known(options.relation_keys)
    body = _body(body_text)
    found = text_links(body.texts, known, first_line=first_line, use_cues=options.cues)
    problems = [decoded.problem, loaded.problem]
    if len(raw) > options.max_note_bytes:
        problems.append(f"larger than {options.max_note_bytes} bytes: only its start is read; split the note")
    content_hash = content_hash or digest(raw)
    return _note(
        path, content_hash, options, loaded, body_text, body, found, first_line, decoded.refuse, problems
    )


def is_conflict_copy(path: str) -> bool:
    """Return whether a sync service made this file because two edits met (``Plan 2.md`` is none)."""
    name = path.rpartition("/")[2]
    if name.isascii() and "conflict" not in name.lower():
        return False
    return _CONFLICT.search(name) is not None


def _note(
    path: str,
    content_hash: str,
    options: ParseOptions,
    loaded: Properties,
    body_text: str,
    body: Body,
    found: TextLinks,
    first_line: int,
    refuse: str,
    problems: Iterable[str],
) -> Note:
    values: dict[str, Json] = loaded.values or {}
    title = stem(path)
    aliases, tags = props.aliases(values), _unique((*props.tags(values), *found.tags))
    day = props.day_of(title, values)
    extra = props.search_line(title, values)
    drawing = "excalidraw-plugin" in values
    frame = Frame(title, day, extra, first_line, options.passage_tokens, drawing)
    own_links = tuple(property_links(values, loaded.lines, _known(options.relation_keys)))
    return Note(
        path=path,
        title=title,
        content_hash=content_hash,
        aliases=aliases,
        tags=tags,
        properties=values,
        links=own_links + tuple(found.links),
        passages=_passages(body_text, body, frame),
        created=props.moment_of(props.get(values, "created", "date created", "creation date", "date")),
        note_date=day,
        kind=props.kind(values),
        memory_type=props.memory_type(values),
        category=props.text(props.get(values, "category")),
        source_session=props.text(props.get(values, "source_session")),
        people=props.people(values, options.person_keys),
        own=props.own_state(values),
        opted_out=props.opted_out(values),
        problem="; ".join(filter(None, problems)),
        refuse_write=refuse or ("sync-conflict copy" if is_conflict_copy(path) else ""),
        search_title=fold(title),
        search_aliases=fold(" ".join((*aliases, *tags))),
    )


def _decode(raw: bytes) -> _Decoded:
    if raw.startswith(_UTF16):
        text = raw.decode("utf-16", errors="replace").replace("\0", "\ufffd")
        return _Decoded(text, "UTF-16, not UTF-8: save it as UTF-8", "not UTF-8")
    nul = b"\0" in raw
    try:
        text = raw.decode("utf-8")
        problem = refuse = ""
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", errors="replace")
        line = raw.count(b"\n", 0, error.start) + 1
        problem, refuse = f"not UTF-8 (line {line}): save it as UTF-8", "not UTF-8"
    if nul:
        text = text.replace("\0", "\ufffd")
        problem, refuse = problem or "holds NUL bytes: is it a text file?", refuse or "holds NUL bytes"
    return _Decoded(text, problem, refuse)


def _plain_newlines(text: str) -> str:
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _body(text: str) -> Body:
    return read_body(text) if text.strip() else Body((), ())


def _passages(text: str, body: Body, frame: Frame) -> tuple[Passage, ...]:
    return cut_passages(text, body.units, frame) if body.units else (title_passage(frame),)


@lru_cache(maxsize=8)
def _known(extra: tuple[tuple[str, str], ...]) -> Mapping[str, Relation]:
    return vocabulary(extra)


def _unique(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags that differ only by case are one; the first spelling stays (R40)."""
    seen: dict[str, str] = {}
    for tag in tags:
        seen.setdefault(tag.casefold(), tag)
    return tuple(seen.values())
