"""A file's rows, as far as they can be known without the index. Pure, so that worker processes make them.

They are named tuples of texts and numbers and nothing else, because a process hands its rows over as plain
tuples (:func:`bare`, :func:`prepared`), which costs a quarter of what objects cost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from genesys.model import FileRecord, FileStat, Link, Note, Passage
from genesys.store import encode
from genesys.store.keys import alias_key, target_key
from genesys.store.restore import timestamp

__all__ = ["FACTS", "LINK", "PLACE", "NoteRows", "Prepared", "bare", "prepare", "prepared", "storable"]

Row = tuple[Any, ...]

#: The columns of :attr:`NoteRows.facts`, of :attr:`NoteRows.passages` (then ``vec_key`` and the folded
#: heading and text), and of :attr:`Prepared.links`.
FACTS = (
    "title, kind, memory_type, category, created, note_date, source_session, people, properties, own, "
    "problem, refuse_write, opted_out"
)
PLACE = "ordinal, heading, line_start, line_end, block_id, text_hash, text, embed_text, search_hash"
LINK = "kind, target, target_key, subpath, key, line, sentence, relations"


class NoteRows(NamedTuple):
    """What a note says. ``created`` are UNIX seconds, ``words`` its title and names folded for full text."""

    facts: Row
    created: float | None
    own: str
    opted_out: bool
    words: tuple[str, str]
    aliases: tuple[tuple[str, str, str], ...]  # alias, key, bucket
    tags: tuple[tuple[str, str], ...]  # key, tag
    passages: tuple[Row, ...]


class Prepared(NamedTuple):
    """A :class:`FileRecord` as rows."""

    stat: FileStat
    links_hash: str = ""
    links: tuple[Row, ...] = ()
    note: NoteRows | None = None


def prepare(record: FileRecord) -> Prepared:
    """The rows of a record.

    Of a note that opted out only its name stays, so that links to it still lead somewhere.
    """
    note = record.note
    if note is None:
        return Prepared(record.stat, encode.links_hash(record.links), _links(record.links))
    links = () if note.opted_out else note.links
    return Prepared(record.stat, encode.links_hash(links), _links(links), _note(note))


def bare(file: Prepared) -> Row:
    """The rows without the stat, all tuples plain ones."""
    return file.links_hash, file.links, None if file.note is None else tuple(file.note)


def prepared(stat: FileStat, rows: Row) -> Prepared:
    """What :func:`bare` took apart."""
    links_hash, links, note = rows
    return Prepared(stat, links_hash, links, None if note is None else NoteRows(*note))


def storable(file: Prepared) -> Prepared:
    """The rows without lone surrogates (an escape in YAML can make them), which UTF-8 can't hold."""
    return prepared(encode.storable(file.stat), encode.storable(bare(file)))


def _links(links: tuple[Link, ...]) -> tuple[Row, ...]:
    return tuple(
        (
            link.kind.value,
            link.target,
            target_key(link.target),
            link.subpath,
            link.key,
            link.line,
            link.sentence,
            encode.dump_relations(link.relations),
        )
        for link in links
    )


def _note(note: Note) -> NoteRows:
    out = note.opted_out
    own = encode.dump_own(note.own)
    title, aliases = words = (note.search_title, note.search_aliases)
    return NoteRows(
        _facts(note, own),
        timestamp(note.created),
        own,
        out,
        words,
        tuple((a, alias_key(a), target_key(a)) for a in dict.fromkeys(() if out else note.aliases)),
        tuple((tag.casefold(), tag) for tag in (() if out else note.tags)),
        tuple(_passage(title, aliases, p) for p in (() if out else note.passages)),
    )


def _facts(note: Note, own: str) -> Row:
    people, properties = ((), {}) if note.opted_out else (note.people, note.properties)
    return (
        note.title,
        note.kind.value,
        note.memory_type.value if note.memory_type else None,
        note.category,
        note.created,
        note.note_date,
        note.source_session,
        encode.as_json(list(people)) if people else "[]",
        encode.as_json(properties) if properties else "{}",
        own,
        note.problem,
        note.refuse_write,
        int(note.opted_out),
    )


def _passage(title: str, aliases: str, passage: Passage) -> Row:
    return (
        passage.ordinal,
        encode.as_json(list(passage.heading_path)) if passage.heading_path else "[]",
        passage.line_start,
        passage.line_end,
        passage.block_id,
        passage.text_hash,
        passage.text,
        passage.embed_text,
        encode.search_hash(title, aliases, passage),
        encode.vec_key(passage.embed_text),
        passage.search_heading,
        passage.search_text,
    )
