"""The fixture vault tells a whole story: all it promises is there, and its questions have answers."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
import yaml

from support import QUESTIONS, VAULT

NOTES = sorted(VAULT.rglob("*.md"))
LEFT_OUT = ("Templates/", "Scratch/", "Exports/")
UNRESOLVED = {"Handover Guide"}
INVALID_YAML = "Hardware/Old Inventory.md"


def relative(path: Path) -> str:
    return path.relative_to(VAULT).as_posix()


def questions() -> list[dict[str, str]]:
    return [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]


def properties(path: Path) -> dict[str, object]:
    match = re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), re.DOTALL)
    if match is None or relative(path) == INVALID_YAML or relative(path).startswith(LEFT_OUT):
        return {}
    loaded = yaml.safe_load(match[1])
    assert isinstance(loaded, dict), path
    return loaded


def test_every_question_names_its_note() -> None:
    """Ids are unique, and each expected note is a file of the vault."""
    asked = questions()
    assert len(asked) == len({q["id"] for q in asked})
    assert [] == [q for q in asked if not (VAULT / q["expect"]).is_file()]
    assert [] == [q for q in asked if {"id", "query", "expect"} != set(q)]


def test_every_link_leads_somewhere() -> None:
    """By file name, path or alias; only the guide that is still to be written leads nowhere."""
    names = {p.name.removesuffix(".md") for p in VAULT.rglob("*") if p.is_file()}
    for path in NOTES:
        aliases = properties(path).get("aliases", [])
        assert isinstance(aliases, list)
        names.update(aliases)
    lost = set()
    for path in NOTES:
        if relative(path).startswith(LEFT_OUT):
            continue
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        targets = {re.split(r"[#|\\]", t)[0] for t in re.findall(r"\[\[([^\]]+)\]\]", text)}
        lost |= {t for t in targets if t.rpartition("/")[2] not in names}
    assert lost == UNRESOLVED


def test_names_are_composed() -> None:
    """Paths are NFC, so the same vault has the same paths on every file system."""
    assert [] == [p for p in map(str, VAULT.rglob("*")) if unicodedata.normalize("NFC", p) != p]


def test_one_note_has_invalid_yaml() -> None:
    """`status` has something to report."""
    block = (VAULT / INVALID_YAML).read_text(encoding="utf-8").split("---\n")[1]
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(block)


def test_canvas_and_image_are_whole() -> None:
    """The canvas is JSON whose file cards exist, and the image is a PNG."""
    canvas = json.loads((VAULT / "Lighthouse Map.canvas").read_text(encoding="utf-8"))
    cards = [n["file"] for n in canvas["nodes"] if n["type"] == "file"]
    assert [] == [c for c in cards if not (VAULT / c).is_file()]
    png = (VAULT / "Attachments" / "upper-sluice.png").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png.endswith(b"IEND\xaeB`\x82")
