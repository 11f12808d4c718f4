"""``genesys setup`` as somebody meets it: what it says, writes, asks, refuses and takes back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connect.homes import everything, furnished
from genesys.engine import dashboard
from genesys.parse.json_patch import look_up
from genesys.parse.json_text import read_json
from support import VAULT, child_env, invoke, run_cli

FAKE = {"GENESYS_EMBEDDER": "fake", "GENESYS_IDLE_EXIT_S": "1"}


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The test's own home, with both clients and a vault in it; the daemon of a check ends with the test."""
    for name, value in FAKE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    home = furnished(Path(os.environ["HOME"]))
    shutil.copytree(VAULT, notes(home), symlinks=True)
    yield home
    invoke("daemon", "stop", "--vault", str(notes(home)))


def notes(home: Path) -> Path:
    return home / "Meine Notizen (日記)"


def desktop(home: Path) -> Path:
    return home / ".config" / "Claude" / "claude_desktop_config.json"


def test_a_folder_without_notes_is_doubted(home: Path, tmp_path: Path) -> None:
    """It is connected as asked, and the line behind says that it may be the wrong one."""
    (tmp_path / "Empty").mkdir()
    done = invoke("setup", str(tmp_path / "Empty"), "--yes", "--client", "code")
    assert (0, "") == (done.code, done.stderr)
    assert "Claude will see 0 notes.\n! there is none in " in done.stdout


def test_what_is_left_out_is_said_where_the_notes_are_counted(home: Path) -> None:
    """Fewer notes than one has are no riddle: the reason stands above the count."""
    (notes(home) / "Mine.md").write_text("---\ngenesys: false\n---\nA diary.\n", "utf-8")
    done = invoke("setup", str(notes(home)), "--yes", "--client", "code")
    line = next(line for line in done.stdout.splitlines() if line.startswith("left out: "))
    assert "opted out" in line


def test_setup_connects_checks_and_is_undone_without_a_trace(home: Path) -> None:
    """Byte order mark, comments, CRLF, no last line's end: all files are as they were, and none is new."""
    before = everything(home)
    done = invoke("setup", str(notes(home)), "--yes")
    assert (0, "") == (done.code, done.stderr)
    assert '+      "args": ["serve", "--vault", "' + str(notes(home)) in done.stdout
    assert "! it has a byte order mark" in done.stdout
    count = json.loads(invoke("status", "--json", "--vault", str(notes(home))).stdout)["notes"]
    assert f"It works: Claude will see {count} notes." in done.stdout
    assert "genesys setup --undo" in done.stdout.splitlines()[-1]
    entry = json.loads((home / ".claude.json").read_bytes())["mcpServers"]["genesys"]
    assert Path(entry["command"]).is_absolute()
    again = invoke("setup", "--vault", str(notes(home)), "--yes")
    assert 2 == again.stdout.count("connected already")
    assert "written" not in again.stdout
    doctor = invoke("doctor", "--vault", str(notes(home)))
    assert 2 == doctor.stdout.count("is connected to this vault")
    assert "ok  daemon         process" in doctor.stdout
    undone = invoke("setup", "--undo")
    assert (0, "") == (undone.code, undone.stderr)
    assert before == everything(home)
    assert "setup has nothing to undo\n" == invoke("setup", "--undo").stdout


def test_an_index_that_knows_more_than_the_vault_stays(home: Path) -> None:
    """Pins and memories are not thrown away with the connection."""
    assert 0 == invoke("setup", str(notes(home)), "--yes").code
    assert 0 == invoke("pin", "ADR-003 LoRa Mesh", "--vault", str(notes(home))).code
    undone = invoke("setup", "--undo")
    assert 0 == undone.code
    assert ".genesys: kept" in undone.stdout
    assert (notes(home) / ".genesys" / "index.db").exists()
    assert not (home / ".local").exists()


def test_a_dashboard_comes_with_setup_and_goes_with_it(home: Path) -> None:
    """Shown as a diff, written once, taken away by --undo; one that a person changed stays theirs."""
    before, base = everything(home), notes(home) / "Genesys.base"
    shown = invoke("setup", str(notes(home)), "--dashboard", "--print").stdout
    assert "+    name: Recently recalled" in shown
    done = invoke("setup", str(notes(home)), "--dashboard", "--yes")
    assert (0, "") == (done.code, done.stderr)
    assert "lines more (--print shows all)" in done.stdout
    assert dashboard.text().encode() == base.read_bytes()
    assert f"written: {base}" not in invoke("setup", str(notes(home)), "--dashboard", "--yes").stdout
    assert 0 == invoke("setup", "--undo").code
    assert before == everything(home)
    assert 0 == invoke("setup", str(notes(home)), "--dashboard", "--yes").code
    base.write_text("views: []\n", encoding="utf-8")
    assert "left alone" in invoke("setup", str(notes(home)), "--dashboard", "--yes").stdout
    assert f"{base}: it was changed since" in invoke("setup", "--undo").stdout
    assert "views: []\n" == base.read_text("utf-8")


