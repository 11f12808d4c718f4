"""The README, .env.example and the Makefile say what the program does; none of them can drift.

``UPDATE_DOCS=1 pytest tests/test_docs.py`` writes .env.example anew.
"""

from __future__ import annotations

import dataclasses
import os
import re
from itertools import groupby

import pytest

from genesys.reports import IndexReport
from genesys.settings import describe
from support import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {page.name: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}
PROSE = "\n".join([README, *PAGES.values()])
ENV_EXAMPLE = ROOT / ".env.example"

ENV_HEAD = """\
# Every setting of Genesys, with its default. Nothing here needs to be set.
# Genesys reads the environment, not this file: export what you change, or put it, in lower case and
# without the prefix, into .genesys.toml in the vault or genesys/config.toml in your configuration folder.
"""


def section(name: str) -> str:
    """What stands between the README's markers ``<!-- name -->`` and ``<!-- /name -->``."""
    match = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", README, re.DOTALL)
    assert match is not None, f"README.md has no section {name}"
    return match[1]


def rows(name: str) -> dict[str, str]:
    """The rows of a table: what the first cell has in backticks, and the second cell."""
    return dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", section(name), re.MULTILINE))


def commands() -> dict[str, set[str]]:
    """Each command of the command line with its options."""
    import typer.main

    from genesys.cli.app import full_app

    group = typer.main.get_command(full_app())
    return {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in group.commands.items()
    }


def env_example() -> str:
    """.env.example as the settings themselves describe it."""
    blocks = [ENV_HEAD]
    for group, docs in groupby(describe(), key=lambda doc: doc.group):
        blocks.append(f"# ---- {group or 'general'}\n")
        for doc in docs:
            details = "; ".join(filter(None, [doc.unit, doc.allowed]))
            blocks.append(f"# {doc.doc}{f' ({details})' if details else ''}\n#{doc.name}={doc.default}\n")
    return "\n".join(blocks)


def test_env_example_lists_exactly_the_settings() -> None:
    """Every setting with its meaning, unit, allowed values and default; nothing else."""
    if os.environ.get("UPDATE_DOCS"):
        ENV_EXAMPLE.write_text(env_example(), encoding="utf-8")
    written = ENV_EXAMPLE.read_text(encoding="utf-8") if ENV_EXAMPLE.exists() else ""
    assert env_example() == written, "run: UPDATE_DOCS=1 pytest tests/test_docs.py"


def test_the_readme_names_only_settings_that_exist() -> None:
    """A variable in the text or the table, here or in docs/, is one that the settings know."""
    known = {doc.name for doc in describe()}
    named = set(re.findall(r"GENESYS_[A-Z0-9_]+", PROSE))
    assert set() == named - known
    assert set(rows("settings")) <= known


def test_the_command_table_is_the_command_line() -> None:
    """Each command has its row, and each row a command."""
    assert set(commands()) == {name.removeprefix("genesys ") for name in rows("commands")}


def test_options_in_the_command_table_exist() -> None:
    """An option named in a command's row is one of that command."""
    options = commands()
    wrong = {
        name: missing
        for name, text in rows("commands").items()
        if (missing := set(re.findall(r"`(--?[a-z-]+)", text)) - options[name.removeprefix("genesys ")])
    }
    assert {} == wrong


@pytest.mark.parametrize("line", re.findall(r"^(?:genesys|make) .*$", PROSE, re.MULTILINE))
def test_a_line_to_type_can_be_typed(line: str) -> None:
    """Commands and make targets in the code blocks of the README and of docs/ exist."""
    program, word = line.split()[:2]
    if program == "genesys":
        assert word in commands()
    else:
        assert re.search(rf"^{word}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_readme_leads_to_every_page() -> None:
    """Each page of docs/ is linked, and each link has its page."""
    assert {f"docs/{name}" for name in PAGES} == set(re.findall(r"\]\((docs/[^)]+\.md)\)", README))


def test_the_docs_list_the_fields_of_an_index_report() -> None:
    """Programs read `genesys index --json`: its fields are all named."""
    paragraph = re.search(r"\*\*`genesys index --json`\*\*(.*?)\n\n", PAGES["programs.md"], re.DOTALL)
    assert paragraph is not None
    assert {f.name for f in dataclasses.fields(IndexReport)} == set(re.findall(r"`(\w+)`", paragraph[1]))


def test_ci_runs_what_the_readme_says() -> None:
    """CI's script runs the README's two commands and nothing of its own."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert ["make test", "make demo"] == re.findall(r"^make \w+", script, re.MULTILINE)
    assert ["make test", "make demo"] == re.findall(r"^make \w+", README, re.MULTILINE)[:2]


def test_no_page_names_a_place_on_someone_s_machine() -> None:
    """Pins are bare versions; pages name no host to install from and no home folder."""
    pins = [line for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines() if line[:1] != "#"]
    assert [] == [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+", pin)]
    assert "torch==2.13.0" in pins
    pages = ["README.md", "CHANGELOG.md", "Makefile", ".ci/run", "constraints.txt", "pyproject.toml"]
    pages += [f"docs/{name}" for name in PAGES]
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages}
    assert {} == {
        page: t for page, t in texts.items() if re.search(r"/home/|/root/|/work\b|index-url|find-links", t)
    }
