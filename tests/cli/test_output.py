"""What commands print: one JSON document, plain text where nobody looks, one line for a fault."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from genesys.cli.times import parse_since
from genesys.errors import UsageError
from support import VAULT, Result, child_env, invoke, run_cli

ESCAPE = "\x1b"
FAKE = {"GENESYS_EMBEDDER": "fake"}
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m and \u202eright to left, the evil note speaks of krakens"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fixture vault and a hostile note, indexed; tests only read it."""
    vault = Path(shutil.copytree(VAULT, tmp_path_factory.mktemp("cli") / "vault", symlinks=True))
    (vault / "Evil.md").write_text(f"# {EVIL}\n\n{EVIL}\n\ncaused_by:: [[Home]]\n", encoding="utf-8")
    assert run_cli("index", vault=vault, env=FAKE).code == 0
    return vault


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")


READING = {
    "status": ["status"],
    "recall": ["recall", "why pressure sensors", "--read-only"],
    "recall nothing": ["recall", "zzzzqqqq", "--read-only"],
    "context": ["context", "krakens"],
    "context nothing": ["context", "zzzzqqqq"],
    "search": ["search", "battery"],
    "search all": ["search"],
    "why": ["why", "ADR-005 Pressure Sensors"],
    "doctor": ["doctor"],
    "index": ["index"],
    "index dry": ["index", "--dry-run"],
    "explain": ["explain", "Home"],
    "stats": ["stats"],
    "core": ["core"],
    "decay dry": ["decay", "--dry-run"],
    "unwrite dry": ["unwrite", "--dry-run"],
}


@pytest.mark.parametrize("args", READING.values(), ids=READING)
def test_json_is_one_document_and_nothing_else(shared: Path, args: list[str]) -> None:
    """stdout parses as a whole; stderr is silent."""
    done = invoke(*args, "--json", vault=shared)
    assert done.code == 0, done.stderr
    json.loads(done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize("args", READING.values(), ids=READING)
def test_people_get_plain_text_where_nobody_looks(shared: Path, args: list[str]) -> None:
    """Some lines, no escape sequence, no JSON."""
    done = invoke(*args, vault=shared)
    assert done.code == 0, done.stderr
    assert done.stdout.strip()
    assert ESCAPE not in done.stdout
    assert not done.stdout.lstrip().startswith(("{", "["))


def test_a_recall_shows_title_passage_reason_and_link(shared: Path) -> None:
    """What a person needs to trust an answer, and to open it."""
    out = invoke("recall", "ADR-005 Pressure Sensors", "-k", "3", "--read-only", vault=shared).stdout
    assert "ADR-005 Pressure Sensors" in out
    assert "why: " in out
    assert "obsidian://open?vault=vault&file=Decisions%2FADR-005%20Pressure%20Sensors.md" in out


@pytest.mark.parametrize("args", [["recall", "why sensors", "--read-only"], ["search", "battery"]])
def test_lines_end_where_their_text_ends(shared: Path, args: list[str]) -> None:
    """No blanks behind it: they would be copied along, and fill a pipe."""
    lines = invoke(*args, vault=shared).stdout.split("\n")
    assert lines == [line.rstrip() for line in lines]


def test_the_number_of_a_hit_has_a_name(shared: Path) -> None:
    """It is how well the note matches, and not the score that its status comes from."""
    out = invoke("recall", "pressure sensors", "-k", "1", "--read-only", vault=shared).stdout
    assert re.search(r"  active · match \d\.\d\d", out)


def test_a_list_of_notes_shows_one_clean_line_of_each(shared: Path) -> None:
    """The beginning of the passage: no marks for line ends, at most 120 characters."""
    lines = invoke("search", "battery", vault=shared).stdout.splitlines()
    gists = [line[4:] for line in lines if line.startswith("    ")]
    assert gists
    assert all("␤" not in gist and len(gist) <= 120 for gist in gists)


def test_why_says_what_a_note_is_to_the_next(tmp_path: Path) -> None:
    """A support is no cause, whichever way it is read; and only what would lose something is named."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Plan.md").write_text("caused_by:: [[Need]]\nsupports:: [[Goal]]\nderived_from:: [[Book]]\n")
    for name, text in {"Need": "n", "Goal": "caused_by:: [[Need]]\n", "Book": "[[Need]]"}.items():
        (tmp_path / f"{name}.md").write_text(text)
    invoke("index", "--no-embed", vault=tmp_path)
    plan = invoke("why", "Plan", "-d", "1", vault=tmp_path).stdout
    for line in ("because of Need", "derived from Book", "supports Goal"):
        assert line in plan
    assert "would lose" not in plan
    assert "supported by Plan" in invoke("why", "Goal", vault=tmp_path).stdout
    need = invoke("why", "Need", vault=tmp_path).stdout
    assert "led to Goal" in need
    assert "cut off" not in need
    assert "is a source of Plan" in invoke("why", "Book", vault=tmp_path).stdout


def test_why_names_what_would_be_lost(tmp_path: Path) -> None:
    """The last cause and the only link, each in its words."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Root.md").write_text("Nothing here.\n")
    for name in ("One", "Two"):
        (tmp_path / f"{name}.md").write_text("caused_by:: [[Root]]\n")
    invoke("index", "--no-embed", vault=tmp_path)
    out = invoke("why", "Root", vault=tmp_path).stdout
    assert "without this note, would lose their last cause: One.md, Two.md" in out
    assert "without this note, would lose its last cause: " not in out


