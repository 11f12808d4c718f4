"""``Genesys.base`` is a file that Obsidian's Bases reads, and it is never written over a person's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from engine.kit import TestVault
from genesys.engine import dashboard

# The published syntax of Bases: sections, kinds of views, properties of files, functions by what they are of.
SECTIONS = {"filters", "formulas", "properties", "summaries", "views"}
VIEW_KEYS = {"type", "name", "filters", "order", "sort", "limit", "groupBy", "summaries", "image"}
VIEW_TYPES = {"table", "cards", "list", "map"}
FILE_PROPERTIES = {
    "backlinks", "ctime", "embeds", "ext", "file", "folder", "links", "mtime", "name", "path",
    "properties", "size", "tags",
}  # fmt: skip
FUNCTIONS = {"if", "date", "now", "today", "max", "min", "number", "list", "link"}
METHODS = {
    "hasProperty", "hasTag", "hasLink", "inFolder", "relative", "repeat", "ceil", "round", "toFixed",
    "toString", "contains", "isEmpty", "format",
}  # fmt: skip
WRITTEN = {"genesys_status", "genesys_score", "genesys_recalls", "genesys_last_recalled", "genesys_core"}


def check_base(raw: bytes) -> dict[str, Any]:
    """The file's views by name, where it keeps to the syntax; fails where it doesn't."""
    base = yaml.safe_load(raw)
    assert set(base) <= SECTIONS
    formulas = base.get("formulas", {})
    for formula in formulas.values():
        check_expression(formula, formulas)
    for name, config in base.get("properties", {}).items():
        check_property(name, formulas)
        assert set(config) == {"displayName"}
    check_filter(base["filters"], formulas)
    for view in base["views"]:
        assert set(view) <= VIEW_KEYS
        assert view["type"] in VIEW_TYPES
        check_filter(view.get("filters", []), formulas)
        for name in (*view["order"], *(rule["property"] for rule in view["sort"])):
            check_property(name, formulas)
        assert {rule["direction"] for rule in view["sort"]} <= {"ASC", "DESC"}
        assert isinstance(view.get("limit", 1), int)
    views = {view["name"]: view for view in base["views"]}
    assert len(views) == len(base["views"])
    return views


def check_filter(node: Any, formulas: dict[str, str]) -> None:
    """A statement, or an object with exactly one of and, or, not over a list of filters."""
    if isinstance(node, str):
        check_expression(node, formulas)
        return
    assert isinstance(node, dict)
    assert len(node) == 1
    assert set(node) <= {"and", "or", "not"}
    for inner in next(iter(node.values())):
        check_filter(inner, formulas)


def check_expression(text: str, formulas: dict[str, str]) -> None:
    """Brackets close, texts end, and every name is a property, a function or a method that exists."""
    assert isinstance(text, str)
    bare = re.sub(r"\"[^\"]*\"|'[^']*'", "0", text)
    assert not set("\"'") & set(bare)
    assert bare.count("(") == bare.count(")")
    assert set(re.findall(r"(?<![.\w])(\w+)\(", bare)) <= FUNCTIONS
    assert set(re.findall(r"\.(\w+)\(", bare)) <= METHODS
    for name in re.findall(r"(?<![.\w])[A-Za-z_][\w.]*", bare):
        plain = name if not re.search(rf"{re.escape(name)}\(", bare) else name.rpartition(".")[0]
        if plain not in {"", "true", "false", "file"}:
            check_property(re.sub(r"\.(relative|repeat|ceil)$", "", plain), formulas)


def check_property(name: str, formulas: dict[str, str]) -> None:
    kind, _, rest = name.rpartition(".")
    if kind == "file":
        assert rest in FILE_PROPERTIES
    elif kind == "formula":
        assert rest in formulas
    else:
        assert kind in ("", "note")
        assert rest in WRITTEN


def test_the_file_keeps_to_the_syntax_of_bases() -> None:
    """Five views over the properties that Genesys writes, in YAML that Bases defines."""
    views = check_base(dashboard.text().encode())
    assert ["Core", "Active", "Dormant", "Fading", "Recently recalled"] == list(views)
    assert "genesys_last_recalled" == views["Recently recalled"]["sort"][0]["property"]
    for name in ("Active", "Dormant", "Fading"):
        assert {"and": [f'genesys_status == "{name.lower()}"']} == views[name]["filters"]


@pytest.mark.parametrize(
    "broken",
    [
        "views: [{type: chart, name: x, order: [file.name], sort: []}]\nfilters: {and: []}",
        "views: []\nfilters: {and: [], or: []}",
        "views: []\nfilters: 'file.hasproperty(\"x\")'",
        "views: []\nfilters: 'mood == 1'",
    ],
)
def test_the_check_can_fail(broken: str) -> None:
    """What Bases would not read does not pass for a base here either."""
    with pytest.raises(AssertionError):
        check_base(broken.encode())


def test_it_stands_where_the_properties_stand(story: TestVault) -> None:
    """The properties that a maintenance pass writes are the ones that the views read."""
    story.env["GENESYS_WRITEBACK"] = "all"
    story.index(embed=False)
    with story.memory() as memory:
        memory.recall("cellular modems")
        memory.pin("Home")
        memory.decay()
    written = set(re.findall(r"^(genesys_\w+):", (story.root / "Home.md").read_text("utf-8"), re.MULTILINE))
    used = set(re.findall(r"genesys_\w+", dashboard.text()))
    assert written <= used | {"genesys_pinned"}
    assert {"genesys_status", "genesys_core"} <= written


@pytest.mark.parametrize(
    "edit",
    [
        lambda raw: raw + b"\n",
        lambda raw: raw[:-9],
        lambda raw: b"views: []\n",
        lambda raw: raw.replace(b"\n", b"\r\n"),
        lambda raw: b"",
        lambda raw: b"\xff" + raw,
    ],
)
def test_one_changed_byte_makes_it_a_person_s(edit: Callable[[bytes], bytes]) -> None:
    """Only what was written stands for ours: setup neither replaces nor removes anything else."""
    raw = dashboard.text().encode()
    assert dashboard.is_ours(raw)
    assert not dashboard.is_ours(edit(raw))


def test_what_an_earlier_version_wrote_is_still_ours() -> None:
    """The mark covers whatever text there was, so a later version may replace it."""
    body = "views: []\n"
    sign = dashboard.text().split("\n")[0].rpartition(" ")[0]
    assert dashboard.is_ours(f"{sign} {dashboard._digest(body)}\n{body}".encode())
