"""From text and properties to links: which key a link stands under, what it says, in which sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from genesys.model import Json, Link, LinkKind, Relation
from genesys.parse import cues
from genesys.parse.body import Role, Text
from genesys.parse.edges import LIST_KEYS, normal_key, relations_of
from genesys.parse.fields import Fields, FieldSpan, find_fields, list_relation
from genesys.parse.inline import Found, Scan, scan
from genesys.parse.sentences import Sentences, excerpt

__all__ = ["TextLinks", "property_links", "text_links"]

_LINES_WITHOUT_FIELDS = (Role.HEADING, Role.CELL)
_MAX_DEPTH = 60
_MAX_ROW = 2000  # characters of a table row that is shown as evidence


@dataclass(slots=True)
class TextLinks:
    """What the texts of a body hold, in order."""

    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)


def text_links(
    texts: Sequence[Text], known: Mapping[str, Relation], *, first_line: int = 1, use_cues: bool = True
) -> TextLinks:
    """Return the links and tags of a body whose line 0 is line ``first_line`` of the file."""
    out = TextLinks()
    reader = _TextReader(known, first_line, use_cues, out)
    pending = _Comments(texts)
    for index, text in enumerate(texts):
        content = text.content
        if index <= pending.until:
            content = pending.visible(index, content)
        if "[" in content or "#" in content:
            found = scan(content)
            if found.comment and not pending.opened(index):
                found = scan(content, open_comment=False)
            reader.add(text, content, found)
    return out


class _Comments:
    """An HTML comment that a later block closes hides everything between; one that none closes is text."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = texts
        self.until = -1  # index of the text that closes the comment
        self.never = False  # no "-->" follows any more

    def opened(self, index: int) -> bool:
        """Return whether a later text closes the comment that text ``index`` leaves open."""
        if self.never:
            return False
        for later in range(index + 1, len(self.texts)):
            if "-->" in self.texts[later].content:
                self.until = later
                return True
        self.never = True
        return False

    def visible(self, index: int, content: str) -> str:
        if index < self.until:
            return ""
        cut = content.index("-->") + 3
        return "\n" * content.count("\n", 0, cut) + content[cut:]


@dataclass(slots=True)
class _TextReader:
    known: Mapping[str, Relation]
    first_line: int
    use_cues: bool
    out: TextLinks

    def add(self, text: Text, content: str, found: Scan) -> None:
        self.out.tags += found.tags
        if not found.links:
            return
        fields = self.fields(text, content)
        sentences: Sentences | None = None
        line, at = text.line + self.first_line, 0
        for link in found.links:
            line += content.count("\n", at, link.start)
            at = link.start
            span = fields.at(link.start)
            if span is not None:
                self.out.links.append(self.in_field(link, span, content, line))
                continue
            sentences = sentences or Sentences(content)
            self.out.links.append(self.plain(link, sentences, text.row, line))

    def fields(self, text: Text, content: str) -> Fields:
        if "::" in content:
            return find_fields(content, whole_lines=text.role not in _LINES_WITHOUT_FIELDS)
        if text.role is Role.ITEM:
            relation = list_relation(content)
            if relation and self.is_list_key(relation.key):
                return Fields(lines=(relation,))
        return Fields()

    def is_list_key(self, key: str) -> bool:
        name = normal_key(key)
        return name in LIST_KEYS or (name in self.known and "_" in name)

    def in_field(self, link: Found, span: FieldSpan, content: str, line: int) -> Link:
        sentence, _, _ = excerpt(content, span.line_start, span.line_end, link.start, link.end)
        relations = relations_of(LinkKind.FIELD, span.key, self.known)
        return Link(LinkKind.FIELD, link.target, link.subpath, span.key, line, sentence, relations)

    def plain(self, link: Found, sentences: Sentences, row: str, line: int) -> Link:
        kind = LinkKind.EMBED if link.embed else LinkKind.LINK
        sentence, start, end = sentences.around(link.start, link.end)
        relations = relations_of(kind, "", self.known)
        if self.use_cues and not link.embed:
            relations += cues.relations(sentence, start, end)
        if len(sentence) < len(row) <= _MAX_ROW and (at := row.find(sentences.text)) >= 0:
            sentence, _, _ = excerpt(row, 0, len(row), at + link.start, at + link.end)
        return Link(kind, link.target, link.subpath, "", line, sentence, relations)


def property_links(
    values: Mapping[str, Json], lines: Mapping[str, int], known: Mapping[str, Relation]
) -> Iterator[Link]:
    """Yield the links in quoted strings of properties, lists and nested values included (R50)."""
    for key, value in values.items():
        if key.startswith("genesys_"):
            continue
        relations = relations_of(LinkKind.PROPERTY, key, known)
        for text in _strings(value, 0):
            for link in _links_in(text):
                sentence = f"{key}: {' '.join(text.split())}"[:300]
                yield Link(
                    LinkKind.PROPERTY, link.target, link.subpath, key, lines.get(key, 1), sentence, relations
                )


_WHOLE_MARKDOWN = re.compile(r"\s*!?\[[^\[\]]*\]\(.*\)\s*")


def _links_in(text: str) -> list[Found]:
    if "[[" not in text and not ("](" in text and _WHOLE_MARKDOWN.fullmatch(text)):
        return []
    return scan(text).links


def _strings(value: Json, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth > _MAX_DEPTH or value is None:
        return
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item, depth + 1)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _strings(item, depth + 1)
