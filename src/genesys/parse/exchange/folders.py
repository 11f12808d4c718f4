"""Files of another program's folder, taken over as they are. Pure.

- **basic-memory**: Markdown with ``title``, ``type``, ``permalink`` and ``tags`` as properties,
  observations ``- [category] text #tag (context)`` and relations ``- relation_type [[Target]] (context)``.
- **claude**, Claude Code's auto memory: ``MEMORY.md``, an index of lines ``- [title](file.md): why``, and
  topic files with ``name``, ``description`` and ``type`` (user, feedback, project, reference).
- **markdown**: any folder of notes.

Genesys reads all of that in a note already, so a file keeps every byte. A few property lines that make it a
memory go in below its own, and out again on the way back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from genesys.model import Json, MemoryType
from genesys.parse.exchange.values import yaml_value
from genesys.parse.frontmatter import load, split
from genesys.parse.memory_text import yaml_text

__all__ = ["FOLDER_FORMATS", "adopt", "readable", "release"]

FOLDER_FORMATS = ("basic-memory", "claude", "markdown")
_NEWLINE = re.compile("\r\n?|\n")
_END = r"[^\r\n]*(?:\r\n?|\n)"
_OURS = re.compile(
    rf'(?:^|(?<=\r))memory_id: "[0-9a-f]{{16}}"{_END}(?:(?!import_id: ){_END})*?import_id: {_END}',
    re.MULTILINE,
)
_NEW = "import_block: new"


def readable(text: str) -> str:
    """Why a file can't be taken over; "" where it can."""
    block = split(text)
    loaded = load(block) if block else None
    return loaded.problem if loaded is not None and loaded.values is None else ""


def adopt(kind: str, key: str, file_id: str, text: str) -> str:
    """The file with the lines that make it a memory. ``file_id`` is its path in the folder it comes from."""
    block = split(text)
    values = (load(block).values or {}) if block else {}
    if "memory_id" in values or "import_id" in values:  # it was a memory before
        return text
    lines = [f"memory_id: {yaml_text(key)}"]
    if "memory_type" not in values:
        lines.append(f"memory_type: {_memory_type(values).value}")
    if "aliases" not in values and (names := _names(values, file_id)):
        lines.append(f"aliases: {yaml_value(names)}")
    if block is None:
        lines.append(_NEW)
    lines += [f"import_from: {kind}", f"import_id: {yaml_value(file_id)}"]
    found = _NEWLINE.search(text)
    newline = found.group() if found else "\n"
    ours = newline.join([*lines, ""])
    if block is None:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        return f"{mark}---{newline}{ours}---{newline}{text.removeprefix(mark)}"
    return f"{text[: block.end]}{ours}{text[block.end :]}"


def release(text: str) -> str:
    """The file as it was, whatever else was changed in it since."""
    block = split(text)
    match = _OURS.search(text, block.start, block.end) if block else None
    if block is None or match is None:
        return text
    if _NEW not in match.group():
        return text[: match.start()] + text[match.end() :]
    kept = text[block.start : match.start()] + text[match.end() : block.end]
    if kept.strip():  # a person has added properties of their own
        return text[: match.start()] + text[match.end() :]
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark + text[block.body :]


def _memory_type(values: Mapping[str, Json]) -> MemoryType:
    """What Claude calls feedback is how to do things."""
    kinds = (values.get("type"), values.get("node_type"))
    return MemoryType.PROCEDURAL if "feedback" in kinds else MemoryType.SEMANTIC


def _names(values: Mapping[str, Json], file_id: str) -> list[str]:
    """Names that links of that folder use beside the file's own."""
    stem = file_id.rpartition("/")[2].removesuffix(".md")
    names = (values.get(name) for name in ("title", "name", "permalink"))
    return list(dict.fromkeys(n for n in names if isinstance(n, str) and n.strip() and n != stem))
