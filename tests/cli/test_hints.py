"""What the command line says to somebody who has it for the first time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support import VAULT, invoke, run_cli

FAKE = {"GENESYS_EMBEDDER": "fake"}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The fixture vault with its index; tests may change it."""
    copy = Path(shutil.copytree(VAULT, tmp_path / "vault", symlinks=True))
    assert invoke("index", "--no-embed", vault=copy).code == 0
    return copy


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")


def test_the_vault_goes_behind_the_command(tmp_path: Path) -> None:
    """In front of it, it is named as misplaced and not as unknown."""
    done = invoke("--vault", str(tmp_path), "search", "y")
    assert (2, "") == (done.code, done.stdout)
    assert "--vault goes behind the command" in done.stderr
    assert "next: genesys search … --vault FOLDER" in done.stderr


def test_an_option_without_its_word_names_its_own_help(vault: Path) -> None:
    """The help of the command, not the program's."""
    done = invoke("core", "--exclude", vault=vault)
    assert (2, "  next: genesys core --help") == (done.code, done.stderr.splitlines()[1])


def test_a_file_is_no_vault(vault: Path) -> None:
    """It says so, and names the folder around it."""
    done = invoke("index", "--vault", str(vault / "Home.md"))
    assert 1 == done.code
    assert "Home.md is a file" in done.stderr
    assert str(vault) in done.stderr.splitlines()[1]


def test_a_folder_without_notes_is_questioned(tmp_path: Path) -> None:
    """Most likely a typo where it has no .obsidian either; a new vault is only called empty."""
    for name in ("typo", "new/.obsidian"):
        (tmp_path / name).mkdir(parents=True)
    typo = invoke("index", "--vault", str(tmp_path / "typo")).stdout
    assert "is this the folder you meant?" in typo
    new = json.loads(invoke("index", "--json", "--vault", str(tmp_path / "new")).stdout)
    assert [f"there is no note in {tmp_path / 'new'} yet"] == new["notices"]


def test_the_beginning_or_a_part_of_a_title_is_enough_for_a_suggestion(vault: Path) -> None:
    """However little of a long title it is."""
    assert "did you mean 'ADR-003 LoRa Mesh'?" in invoke("why", "adr-003", vault=vault).stderr
    assert "'ADR-003 LoRa Mesh'" in invoke("why", "lora m", vault=vault).stderr


@pytest.mark.parametrize("word", ["because", "Caused By", "due-to", "caused_by"])
def test_a_memory_links_by_the_words_that_notes_use(vault: Path, word: str) -> None:
    """Synonyms as the reader of notes has them."""
    done = invoke("remember", "The mesh held.", "--link", f"{word}:Gateway", "--json", vault=vault)
    assert [("caused_by", "Hardware/Gateway.md")] == [
        (e["type"], e["target"]) for e in json.loads(done.stdout)["edges"]
    ]


def test_an_inverse_or_unknown_word_names_what_can_be_said(vault: Path) -> None:
    """And nothing is written."""
    for word, hint in {
        "led_to": "`caused_by:: [[…]]` into the other note",
        "foo": "one of caused_by",
    }.items():
        done = invoke("remember", "The mesh held.", "--link", f"{word}:Gateway", vault=vault)
        assert 2 == done.code
        assert hint in done.stderr
    assert not (vault / "Memories").exists()


def test_a_pin_that_a_note_cannot_carry(vault: Path) -> None:
    """One line says that it holds and why it is not in the note; the next what to do."""
    done = invoke("pin", "Old Inventory", vault=vault)
    first, second = done.stderr.splitlines()
    assert first == (
        "genesys: pinned, but Hardware/Old Inventory.md can't carry the mark: "
        "its properties are not valid YAML (line 3)"
    )
    assert second.startswith("  next: mend that in the note")


def test_unpinning_says_what_was_the_case(vault: Path) -> None:
    """A note without a pin has none to lose."""
    assert invoke("unpin", "Home", vault=vault).stdout.startswith("was not pinned: Home.md")
    invoke("pin", "Home", vault=vault)
    assert invoke("unpin", "Home", vault=vault).stdout.startswith("unpinned: Home.md")


def test_the_core_is_listed_with_its_reasons(vault: Path) -> None:
    """Under headings, then the preferences in words and when they count."""
    invoke("pin", "Home", vault=vault)
    out = invoke("core", "--approval", "rule", "--exclude", "draft", vault=vault).stdout
    assert ["core:", "  Home.md  (pinned)"] == out.splitlines()[:2]
    assert "categories that are only proposed: rule" in out
    assert "categories that are never core: draft" in out
    assert "at the next pass: genesys decay" in out
    assert "next pass" not in invoke("core", vault=vault).stdout


def test_a_category_goes_on_one_list(vault: Path) -> None:
    """Named for two in one call it is refused, and nothing changes."""
    done = invoke("core", "--auto", "idea", "--exclude", "idea", vault=vault)
    assert (2, True) == (done.code, "idea is on two lists" in done.stderr)
    assert [] == json.loads(invoke("core", "--json", vault=vault).stdout)["auto"]


BAD_LINES = {
    '{"id": 3, "query": 4}': {"id": 3, "line": 1, "error": "query is not a text"},
    '{"id": "q"}': {"id": "q", "line": 1, "error": "there is no query"},
    '{"id": "q", "query": "x", "k": "m"}': {"id": "q", "line": 1, "error": "k is not a whole number"},
    '{"query": "x", "date": 1}': {"line": 1, "error": "date is not a text"},
    "[]": {"line": 1, "error": 'not an object: {"id", "query", "k"}'},
}


@pytest.mark.parametrize(("line", "answer"), BAD_LINES.items(), ids=range(len(BAD_LINES)))
def test_a_bad_line_of_a_batch_says_what_is_wrong(vault: Path, line: str, answer: dict[str, object]) -> None:
    """With the id it had, so that a program can find it again."""
    done = run_cli("recall", "--batch", "-", vault=vault, env=FAKE, stdin=line)
    assert answer == json.loads(done.stdout)


def test_nothing_to_bring_back(vault: Path) -> None:
    """An undo without anything forgotten says where else to look."""
    assert "move it back by hand" in invoke("forget", "--undo", vault=vault).stderr
    assert "without a name" in invoke("forget", "--undo", "Nothing", vault=vault).stderr
