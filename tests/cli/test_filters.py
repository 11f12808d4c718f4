"""Filters on the command line: any case, and a word where no note can pass."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support import VAULT, invoke, run_cli

FAKE = {"GENESYS_EMBEDDER": "fake"}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    vault = Path(shutil.copytree(VAULT, tmp_path_factory.mktemp("filters") / "vault", symlinks=True))
    assert run_cli("index", "--no-embed", vault=vault, env=FAKE).code == 0
    return vault


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")


@pytest.mark.parametrize("folder", ["Decisions", "decisions", "/DECISIONS/"])
def test_a_folder_is_found_in_any_case(indexed: Path, folder: str) -> None:
    """What Obsidian's file list shows is one folder, however it is typed."""
    found = json.loads(invoke("search", "--folder", folder, "--json", vault=indexed).stdout)
    assert found
    assert all(note["path"].startswith("Decisions/") for note in found)


UNMET = {
    "folder": (["--folder", "decision"], "no note lies in a folder 'decision': did you mean 'Decisions'?"),
    "far folder": (["--folder", "Qqq"], "no note lies in a folder 'Qqq'"),
    "tag": (["--tag", "decisoin"], "no note has the tag 'decisoin': did you mean 'decision'?"),
    "far tag": (["--tag", "#qqq/zzz"], "no note has the tag 'qqq/zzz'"),
}


@pytest.mark.parametrize("command", ["recall", "search"])
@pytest.mark.parametrize(("args", "line"), UNMET.values(), ids=UNMET)
def test_a_filter_that_no_note_passes_says_so(
    indexed: Path, command: str, args: list[str], line: str
) -> None:
    """With the nearest folder or tag there is; and the JSON of a search stays a list."""
    done = invoke(command, "battery", *args, vault=indexed)
    assert 0 == done.code
    assert f"! {line}" in (done.stdout + done.stderr).splitlines()
    assert json.loads(invoke(command, "battery", *args, "--json", vault=indexed).stdout) is not None


def test_filters_that_notes_pass_say_nothing(indexed: Path) -> None:
    """No match for the words is no fault of the folder."""
    done = invoke("search", "zzzzqqqq", "--folder", "Decisions", vault=indexed)
    assert ("", 0) == (done.stderr, done.code)