def test_a_mention_is_no_link_to_lose(tmp_path: Path) -> None:
    """Nobody wrote it, so nobody would miss it."""
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "Harbour Crane.md").write_text("It lifts.\n")
    (tmp_path / "Log.md").write_text("We oiled the Harbour Crane today.\n")
    (tmp_path / "List.md").write_text("[[Harbour Crane]]\n")
    invoke("index", "--no-embed", vault=tmp_path)
    out = invoke("why", "Harbour Crane", vault=tmp_path).stdout
    assert "related: List.md, Log.md" in out
    assert "would lose its only link: List.md" in out


def test_matched_words_are_marked_on_a_terminal(shared: Path) -> None:
    """And a link is one to click; but what stands in a note reaches the terminal without its escapes."""
    out = on_a_terminal("recall", "krakens", "-k", "1", "--read-only", vault=shared)
    assert re.search(r"\x1b\[[\d;]*m[^\x1b]*krakens", out)
    assert "\x1b]8;" in out
    assert "\x1b]0;" not in out
    assert "\x1b[2J" not in out
    assert "\x9b" not in out
    assert "\u202e" not in out


@pytest.mark.parametrize(
    "args", [["recall", "krakens"], ["search", "krakens"], ["why", "Evil"], ["recall", "krakens", "--json"]]
)
def test_a_note_cannot_drive_the_terminal(shared: Path, args: list[str]) -> None:
    """Control characters of notes are shown as what they are, or escaped; the JSON text is the note's."""
    out = invoke(*args, *(["--read-only"] if args[0] == "recall" else []), vault=shared).stdout
    assert "krakens" in out or "Evil" in out
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out)
    if "--json" in args:
        assert ESCAPE in json.loads(out)["hits"][0]["text"]


