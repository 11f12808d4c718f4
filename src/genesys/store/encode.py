"""Values of the vocabulary as columns, and back. Pure."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from genesys.model import CreatedBy, EdgeType, Factors, Link, OwnState, Passage, Relation, Status

__all__ = [
    "NO_STATE",
    "as_json",
    "dump_factors",
    "dump_own",
    "dump_relations",
    "links_hash",
    "load_factors",
    "load_own",
    "load_relations",
    "search_hash",
    "signed64",
    "storable",
    "text_mark",
    "unsigned64",
    "vec_key",
]

T = TypeVar("T")

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
NO_STATE = "{}"  # of a note that says nothing about itself
_NOTHING = OwnState()
_PLAIN = (Relation(EdgeType.RELATED_TO),)


def as_json(value: object) -> str:
    return _JSON.encode(value)


def _number(*parts: str) -> int:
    digest = hashlib.blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def vec_key(embed_text: str) -> int:
    """63 bits of a hash: equal texts share a vector, and no vault is large enough for two to collide."""
    return _number(embed_text)


def text_mark(*parts: str) -> str:
    """Changes when any of the texts does."""
    return f"{_number(*parts):x}"


def search_hash(title: str, aliases: str, passage: Passage) -> int:
    """Changes when anything of a passage's row in the full-text index does."""
    return _number(title, aliases, passage.search_heading, passage.search_text)


def links_hash(links: Sequence[Link]) -> str:
    """Changes when any link of a file does; "" for a file without links."""
    if not links:
        return ""
    digest = hashlib.blake2b(digest_size=12)
    for link in links:
        parts = (link.kind, link.target, link.subpath, link.key, str(link.line), link.sentence)
        digest.update("\x1f".join(parts).encode("utf-8", "replace"))
        digest.update(dump_relations(link.relations).encode())
    return digest.hexdigest()


def dump_relations(relations: Sequence[Relation]) -> str:
    """ "" for the one plain relation, which most links have."""
    if tuple(relations) == _PLAIN:
        return ""
    return as_json([[r.type.value, int(r.forward), r.weight, r.created_by.value] for r in relations])


def load_relations(text: str) -> tuple[Relation, ...]:
    if not text:
        return _PLAIN
    return tuple(Relation(EdgeType(t), bool(f), float(w), CreatedBy(c)) for t, f, w, c in json.loads(text))


def dump_own(own: OwnState) -> str:
    if own == _NOTHING:
        return NO_STATE
    values = {f.name: getattr(own, f.name) for f in dataclasses.fields(own)}
    return as_json({k: v for k, v in values.items() if v is not None})


def load_own(text: str) -> OwnState:
    if text == NO_STATE:
        return _NOTHING
    values = json.loads(text)
    status = values.pop("status", None)
    return OwnState(status=Status(status) if status else None, **values)


def dump_factors(factors: Factors | None) -> str | None:
    if factors is None:
        return None
    return as_json([round(float(getattr(factors, f.name)), 9) for f in dataclasses.fields(factors)])


def load_factors(text: str | None) -> Factors | None:
    return None if text is None else Factors(*json.loads(text))


def signed64(value: int) -> int:
    """SQLite's integers are signed; inodes of some file systems use the top bit."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def unsigned64(value: int) -> int:
    return value & ((1 << 64) - 1)


def _storable_text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _storable(value: Any) -> Any:
    if isinstance(value, str) and type(value) is str:
        return _storable_text(value)
    if isinstance(value, tuple):
        return tuple(_storable(item) for item in value)
    if isinstance(value, Mapping):
        return {_storable(key): _storable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: _storable(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)
    return value


def storable(value: T) -> T:
    """The value without lone surrogates (an escape in YAML can make them), which UTF-8 can't hold."""
    cleaned: T = _storable(value)
    return cleaned
