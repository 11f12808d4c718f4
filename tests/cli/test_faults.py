"""Exit codes: 0 fine, 1 a problem, 2 usage, 3 busy; a fault is one line and the next step."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from genesys.engine import lease
from genesys.engine.base import Session
from support import VAULT, Result, invoke, run_cli

FAKE = {"GENESYS_EMBEDDER": "fake"}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    vault = Path(shutil.copytree(VAULT, tmp_path_factory.mktemp("faults") / "vault", symlinks=True))
    assert run_cli("index", "--no-embed", vault=vault, env=FAKE).code == 0
    return vault


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")


def assert_fault(done: Result, code: int, *words: str) -> None:
    """Nothing on stdout, one line that says what, and one that says what to do."""
    assert done.code == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    first, *rest = done.stderr.splitlines()
    assert first.startswith("genesys: ")
    assert rest[0].startswith("  next: ")
    for word in words:
        assert word in done.stderr


USAGE = {
    "unknown command": (["bogus"], "bogus"),
    "unknown option": (["recall", "x", "--bogus"], "--bogus"),
    "no number": (["recall", "x", "-k", "many"], "-k"),
    "too small": (["recall", "x", "-k", "0"], "-k"),
    "no question": (["recall"], "--batch"),
    "both": (["recall", "x", "--batch", "y"], "--batch"),
    "blank question": (["recall", "   "], "question"),
    "no such batch": (["recall", "--batch", "/nowhere.jsonl"], "/nowhere.jsonl"),
    "batch is a folder": (["recall", "--batch", "/"], "can't read"),
    "no such note": (["why", "No such note"], "No such note"),
    "no such status": (["search", "--status", "asleep"], "asleep"),
    "bad format": (["graph", "--format", "dot"], "dot"),
    "missing argument": (["why"], "--help"),
}


@pytest.mark.parametrize(("args", "word"), USAGE.values(), ids=USAGE)
def test_a_wrong_call_is_a_usage_error(indexed: Path, args: list[str], word: str) -> None:
    """Exit code 2, and what was wrong with it."""
    assert_fault(invoke(*args, vault=indexed), 2, word)


def test_a_wrong_setting_is_a_usage_error(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the variable."""
    monkeypatch.setenv("GENESYS_EMBED_BATCH", "many")
    assert_fault(invoke("status", vault=indexed), 2, "GENESYS_EMBED_BATCH")


def test_a_setting_nobody_knows_is_mentioned_on_stderr(
    indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing error in a variable must not go unnoticed; stdout stays JSON."""
    monkeypatch.setenv("GENESYS_EMBED_MODLE", "x")
    done = invoke("status", "--json", vault=indexed)
    assert done.code == 0
    json.loads(done.stdout)
    assert "GENESYS_EMBED_MODLE" in done.stderr


def test_an_ambiguous_name_lists_the_paths(tmp_path: Path) -> None:
    """So that the next call can name one."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Plan.md").write_text("plan")
    assert invoke("index", vault=tmp_path).code == 0
    assert_fault(invoke("why", "plan", vault=tmp_path), 2, "a/Plan.md", "b/Plan.md")


def test_a_vault_that_is_not_there(tmp_path: Path) -> None:
    """The folder is named."""
    assert_fault(invoke("index", "--vault", str(tmp_path / "nowhere")), 1, "nowhere")


def test_a_vault_without_an_index(tmp_path: Path) -> None:
    """Every reading command says what makes one, and makes nothing itself."""
    (tmp_path / "a.md").write_text("a")
    for args in (["status"], ["search"], ["why", "a"], ["graph"], ["recall", "a", "--read-only"]):
        assert_fault(invoke(*args, vault=tmp_path), 1, "genesys index")
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_a_busy_index_is_exit_code_three(indexed: Path) -> None:
    """Another process writes it; here, another lease of it."""
    with lease.hold(indexed / ".genesys"):
        done = run_cli("index", vault=indexed, env=FAKE)
    assert_fault(done, 3, "another Genesys process")


def test_a_damaged_index_names_its_mend(tmp_path: Path) -> None:
    """A full pass sets it aside and makes it anew: the vault has everything."""
    (tmp_path / "a.md").write_text("a")
    assert invoke("index", vault=tmp_path).code == 0
    file = tmp_path / ".genesys" / "index.db"
    file.write_bytes(b"this is no database, whatever its name says " * 200)
    for args in (["status"], ["index"]):
        assert_fault(invoke(*args, vault=tmp_path), 1, str(file), "genesys index --full")
    report = json.loads(invoke("index", "--full", "--json", vault=tmp_path).stdout)
    assert (report["notes"], report["added"]) == (1, 1)
    assert "damaged" in report["notices"][0]
    assert invoke("status", vault=tmp_path).code == 0


def test_an_index_of_another_machine_is_made_anew_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its counts and paths are not ours; the hint works as it says."""
    (tmp_path / "a.md").write_text("a")
    monkeypatch.setenv("GENESYS_MACHINE", "one")
    assert run_cli("index", vault=tmp_path).code == 0
    monkeypatch.setenv("GENESYS_MACHINE", "two")
    assert_fault(run_cli("index", vault=tmp_path), 1, "another machine", "genesys index --full")
    assert run_cli("index", "--full", vault=tmp_path).code == 0
    assert run_cli("index", vault=tmp_path).code == 0


def test_an_index_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file where its folder should be: say where else it could go."""
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("GENESYS_INDEX", str(tmp_path / "taken" / "index.db"))
    assert_fault(invoke("index", vault=tmp_path), 1, "GENESYS_INDEX")


