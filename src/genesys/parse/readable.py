"""Markdown as a person reads it: what the model embeds and full text searches.

Marks go, words stay: the text of links, the alt text of images, code, comments, cells of tables.
"""

from __future__ import annotations

import re

__all__ = ["link_text", "readable", "strip_block_ids"]

_WIKI = re.compile(r"!?\[\[(?!\[)([^\[\]\n]{1,1000})\]\]")
_MARKDOWN = re.compile(
    r"!?\[([^\[\]\n]*)\]\((?:<[^<>\n]*>|[^()\s]*(?>(?:\([^()\s]*\)[^()\s]*)*))"
    r"(?:[ \t]+[\"'(][^\"\n]{0,300}?[\"')])?[ \t]*\)"
)
_URL = re.compile(r"<?\bhttps?://(?:www\.)?([^\s/<>()\[\]]+)([^\s<>\[\]|]*)>?")
# Tags that a browser knows; what else stands in angle brackets (`<name>`, `vector<T>`) is text.
_HTML = re.compile(
    r"</?(?:a|abbr|article|aside|audio|b|big|blockquote|br|button|canvas|caption|center|cite|code|col|colgroup|dd|"
    r"del|details|dfn|div|dl|dt|em|embed|figcaption|figure|font|footer|form|h[1-6]|header|hr|i|iframe|img|input|ins|"
    r"kbd|label|li|link|main|mark|nav|object|ol|option|p|path|picture|pre|q|rp|rt|ruby|s|samp|script|section|select|"
    r"small|source|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|"
    r"tr|u|ul|var|video|wbr)(?:[\s/][^<>]{0,2000}+)?>|<!--+|--+>",
    re.IGNORECASE,
)
_CODE_SPAN = re.compile(r"(?<![`\\])(`{1,3})(?!`)([^`\n]+)\1(?!`)")
_MARKS = "*_[]()<>|~=%\\#^!-:/"
_HIDE = str.maketrans(_MARKS, "".join(chr(0xE000 + n) for n in range(len(_MARKS))))
_SHOW = {after: before for before, after in _HIDE.items()}
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t]))\^[A-Za-z0-9\-]+[ \t]*$", re.MULTILINE)
_QUOTE = re.compile(r"^[ \t]*(?>(?:>[ \t]?)+)(?:\[!([\w\-|]+)\][+\-]?[ \t]*)?", re.MULTILINE)
_BULLET = re.compile(r"^(?=[ \t\-*+\[])[ \t]*(?>(?:[-*+][ \t]+)*)(?:\[[^\[\]\n]\][ \t]+)?", re.MULTILINE)
_LATER_BULLET = re.compile("\n" + _BULLET.pattern[1:])  # a fixed first character is found twice as fast
_BULLET_STARTS = frozenset(" \t-*+[")
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_RULE = re.compile(r"^[ \t]*(?:[-=*_|:+][ \t]*){3,}$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_STRONG = re.compile(r"\*\*+|__+|~~+|==+|%%+|`+")
# Begins a word, or ends one; the mark comes first, so that only marks are looked at.
_EMPHASIS = re.compile(r"[*_](?:(?<![\w\\][*_])(?=\S)|(?<=[^\s\\][*_])(?!\w))")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_BARS = re.compile(r"[ \t]*\|[ \t]*")
_BLANKS = re.compile(r"[ \t]{2,}")


def link_text(inner: str) -> str:
    """Return how ``[[inner]]`` reads: its own text, else target and subpath."""
    target, bar, shown = inner.partition("|")
    shown = shown.rpartition("|")[2].strip()  # of an embed's sizes and texts the last
    if bar and shown and not shown.replace("x", "").isdigit():
        return shown
    note, _, rest = target.rstrip("\\").partition("#")
    parts = [note.strip(), *(p.strip() for p in rest.split("#") if not p.startswith("^"))]
    return " > ".join(p for p in parts if p)


def strip_block_ids(text: str) -> str:
    """Return ``text`` without the ``^id`` at the end of a line."""
    return _BLOCK_ID.sub("", text).rstrip() if "^" in text else text


def readable(text: str, *, urls: bool = False, code: bool = False) -> str:
    """Return the words of a run of blocks, one line per line; ``code`` keeps everything but fences.

    A bare address is shortened to its host unless ``urls`` is set.
    """
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if code:
        return _tidy(text)
    shielded = "`" in text and _CODE_SPAN.search(text) is not None
    if shielded:
        text = _CODE_SPAN.sub(_shield, text)
    text = _links(text, urls)
    if "<" in text or "-->" in text:
        text = _HTML.sub(" ", text)
    text = _line_marks(text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub("", _STRONG.sub("", text))
    elif "~~" in text or "==" in text or "%%" in text or "`" in text:
        text = _STRONG.sub("", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return _tidy(text.translate(_SHOW) if shielded else text)


def _shield(match: re.Match[str]) -> str:
    """Put marks inside a code span out of reach of the rules; private characters stand in for them."""
    return match.group(2).translate(_HIDE)


def _links(text: str, urls: bool) -> str:
    if "[[" in text:
        text = _WIKI.sub(_shown, text)
    if "](" in text:
        text = _MARKDOWN.sub(_label, text)
        if "](" in text:  # an image inside a link
            text = _MARKDOWN.sub(_label, text)
    if "://" in text and not urls:
        text = _URL.sub(r"\1", text)
    return text


def _shown(match: re.Match[str]) -> str:
    return link_text(match.group(1))


def _label(match: re.Match[str]) -> str:
    return match.group(1)


def _line_marks(text: str) -> str:
    if "^" in text:
        text = _BLOCK_ID.sub("", text)
    if ">" in text:
        text = _QUOTE.sub(_callout, text)
    if "---" in text or "***" in text or "___" in text or "|" in text or "===" in text:
        text = _RULE.sub("", text)
    if "#" in text:
        text = _HEADING.sub("", text)
    if text[:1] in _BULLET_STARTS:
        text = _BULLET.sub("", text, 1)
    if "\n" in text:
        text = _LATER_BULLET.sub("\n", text)
    return _cells(text) if "|" in text else text


def _cells(text: str) -> str:
    return _BARS.sub(" | ", text).replace("\n | ", "\n").replace(" | \n", "\n").strip(" |")


def _callout(match: re.Match[str]) -> str:
    return f"{match.group(1).partition('|')[0]}: " if match.group(1) else ""


def _tidy(text: str) -> str:
    if "  " in text or "\t" in text:
        text = _BLANKS.sub(" ", text)
    if "\n" not in text:
        return text.strip()
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))