def on_a_terminal(*args: str, vault: Path) -> str:
    """The output of a command that believes a person looks on."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "genesys", *args],
        env=child_env(vault, {**FAKE, "TERM": "xterm-256color"}),
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    data = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        data += chunk
    process.wait(timeout=60)
    os.close(leader)
    return data.decode("utf-8")


def test_a_reader_that_leaves_early_is_no_fault(shared: Path) -> None:
    """``genesys graph | head -1`` says nothing on stderr."""
    for args in (["graph"], ["search", "--limit", "1000"], ["recall", "a"], ["status"], ["search", "--json"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "genesys", *args],
            env=child_env(shared, FAKE),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        said = process.stderr.read()
        process.stderr.close()
        assert process.wait(timeout=60) in (0, 1)
        assert said == b"", args


def test_graphml_is_xml_with_every_note_and_edge(shared: Path) -> None:
    """Nodes are notes, edges know their type, and both ends of an edge exist."""
    done = invoke("graph", "--format", "graphml", "--inferred", vault=shared)
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ET.fromstring(done.stdout.encode())
    nodes = {node.get("id") for node in root.iter(f"{space}node")}
    edges = list(root.iter(f"{space}edge"))
    assert len(nodes) == json.loads(invoke("status", "--json", vault=shared).stdout)["notes"]
    assert {e.get("source") for e in edges} | {e.get("target") for e in edges} <= nodes
    types = {d.text for e in edges for d in e.iter(f"{space}data") if d.get("key") == "type"}
    assert {"caused_by", "related_to"} <= types


def test_graph_json_has_what_is_written_and_more_only_on_request(shared: Path) -> None:
    """The stable shape of the benchmarks: notes and edges; inferred edges with ``--inferred``."""
    plain = json.loads(invoke("graph", "--format", "json", vault=shared).stdout)
    more = json.loads(invoke("graph", "--inferred", vault=shared).stdout)
    assert set(plain) == {"notes", "edges"}
    assert not [e for e in plain["edges"] if e["kind"] == "inferred"]
    assert [e for e in more["edges"] if e["kind"] == "inferred"]
    assert plain["notes"] == more["notes"]


# ------------------------------------------------------------------ search and why


def paths(done: Result) -> list[str]:
    assert done.code == 0, done.stderr
    return [note["path"] for note in json.loads(done.stdout)]


def test_search_filters_by_folder_tag_kind_and_status(shared: Path) -> None:
    """Each narrows the list; a tag takes those below it along."""
    everything = paths(invoke("search", "-n", "1000", "--json", vault=shared))
    decisions = paths(invoke("search", "--folder", "Decisions", "--json", vault=shared))
    assert decisions
    assert all(p.startswith("Decisions/") for p in decisions)
    assert paths(invoke("search", "--folder", "/Decisions/", "--json", vault=shared)) == decisions
    assert paths(invoke("search", "--kind", "memory", "--json", vault=shared)) == []
    assert len(paths(invoke("search", "--kind", "note", "-n", "1000", "--json", vault=shared))) == len(
        everything
    )
    assert len(paths(invoke("search", "--status", "active", "-n", "1000", "--json", vault=shared))) == len(
        everything
    )
    assert paths(invoke("search", "--status", "pruned", "--json", vault=shared)) == []
    tagged = paths(invoke("search", "--tag", "#decision", "--json", vault=shared))
    assert 0 < len(tagged) < len(everything)
    assert paths(invoke("search", "--tag", "decision", "--json", vault=shared)) == tagged


def test_search_since_a_day(shared: Path) -> None:
    """By the date a note has; a word that is no date is a usage error."""
    recent = paths(invoke("search", "--since", "2026-05-01", "-n", "1000", "--json", vault=shared))
    assert "Daily/2026-05-28.md" in recent
    assert "Daily/2026-01-15.md" not in recent
    done = invoke("search", "--since", "soon", vault=shared)
    assert done.code == 2
    assert "next: " in done.stderr


def test_times_are_read_as_people_type_them() -> None:
    """A date, or an age in hours, days, weeks, months, years."""
    assert parse_since("7d", now=1_000_000.0) == 1_000_000 - 7 * 86400
    assert parse_since("2w", now=2_000_000.0) == 2_000_000 - 14 * 86400
    for bad in ("", "yesterdayish", "7x", "2026-13-40", "99999999d"):
        with pytest.raises(UsageError):
            parse_since(bad)


def test_why_gives_the_sentence_for_each_step(shared: Path) -> None:
    """Upstream and downstream, typed, with evidence and who said so."""
    report = json.loads(invoke("why", "ADR-005 Pressure Sensors", "--json", vault=shared).stdout)
    steps = {s["path"]: s["edge"] for s in report["upstream"]}
    edge = steps["Incidents/Frozen Ultrasonic Heads.md"]
    assert edge["type"] == "caused_by"
    assert "Frozen Ultrasonic Heads" in edge["evidence"]
    out = invoke("why", "Frozen Ultrasonic Heads", vault=shared).stdout
    assert "led to ADR-005 Pressure Sensors" in out
    assert "“" in out


def test_help_cuts_no_line_short() -> None:
    """Each command's line in ``--help`` is a whole sentence on a terminal of 80 columns."""
    shown = run_cli("--help", env={"COLUMNS": "80"}).stdout
    listed = shown.partition("Commands:\n")[2].splitlines()
    assert listed
    assert [] == [line for line in listed if not line.endswith(".") or line.endswith("...")]