def test_a_vault_in_a_synced_folder_is_warned_of_first(home: Path) -> None:
    """Before its index is made there, with the command that puts it elsewhere."""
    vault = home / "Dropbox" / "Notes"
    vault.mkdir(parents=True)
    done = invoke("setup", str(vault), "--print")
    assert 0 == done.code
    assert " !  sync" in done.stdout.splitlines()[1]
    assert ".genesys.toml" in done.stdout.splitlines()[2]


@pytest.mark.parametrize("option", ["--print", "--dry-run"])
def test_print_writes_nothing(home: Path, option: str) -> None:
    """Neither a file nor an index; it shows all that would be written."""
    before = everything(home)
    done = invoke("setup", str(notes(home)), option)
    assert 0 == done.code
    assert 2 == done.stdout.count('+    "genesys": {')
    assert before == everything(home)
    assert 0 == invoke("setup", "--undo", option).code


def test_without_somebody_to_ask_nothing_is_written(home: Path) -> None:
    """It says which option answers for them."""
    before = everything(home)
    done = run_cli("setup", str(notes(home)), env=FAKE)
    assert 2 == done.code
    assert "next: genesys setup --yes" in done.stderr
    assert before == everything(home)


def test_a_file_that_is_no_json_is_left_with_what_to_paste(home: Path) -> None:
    """The other client is connected all the same, and the exit code says that one was not."""
    (home / ".claude.json").write_bytes(b'{"broken": ')
    done = invoke("setup", str(notes(home)), "--yes")
    assert 1 == done.code
    assert "! Claude Code: left alone, it is not valid JSON (line 1" in done.stdout
    assert f"put this into {home / '.claude.json'}" in done.stdout
    assert b'{"broken": ' == (home / ".claude.json").read_bytes()
    assert b"mcpServers" in desktop(home).read_bytes()


def test_where_all_is_refused_nothing_is_done(home: Path) -> None:
    """No index either."""
    (home / ".claude.json").write_bytes(b"\xff")
    before = everything(home)
    done = invoke("setup", str(notes(home)), "--yes", "--client", "code")
    assert (1, True) == (done.code, "it is not UTF-8" in done.stdout)
    assert before == everything(home)


def test_another_s_name_is_never_taken(home: Path) -> None:
    """Ours goes beside it under a name that is given."""
    other = b'{"mcpServers": {"genesys": {"command": "other"}}}'
    (home / ".claude.json").write_bytes(other)
    options = ("--yes", "--client", "code", str(notes(home)))
    done = invoke("setup", *options)
    assert (1, True) == (done.code, "another server called genesys" in done.stdout)
    assert other == (home / ".claude.json").read_bytes()
    assert 0 == invoke("setup", *options, "--name", "notes").code
    assert {"genesys", "notes"} == set(json.loads((home / ".claude.json").read_bytes())["mcpServers"])


def test_hooks_are_written_run_and_are_taken_out(home: Path) -> None:
    """Those of other tools stay in front; each of ours can be run as Claude Code runs it."""
    settings = home / ".claude" / "settings.json"
    bell = {"hooks": [{"type": "command", "command": "bell"}]}
    settings.write_text(f'{{\n\t"hooks": {{"Stop": [{json.dumps(bell)}]}}, // mine\n}}')
    before = everything(home)
    assert 0 == invoke("setup", str(notes(home)), "--yes", "--hooks").code
    hooks: Any = look_up(read_json(settings.read_bytes()), ["hooks"])
    assert bell == hooks["Stop"][0]
    event = {"session_id": "s", "hook_event_name": "Stop", "prompt": "why LoRa?", "cwd": str(home)}
    for name in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact"):
        (hook,) = hooks[name][-1]["hooks"]
        done = subprocess.run(
            hook["command"], shell=True, input=json.dumps(event | {"hook_event_name": name}),
            capture_output=True, encoding="utf-8", env=child_env(), timeout=60, check=False,
        )  # fmt: skip
        assert (0, "") == (done.returncode, done.stderr), name
    assert "session-start, user-prompt, stop, pre-compact" in invoke("doctor", vault=notes(home)).stdout
    undone = invoke("setup", "--undo")
    assert f"{settings}: as it was before" in undone.stdout
    assert before == everything(home)