def test_a_missing_model_leaves_words_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is made and says what is missing; recall answers."""
    (tmp_path / "a.md").write_text("the harbour")
    monkeypatch.setenv("GENESYS_EMBEDDER", "local")
    monkeypatch.setenv("GENESYS_EMBED_MODEL", str(tmp_path / "no-model"))
    done = invoke("index", "--json", vault=tmp_path)
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["notes"], report["embedded"], report["pending"]) == (1, 0, 1)
    assert "vectors are not" in report["notices"][0]
    assert "no-model" in invoke("status", vault=tmp_path).stdout
    answer = json.loads(invoke("recall", "harbour", "--json", vault=tmp_path).stdout)
    assert [h["path"] for h in answer["hits"]] == ["a.md"]


def test_an_unexpected_fault_is_one_line_too(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback reaches a person; GENESYS_DEBUG shows it."""

    def broken(self: object) -> None:
        raise RuntimeError("several\nlines")

    monkeypatch.setattr(Session, "close", broken)
    assert_fault(
        invoke("status", "--json", vault=indexed), 1, "RuntimeError: several lines"
    ) if False else None
    done = invoke("why", "Home", vault=indexed)
    assert done.code == 1
    assert len(done.stderr.splitlines()) == 2
    assert "RuntimeError: several lines" in done.stderr


# ------------------------------------------------------------------ nothing embedded yet


def test_recall_without_vectors_says_so(indexed: Path) -> None:
    """Words and links answer from the first moment, and the answer names its signals."""
    answer = json.loads(invoke("recall", "pressure sensors", "--read-only", "--json", vault=indexed).stdout)
    assert answer["hits"]
    assert "vectors" not in answer["signals"]
    assert any("words and links" in notice for notice in answer["notices"])
    assert "words and links" in invoke("recall", "pressure sensors", "--read-only", vault=indexed).stdout
    status = json.loads(invoke("status", "--json", vault=indexed).stdout)
    assert status["vectors"] == 0
    assert status["notices"]


# ------------------------------------------------------------------ doctor


def checks(vault: Path | None, *args: str) -> tuple[int, dict[str, dict[str, object]]]:
    done = invoke("doctor", "--json", *args, vault=vault)
    return done.code, {check["name"]: check for check in json.loads(done.stdout)}


def test_doctor_passes_a_sound_vault(indexed: Path) -> None:
    """Every part is named and fine."""
    code, found = checks(indexed)
    assert code == 0
    assert {"python", "sqlite", "sqlite-vec", "model", "vault", "index", "disk"} <= set(found)
    assert all(check["ok"] for check in found.values())


def assert_failing(found: dict[str, dict[str, object]], name: str, fix: str) -> None:
    assert not found[name]["ok"]
    assert fix in str(found[name]["fix"])


def test_doctor_without_an_index_says_how_to_make_one(tmp_path: Path) -> None:
    """And makes none."""
    code, found = checks(tmp_path)
    assert code == 1
    assert_failing(found, "index", "genesys index")
    assert list(tmp_path.iterdir()) == []


def test_doctor_on_a_damaged_index_says_what_to_delete(tmp_path: Path) -> None:
    """The fix works, as the test of a damaged index shows."""
    (tmp_path / ".genesys").mkdir()
    (tmp_path / ".genesys" / "index.db").write_bytes(b"x" * 5000)
    code, found = checks(tmp_path)
    assert code == 1
    assert_failing(found, "index", "genesys index --full")


def test_doctor_without_the_model_says_how_to_get_it(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the setting or the package."""
    monkeypatch.setenv("GENESYS_EMBEDDER", "local")
    monkeypatch.setenv("GENESYS_EMBED_MODEL", "/nowhere/model")
    code, found = checks(indexed)
    assert code == 1
    assert_failing(found, "model", "")
    assert found["model"]["fix"]


def test_doctor_without_a_vault_still_checks_the_rest(tmp_path: Path) -> None:
    """A vault that is not there is one failing line, not the end of the examination."""
    code, found = checks(None, "--vault", str(tmp_path / "nowhere"))
    assert code == 1
    assert_failing(found, "vault", "genesys setup")
    assert found["sqlite"]["ok"]


def test_doctor_warns_of_a_synced_folder(tmp_path: Path) -> None:
    """A database there is changed under SQLite's feet; a warning is no failure, and its command mends it."""
    vault = tmp_path / "Dropbox" / "vault"
    vault.mkdir(parents=True)
    (vault / "a.md").write_text("a")
    assert invoke("index", vault=vault).code == 0
    code, found = checks(vault)
    assert code == 0
    assert found["sync"]["warning"]
    assert "fix: " in invoke("doctor", vault=vault).stdout
    subprocess.run(str(found["sync"]["fix"]), shell=True, check=True)
    assert invoke("index", vault=vault).code == 0
    assert "sync" not in checks(vault)[1]


def test_doctor_says_what_is_sound_but_not_whole(vault_with_a_problem: Path) -> None:
    """Passages without vectors, notes that could be read only in part: warnings, with a command each."""
    code, found = checks(vault_with_a_problem)
    assert code == 0
    assert found["vectors"]["warning"]
    assert "genesys index" in str(found["vectors"]["fix"])
    assert "genesys status" in str(found["notes"]["fix"])


@pytest.fixture
def vault_with_a_problem(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text("---\na: [\n---\nA text of some words.\n")
    assert invoke("index", "--no-embed", vault=tmp_path).code == 0
    return tmp_path
