"""A vault as bad as they come: it is indexed in bounded time and memory, and every bad file is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.kit import FAKE, TestVault, run_powerless
from support import child_env, run_cli

SECONDS = 90  # for all of it, on a shared machine; it takes some 8 s
MEGABYTES = 600  # peak resident size of the process that indexes

ODD_NAMES = ["100% sure", "it's", 'say "hi"', "two\nlines", "🦊 fox", "semi;colon--", "$HOME `id`", "a" * 240]


def alias_bomb() -> str:
    """Nine levels of ten aliases each: a billion values where they are expanded."""
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 10)]
    return "---\n" + "\n".join(lines) + "\n---\nthe bomb note speaks of marzipan\n"


def fill(root: Path) -> None:
    """Each file tells of its own word, so that recall can show whether it is searchable."""
    vault = TestVault(root)
    vault.write("good.md", "the good note speaks of lanterns [[big]]")
    paragraph = "the big note speaks of elephants and of nothing else at all.\n\n"
    vault.write("big.md", paragraph * (10_000_000 // len(paragraph)))
    vault.write("one line.md", "the single line speaks of giraffes " + "x" * 3_000_000)
    vault.write(
        "links.md", "the link note speaks of spiders\n" + "".join(f"[[target {i}]] " for i in range(5_000))
    )
    vault.write("quotes.md", ">" * 5_000 + " the quote note speaks of onions")
    vault.write("lists.md", "".join("  " * i + f"- level {i} of turnips\n" for i in range(1_500)))
    vault.write(
        "brackets.md", "[" * 50_000 + " the bracket note speaks of fences " + "]" * 50_000 + "[[" * 20_000
    )
    vault.write("stars.md", "the star note speaks of comets " + "*_" * 50_000 + "`" * 30_001)
    vault.write("table.md", "|a|\n|-|\n" + "|the table note speaks of ladders|\n" * 20_000)
    vault.write("nested.md", "---\nx: " + "[" * 3_000 + "\n---\nthe nested note speaks of parsnips\n")
    vault.write("nul.md", b"the nul note\x00 speaks of walruses\x00\x00")
    vault.write("latin.md", "the latin note speaks of zebrafinches, déjà vu".encode("latin-1"))
    vault.write("binary.md", bytes(range(256)) * 400)
    vault.write("utf16.md", "the utf16 note speaks of herons".encode("utf-16"))
    vault.write("bomb.md", alias_bomb())
    vault.write("broken.md", "---\na: [1\n---\nthe broken note speaks of rhubarb\n")
    vault.write("bad.canvas", "{ not json")
    vault.write("deep.canvas", '{"nodes":' + "[" * 100_000)
    vault.write("empty.md", "")
    for number, name in enumerate(ODD_NAMES):
        vault.write(f"names/{name}.md", f"the oddly named note speaks of oddity{number} [[good]]")
    (root / "loop").symlink_to(root)
    (root / "dead.md").symlink_to(root / "nowhere.md")
    os.mkfifo(root / "pipe.md")
    with open(os.fsencode(root) + b"/caf\xe9.md", "wb") as file:
        file.write(b"a name that is not UTF-8")
    vault.write("locked/inside.md", "never seen")
    vault.write("locked.md", "never seen")
    (root / "locked").chmod(0)
    (root / "locked.md").chmod(0)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestVault]:
    """The hostile vault, indexed by a process of its own that may read no more than a person may."""
    vault = TestVault(tmp_path_factory.mktemp("hostile"))
    fill(vault.root)
    start = time.monotonic()
    done = run_powerless("index", "--json", vault=vault.root)
    took = time.monotonic() - start
    assert done.code == 0, done.stderr
    assert done.stderr == ""
    assert took < SECONDS
    yield vault
    (vault.root / "locked").chmod(0o755)


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="names and modes that other systems refuse"),
]

WORDS = {
    "lanterns": "good.md",
    "elephants": "big.md",
    "giraffes": "one line.md",
    "spiders": "links.md",
    "onions": "quotes.md",
    "turnips": "lists.md",
    "fences": "brackets.md",
    "comets": "stars.md",
    "ladders": "table.md",
    "parsnips": "nested.md",
    "walruses": "nul.md",
    "zebrafinches": "latin.md",
    "marzipan": "bomb.md",
    "rhubarb": "broken.md",
    **{f"oddity{i}": f"names/{name}.md" for i, name in enumerate(ODD_NAMES)},
}


@pytest.mark.parametrize("word", WORDS)
def test_every_note_that_can_be_read_is_found(hostile: TestVault, word: str) -> None:
    """By the one word that only it has."""
    with hostile.memory(read_only=True) as memory:
        hits = memory.recall(word, 3, read_only=True, with_vectors=False).hits
    assert WORDS[word] in [hit.path for hit in hits]


REASONS = {
    "locked": "can't be read",
    "locked.md": "can't be read",
    "loop": "symlink",
    "dead.md": "symlink",
    "pipe.md": "not an ordinary file",
    "caf\\xe9.md": "not UTF-8",
    "nul.md": "",
    "latin.md": "UTF-8",
    "utf16.md": "",
    "bomb.md": "",
    "broken.md": "YAML",
    "nested.md": "",
}


@pytest.mark.parametrize("path", REASONS)
def test_status_names_every_bad_file_with_its_reason(hostile: TestVault, path: str) -> None:
    """One line each, and the run of a command shows it."""
    with hostile.memory(read_only=True) as memory:
        report = memory.status()
    said = {item.path: item.reason for item in (*report.skipped, *report.problems)}
    assert path in said
    assert said[path]
    assert REASONS[path] in said[path]
    assert "\n" not in said[path]


def test_a_second_pass_changes_nothing(hostile: TestVault) -> None:
    """Bad files are looked at again, and no note is read or embedded anew."""
    done = run_powerless("index", "--json", vault=hostile.root)
    report = json.loads(done.stdout)
    assert [0] * 5 == [report[n] for n in ("added", "changed", "moved", "removed", "embedded")]


def test_memory_stays_bounded(hostile: TestVault, tmp_path: Path) -> None:
    """Peak resident size of a pass over all of it, measured by the kernel."""
    code = (
        "import resource, sys; from genesys.cli import run; run(['index', '--full']);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    env = child_env(hostile.root, {**FAKE, "GENESYS_INDEX": str(tmp_path / "index.db")})
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, encoding="utf-8", check=True
    )
    peak = int(done.stdout.split()[-1]) / 1024
    print(f"peak {peak:.0f} MB")
    assert peak < MEGABYTES


def test_odd_names_print_on_one_line(hostile: TestVault) -> None:
    """A newline in a name does not make a line of its own, and JSON still parses."""
    done = run_cli("search", "oddity3", vault=hostile.root, env=FAKE)
    assert "two␤lines" in done.stdout
    found = json.loads(run_cli("search", "oddity3", "--json", vault=hostile.root, env=FAKE).stdout)
    assert found[0]["path"] == "names/two\nlines.md"
