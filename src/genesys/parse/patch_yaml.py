"""What the YAML parser makes of a frontmatter block, seen as events: nothing is built, no alias expanded.

Write-back compares these before and after an edit, so an impossible date, a deep tree or a million
aliases cost no more than their text.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from genesys.errors import WriteRefused

__all__ = ["Pair", "Root", "read_block"]

# The C parser is stricter about control characters and about twenty times as fast.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STANDARD_TAGS = ("tag:yaml.org,2002:", "!")


@dataclass(frozen=True, slots=True)
class Pair:
    """One property. ``start``, ``value_start`` and ``end`` are character offsets in the block.

    ``bare`` is True where the key stands unquoted, without tag or anchor. ``scalar`` is the value's
    text, None where it is a list, a mapping or an alias; ``plain`` says that it stands unquoted.
    """

    key: str
    bare: bool
    start: int
    value_start: int
    end: int
    scalar: str | None
    plain: bool
    signature: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Root:
    """The properties in order; ``signature`` is what stands before them (None for an empty block)."""

    signature: Hashable
    pairs: tuple[Pair, ...]


@dataclass(slots=True)
class _Frame:
    """An open list or mapping; ``wants_key`` alternates in a mapping and is False in a list."""

    mapping: bool
    wants_key: bool
    keys: set[str] = field(default_factory=set)


def read_block(text: str) -> Root:
    """Read the text between the fences. Raises :class:`WriteRefused` with the reason if it is no plain
    block mapping that every YAML reader takes alike."""
    try:
        events = list(yaml.parse(text, Loader=_LOADER))
    except (yaml.YAMLError, ValueError) as error:
        raise WriteRefused(f"its properties are not valid YAML{_where(error)}") from error
    body = events[1:-1]
    if not body:
        return Root(None, ())
    first, root, last = body[0], body[1], body[-1]
    if _marked(first) or _marked(last) or _documents(body) != 1:
        raise WriteRefused("its properties hold YAML document marks or directives")
    if not isinstance(root, yaml.MappingStartEvent):
        raise WriteRefused("its block is not a list of properties")
    if root.flow_style:
        raise WriteRefused("its properties are written as JSON")
    _check(body[1:-1])
    return Root(_signature(root), tuple(_pairs(body[2:-2])))


def _where(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 2})" if mark is not None else ""  # + 1 for the fence, + 1 from zero


def _marked(event: yaml.Event) -> bool:
    """Whether the document begins or ends with more than the text itself: ``---``, ``...``, a directive."""
    if isinstance(event, yaml.DocumentStartEvent):
        return bool(event.explicit or event.version or event.tags)
    return isinstance(event, yaml.DocumentEndEvent) and bool(event.explicit)


def _documents(events: Sequence[Any]) -> int:
    return sum(isinstance(event, yaml.DocumentStartEvent) for event in events)


def _check(events: Sequence[Any]) -> None:
    """Refuse what readers disagree about: repeated or nested keys, unknown tags, loose aliases."""
    stack: list[_Frame] = []
    anchors: set[str] = set()
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            stack.pop()
            continue
        if stack and stack[-1].mapping:
            if stack[-1].wants_key:
                _check_key(event, stack[-1].keys)
            stack[-1].wants_key = not stack[-1].wants_key
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise WriteRefused("its properties refer to a YAML anchor that is not there")
            continue
        if event.anchor:
            anchors.add(event.anchor)
        if event.tag and not event.tag.startswith(_STANDARD_TAGS[0]) and event.tag != _STANDARD_TAGS[1]:
            raise WriteRefused(f"its properties use the YAML tag {event.tag}")
        if isinstance(event, yaml.CollectionStartEvent):
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            stack.append(_Frame(is_mapping, is_mapping))


def _check_key(event: Any, seen: set[str]) -> None:
    if not isinstance(event, yaml.ScalarEvent):
        raise WriteRefused("a property's name is a list, a mapping or an alias; perhaps a template")
    if event.value in seen:
        raise WriteRefused(f"the property {event.value!r} stands there twice")
    seen.add(event.value)


def _pairs(events: Sequence[Any]) -> list[Pair]:
    """Cut the events inside the root mapping into properties."""
    found: list[Pair] = []
    at = 0
    while at < len(events):
        key, first = events[at], at + 1
        stop, depth = first, 0
        while True:
            depth += isinstance(events[stop], yaml.CollectionStartEvent)
            depth -= isinstance(events[stop], yaml.CollectionEndEvent)
            stop += 1
            if depth == 0:
                break
        found.append(_pair(key, events[first:stop], events[at:stop]))
        at = stop
    return found


def _pair(key: Any, value: Sequence[Any], both: Sequence[Any]) -> Pair:
    head = value[0]
    is_scalar = isinstance(head, yaml.ScalarEvent)
    return Pair(
        key=key.value,
        bare=not key.style and not key.anchor and not key.tag,
        start=key.start_mark.index,
        value_start=head.start_mark.index,
        end=value[-1].end_mark.index,
        scalar=head.value if is_scalar else None,
        plain=is_scalar and not head.style and not head.tag,
        signature=tuple(_signature(event) for event in both),
    )


def _signature(event: Any) -> Hashable:
    """Everything of an event except where it stands."""
    names = ("anchor", "tag", "implicit", "value", "style", "flow_style")
    return (type(event).__name__, *(getattr(event, name, None) for name in names))
