"""Foreign words as part of a note: they read as they were, and link, tag, relate and run nothing. Pure.

What somebody said in a conversation, or a page that it quotes, may hold ``supersedes:: [[Plan]]`` or a query
that a plugin of Obsidian's would run. So markup with a meaning is escaped, and our own parser looks whether
that was enough; where it was not, the whole text becomes a block of code.
"""

from __future__ import annotations

import re

from genesys.model import ParseOptions
from genesys.parse.note import parse_note

__all__ = ["as_code", "harmless", "harmless_line", "means_nothing"]

_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})[ \t]*([\w+#-]*)")
_PLAIN = """bash c cpp console cs csharp css csv diff dockerfile go html ini java javascript js json jsonl jsx
kotlin lua make markdown md php powershell py python r ruby rust sh shell sql swift text toml ts tsx txt
typescript xml yaml yml zsh"""
_LANGUAGES = frozenset(_PLAIN.split())  # of code that nothing runs; "dataviewjs" is none of them
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_QUERY = re.compile(r"\s*\$?=")  # of Dataview, in code
_ESCAPES = (
    (re.compile(r"\[(?=\[)|(?<=\[)\["), r"\\["),
    (re.compile(r"\]\((?!https?://)"), r"]\\("),
    (re.compile(r"(?<![\w\\])#(?=\w)"), r"\\#"),
    (re.compile(r"::"), r":\\:"),
    (re.compile(r"%%"), r"\\%\\%"),
    (re.compile(r"<(?=[A-Za-z/!%?])"), r"\\<"),
    (re.compile(r"\^(?=[A-Za-z0-9-]+\s*$)"), r"\\^"),
)
_SIGNS = re.compile(r"[^\w.,;!?'’()-]+|[_#]")
_OPENS = re.compile(r"([ \t]*)(#{1,6}(?=[ \t]|$)|(?:-{3,}|={1,}|\*{3,}|_{3,})[ \t]*$)")


def harmless(text: str) -> str:
    """``text`` without meaning for Obsidian or for us; its words stay searchable."""
    escaped = _escaped(text)
    return escaped if means_nothing(escaped) else as_code(text)


def harmless_line(text: str) -> str:
    """The same for words that stand within a line of ours: no code, no markup, one line."""
    escaped = _line(" ".join(text.split()).replace("`", "'").replace("~", "-"))
    return escaped if means_nothing(f"“{escaped}”") else " ".join(_SIGNS.sub(" ", text).split())


def means_nothing(text: str) -> bool:
    """Whether our own parser finds no link, tag or property in the text."""
    note = parse_note("said.md", f"\n{text}".encode("utf-8", "replace"), ParseOptions())
    return not (note.links or note.tags or note.properties)


def _escaped(text: str) -> str:
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[2]
            language = mark[3].lower()
            line = f"{mark[1]}{fence}{language if language in _LANGUAGES else ''}"
        elif mark and mark[2].startswith(fence) and line.strip() == mark[2]:
            fence = ""
        elif not fence:
            line = _line(line)
        lines.append(line)
    return "\n".join([*lines, fence] if fence else lines)


def _line(line: str) -> str:
    line = _OPENS.sub(r"\1\\\2", line, count=1) if _OPENS.match(line) else line
    parts, at = [], 0
    for code in _CODE.finditer(line):
        parts.append(_prose(line[at : code.start()]))
        parts.append(_prose(f"'{code[2]}'") if _QUERY.match(code[2]) else code[0])
        at = code.end()
    return "".join([*parts, _prose(line[at:])])


def _prose(text: str) -> str:
    for pattern, escape in _ESCAPES:
        text = pattern.sub(escape, text)
    return text


def as_code(text: str) -> str:
    """The text as a block of code that nothing in it can end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