def test_settings_of_this_terminal_go_with_the_entry(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude starts the server without them, and would make a second index; a key is no setting to copy."""
    monkeypatch.setenv("GENESYS_INDEX", "index.db")
    monkeypatch.setenv("GENESYS_EMBED_KEY", "sk-secret")
    monkeypatch.chdir(tmp_path)
    done = invoke("setup", str(notes(home)), "--yes", "--client", "code")
    assert 0 == done.code
    assert "GENESYS_EMBED_KEY is not copied" in done.stdout
    assert "sk-secret" not in done.stdout
    env = json.loads((home / ".claude.json").read_bytes())["mcpServers"]["genesys"]["env"]
    assert FAKE | {"GENESYS_INDEX": str(tmp_path / "index.db")} == env
    assert (tmp_path / "index.db").exists()
    assert not (notes(home) / ".genesys" / "index.db").exists()


@pytest.mark.parametrize("name", ["", "my notes", "日記", "a.b"])
def test_a_name_that_clients_do_not_take_is_refused(home: Path, name: str) -> None:
    """Claude Code knows letters, digits, - and _."""
    done = invoke("setup", str(notes(home)), "--print", "--name", name)
    assert (2, True) == (done.code, "letters, digits" in done.stderr)


def test_without_a_client_it_says_what_to_paste(home: Path) -> None:
    """And indexes the vault, so that any client finds it ready."""
    shutil.rmtree(home / ".claude")
    (home / ".claude.json").unlink()
    shutil.rmtree(home / ".config")
    done = invoke("setup", str(notes(home)), "--yes")
    assert 0 == done.code
    pasted = done.stdout[done.stdout.index("{") : done.stdout.rindex("}") + 1]
    assert str(notes(home)) == json.loads(pasted)["mcpServers"]["genesys"]["args"][-1]
    assert "Claude will see" in done.stdout


def test_a_project_alone_is_connected(home: Path) -> None:
    """By its .mcp.json; the person's own files stay as they are."""
    project = home / "code" / "thing"
    project.mkdir(parents=True)
    before = everything(home)
    done = invoke("setup", str(notes(home)), "--yes", "--project", str(project))
    assert 0 == done.code
    assert "! it names paths of this machine" in done.stdout
    assert "genesys" in json.loads((project / ".mcp.json").read_bytes())["mcpServers"]
    assert b"mcpServers" not in (home / ".claude.json").read_bytes()
    assert 0 == invoke("setup", "--undo").code
    assert before == everything(home)


def answered(args: list[str], answers: list[str], cwd: Path) -> tuple[int, str]:
    """Run setup at a terminal and type an answer at each question; the exit code and all that it said."""
    import pty

    child, terminal = pty.fork()
    if not child:
        os.chdir(cwd)
        os.execve(sys.executable, [sys.executable, "-m", "genesys", "setup", *args], child_env(None, FAKE))
    said = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        said += part
        if answers and said.rstrip().endswith((b":", b"]:", b"?")):
            os.write(terminal, answers.pop(0).encode() + b"\n")
            said += b"\n"
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
def test_a_person_is_asked_which_vault_and_whether(home: Path) -> None:
    """Obsidian's own list is shown; a no writes nothing."""
    other = home / "Other"
    other.mkdir()
    registry = home / ".config" / "obsidian" / "obsidian.json"
    registry.parent.mkdir()
    vaults = {"a": {"path": str(notes(home)), "ts": 2}, "b": {"path": str(other), "ts": 1}}
    registry.write_text(json.dumps({"vaults": vaults}), encoding="utf-8")
    before = everything(home)
    code, said = answered([], ["1", "n"], home)
    assert 1 == code
    assert f"1  {notes(home)}" in said
    assert f"2  {other}" in said
    assert "nothing was written" in said
    assert before == everything(home)
    code, said = answered(["--client", "desktop"], ["1", "y"], home)
    assert 0 == code
    assert f"written: {desktop(home)}" in said


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
def test_a_person_may_give_ours_another_name(home: Path) -> None:
    """Asked where the name is taken."""
    (home / ".claude.json").write_bytes(b'{"mcpServers": {"genesys": {"command": "other"}}}')
    code, said = answered([str(notes(home)), "--client", "code"], ["y", "y"], home)
    assert (0, True) == (code, "beside that?" in said)
    names = set(json.loads((home / ".claude.json").read_bytes())["mcpServers"])
    assert {"genesys", "genesys-meine-notizen"} == names
