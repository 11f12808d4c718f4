"""A record of another program as a memory's note, and back: nothing of the record is lost. Pure.

The note is for reading: the record's text, its relations as fields under their own names (``works_at::
[[Acme]]``), its other fields as flat properties. What does not come back from those exactly is kept beside
as JSON, in ``import_record`` and ``import_links``, and holds until somebody changes the note's body.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from genesys.model import Json, ParseOptions
from genesys.parcels import Draft, Foreign, ForeignLink
from genesys.parse.exchange.drafts import PREFIX, draft_of, native_record, record_of
from genesys.parse.exchange.values import encodable, same, yaml_value
from genesys.parse.frontmatter import load, split
from genesys.parse.memory_text import can_link, clean, closed, yaml_text
from genesys.parse.note import parse_note

__all__ = ["IdOf", "foreign_note", "foreign_of", "native_of"]

#: Another program's id of the note that a link text leads to; None where it leads to none of them.
IdOf = Callable[[str], str | None]

_LINE = re.compile(
    r"(?P<key>[^\n:\[\]]+):: "
    r"(?:\[\[(?P<target>[^\[\]|\n]+)(?:\|(?P<alias>[^\[\]\n]*))?\]\]|(?P<bare>[^\[\]\n]+?))"
    r"(?: \((?P<name>[^\n]*)\))?"
)
_NO_ALIAS = re.compile(r"[\[\]|\n\r]")
_OPTIONS = ParseOptions()


def foreign_note(kind: str, item: Foreign, key: str, created: str, texts: Sequence[str], id_of: IdOf) -> str:
    """The note of a record. ``key`` is its ``memory_id``, ``created`` an ISO time where the record has none,
    ``texts`` the link text for each of its relations.
    """
    stub = Draft(item.id, "")
    draft = stub if item.record is None else draft_of(kind, item.id, item.record)
    head = _head(kind, item, draft, key, created)
    lines = [_field(link, text) for link, text in zip(item.links, texts, strict=True)]
    content = closed(clean(draft.content).strip("\n"))
    for parts in ([content, *_block(lines)], [*_block(lines), content]):
        body = "\n" + "\n\n".join(filter(None, parts)) + "\n"
        text = _text(head, body)
        if _fields_read(text) >= len(lines):
            break
    rest = _residue(kind, item, foreign_of(text, id_of), body)
    return _text([*head, *rest], body) if rest else text


def _block(lines: Sequence[str]) -> list[str]:
    return ["\n".join(lines)] if lines else []


def _text(head: Iterable[str], body: str) -> str:
    return "\n".join(["---", *head, "---", ""]) + body


def _fields_read(text: str) -> int:
    return sum(bool(link.key) for link in parse_note("m.md", text.encode("utf-8", "replace"), _OPTIONS).links)


def _head(kind: str, item: Foreign, draft: Draft, key: str, created: str) -> list[str]:
    lines = [f"memory_id: {yaml_text(key)}", f"memory_type: {draft.memory_type.value}"]
    for name, value in (("category", draft.category), ("source_session", draft.session)):
        if value:
            lines.append(f"{name}: {yaml_text(value)}")
    lines.append(f"created: {draft.created or created}")
    lines += [f"{name}: {yaml_value(value)}" for name, value in draft.own.items()]
    lines += [f"import_from: {kind}", *_exact("import_id", item.id)]
    if item.group:
        lines += _exact("import_user", item.group)
    if item.record is None:
        lines.append("import_stub: true")
    return [*lines, *(f"{PREFIX[kind]}{name}: {yaml_value(value)}" for name, value in draft.fields.items())]


def _exact(name: str, text: str) -> list[str]:
    """A text as a property; half of a surrogate pair, which no file can hold, as JSON beside it."""
    return [
        f"{name}: {yaml_value(text)}",
        *([] if encodable(text) == text else [f"{name}_json: {yaml_value(json.dumps(text))}"]),
    ]


def _exactly(values: Mapping[str, Json], name: str) -> str:
    kept = values.get(f"{name}_json")
    return str(json.loads(kept) if isinstance(kept, str) else values.get(name, ""))


def _field(link: ForeignLink, text: str) -> str:
    """The relation under its own name, where a field may have it; else ``related_to`` with it behind."""
    alias = "" if text == link.target or _NO_ALIAS.search(link.target) else f"|{link.target}"
    target = f"[[{text}{alias}]]" if can_link(text) else text
    line = encodable(f"{link.name}:: {target}")
    note = parse_note("m.md", line.encode(), _OPTIONS)
    if can_link(text) and len(note.links) == 1 and note.links[0].key == link.name:
        return line
    name = " ".join(re.sub(r"[\[\]()\n]", " ", clean(link.name)).split())
    return encodable(f"related_to:: {target}" + (f" ({name})" if name else ""))


def _residue(kind: str, item: Foreign, found: Foreign, body: str) -> list[str]:
    """What the note does not say exactly as the record did, as properties."""
    lines = []
    if item.record is not None and not same(found.record, item.record):
        lines.append(f"import_record: {yaml_value(json.dumps(item.record))}")
    if _links_json(found.links) != _links_json(item.links):
        lines.append(f"import_links: {yaml_value(_links_json(item.links))}")
    return [*lines, f"import_text: {yaml_value(_digest(body))}"] if lines else []


def _links_json(links: Iterable[ForeignLink]) -> str:
    return json.dumps([[link.target, link.name, dict(link.rest)] for link in links], sort_keys=True)


def _digest(body: str) -> str:
    plain = body.replace("\r\n", "\n").strip("\n").encode("utf-8", "replace")
    return hashlib.blake2b(plain, digest_size=8).hexdigest()


# ------------------------------------------------------------------ back


def foreign_of(text: str, id_of: IdOf) -> Foreign:
    """The record that an imported note stands for."""
    values, body = _parts(text)
    kind, key = str(values.get("import_from", "")), _exactly(values, "import_id")
    content, links = _read_body(body, id_of)
    fresh = values.get("import_text") == _digest(body)
    record: Mapping[str, Json] | None = None
    if values.get("import_stub") is not True:
        kept = values.get("import_record") if fresh else None
        record = _kept(kept) if isinstance(kept, str) else record_of(kind, key, _draft(kind, values, content))
    kept = values.get("import_links") if fresh else None
    if isinstance(kept, str):
        links = tuple(ForeignLink(t, n, rest) for t, n, rest in json.loads(kept))
    return Foreign(key, record, links, _exactly(values, "import_user"))


def native_of(kind: str, key: str, title: str, text: str, id_of: IdOf) -> Foreign:
    """A memory that never came from that program, as a record of it."""
    values, body = _parts(text)
    content, links = _read_body(body, id_of)
    tags = values.get("tags")
    draft = Draft(
        title=title,
        content=content,
        created=str(values.get("created") or ""),
        category=str(values.get("category") or ""),
        session=str(values.get("source_session") or ""),
        tags=tuple(map(str, tags)) if isinstance(tags, list) else (),
    )
    return Foreign(key, native_record(kind, key, draft), links)


def _parts(text: str) -> tuple[dict[str, Json], str]:
    block = split(text)
    values = load(block).values if block else None
    return values or {}, text[block.body :] if block else text


def _kept(text: str) -> dict[str, Json]:
    record: dict[str, Json] = json.loads(text)
    return record


def _draft(kind: str, values: Mapping[str, Any], content: str) -> Draft:
    prefix = PREFIX[kind]
    return Draft(
        title="",
        content=content,
        category=str(values.get("category", "")),
        fields={k.removeprefix(prefix): v for k, v in values.items() if k.startswith(prefix)},
    )


def _read_body(body: str, id_of: IdOf) -> tuple[str, tuple[ForeignLink, ...]]:
    """Content and relations: a block of nothing but fields at the end, or at the beginning."""
    parts = body.replace("\r\n", "\n").strip("\n").split("\n\n")
    for at in (-1, 0):
        found = [_LINE.fullmatch(line) for line in parts[at].split("\n")]
        if all(found):
            rest = parts[:-1] if at else parts[1:]
            return "\n\n".join(rest), tuple(_links(filter(None, found), id_of))
    return "\n\n".join(parts), ()


def _links(found: Iterable[re.Match[str]], id_of: IdOf) -> Iterator[ForeignLink]:
    for match in found:
        text = match["target"] or match["bare"]
        yield ForeignLink(id_of(text) or match["alias"] or text, match["name"] or match["key"])
