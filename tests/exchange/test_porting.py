"""Export and import over whole vaults: what goes out comes back, and a failure leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchange.test_foreign import mcp_files, mem0_files, papez_files
from genesys.engine import exporting, importing
from genesys.engine.session import Genesys
from genesys.errors import UsageError, WriteRefused
from genesys.model import CreatedBy, Edge, EdgeType, Kind, MemoryType
from genesys.parcels import Parcel
from genesys.parse.exchange.records import RECORD_FORMATS, read_records
from genesys.paths import safe_name
from genesys.write import TEMP_PREFIX
from memory.helpers import Clock, make_vault, memory_of, row
from support import child_env, invoke, run_cli, tree_bytes

NOTES: dict[str, str | bytes] = {
    "Budget cut.md": "---\ntags: [money]\naliases: [Cut]\n---\nThe board cut the budget by a third.\n",
    "Ordner/Übergrößen 字.md": "# Größen\r\nWegen [[Budget cut]].\r\n",
    "no newline.md": "text",
    "empty.md": "",
    "latin.md": b"caf\xe9\n",
    "broken.md": "---\na: [\n---\nled to [[Budget cut]]\n",
}
MCP = (
    '{"type":"entity","name":"Maria Ortiz","entityType":"person","observations":'
    '["Prefers tea","Plays the cello"]}\n'
    '{"type":"entity","name":"a/b: c?","entityType":"thing","observations":[]}\n'
    '{"type":"relation","from":"Maria Ortiz","to":"a/b: c?","relationType":"owns"}\n'
    '{"type":"relation","from":"a/b: c?","to":"Maria Ortiz","relationType":"caused by"}\n'
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lived_in(tmp_path: Path, clock: Clock) -> Path:
    """A vault with notes and memories that were recalled, pinned, amended and decayed."""
    vault = make_vault(tmp_path / "old", NOTES)
    with memory_of(vault, clock) as memory:
        memory.index()
        made = memory.remember(
            "We freeze hiring.\n\n```\nopen",
            title="Hiring: frozen?",
            related=[("Budget cut", EdgeType.CAUSED_BY), ("Budget cut", EdgeType.CONTRADICTS)],
            tags=["hr/plan"],
            category="decision",
            source_session="s1",
        )
        memory.remember("怀念 the old office", memory_type=MemoryType.EPISODIC, source_session="s1")
        clock.later(40)
        memory.recall("freeze hiring")
        memory.amend(made.path, "We hire again, from May on.")
        memory.pin("Budget cut")
        memory.pin(made.path)
        clock.later(200)
        memory.decay()
        memory._index.add_edges([Edge(made.path, "empty.md", EdgeType.SUPPORTS, 0.5, CreatedBy.TOOL)])
        memory.index()
    return vault


def everything(vault: Path, clock: Clock, *, notes: bool = True) -> tuple[Parcel, ...]:
    """All that an export says of a vault."""
    with memory_of(vault, clock) as memory:
        rows = exporting._rows(memory._index, memory.settings, notes)
        return tuple(exporting.parcels_of(memory._index, memory.settings, rows))


def empty_vault(tmp_path: Path, name: str = "new") -> Path:
    return make_vault(tmp_path / name, {})


@pytest.mark.parametrize("file", ["x.json", "x.jsonl", "x.graphml", "folder", "x.zip"])
def test_a_vault_comes_back_whole(lived_in: Path, tmp_path: Path, clock: Clock, file: str) -> None:
    """Texts, statuses, scores, accesses, pins and edges are the same in the vault that imports them."""
    before = everything(lived_in, clock)
    assert {Kind.MEMORY, Kind.NOTE} == {p.state.kind for p in before}
    assert {CreatedBy.TOOL, CreatedBy.FIELD} <= {e.created_by for p in before for e in p.edges}
    target = tmp_path / file
    with memory_of(lived_in, clock) as memory:
        memory.export(str(target), "", notes=True)
    new = empty_vault(tmp_path)
    clock.later(1)
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(target))
        assert (len(before), 0) == (report.added, report.known)
        memory.index()
    assert before == everything(new, clock)
    clock.later(-1)


def test_memories_alone_are_exported_without_notes(lived_in: Path, tmp_path: Path, clock: Clock) -> None:
    """A person's notes go out only when they are asked for."""
    with memory_of(lived_in, clock) as memory:
        report = memory.export(str(tmp_path / "x.jsonl"), "")
    assert (0, 3) == (report.notes, report.memories)
    assert b"board cut the budget" not in (tmp_path / "x.jsonl").read_bytes()


def test_the_same_file_again_adds_nothing(lived_in: Path, tmp_path: Path, clock: Clock) -> None:
    """A second import, and one into the vault that it came from, leaves every byte as it is."""
    with memory_of(lived_in, clock) as memory:
        memory.export(str(tmp_path / "x.json"), "", notes=True)
        before = tree_bytes(lived_in)
        again = memory.import_memories(str(tmp_path / "x.json"))
        memory.pin("no newline")  # a property that Genesys wrote since makes no other note of it
        third = memory.import_memories(str(tmp_path / "x.json"))
    assert 0 == again.added == third.added
    assert before.keys() == tree_bytes(lived_in).keys()


def test_a_taken_name_gets_a_number_and_its_links_follow(tmp_path: Path, clock: Clock) -> None:
    """A note of the vault is never written over, and what linked to the imported one finds it."""
    old = make_vault(tmp_path / "old", {})
    with memory_of(old, clock) as memory:
        memory.index()
        first = memory.remember("One", title="Plan")
        memory.remember("Two", title="Next", related=[(first.path, EdgeType.CAUSED_BY)])
        memory.export(str(tmp_path / "x.jsonl"), "")
    new = make_vault(tmp_path / "new", {first.path: "a person's plan\n"})
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(tmp_path / "x.jsonl"))
        number = first.path.replace("Plan", "Plan 2")
        assert ((first.path, number),) == report.renamed
        assert [number] == [e.target for e in row_edges(memory, first.path.replace("Plan", "Next"))]
        assert 0 == memory.import_memories(str(tmp_path / "x.jsonl")).added
    assert "a person's plan\n" == (new / first.path).read_text()


def test_a_renamed_note_is_known_the_next_time(tmp_path: Path, clock: Clock) -> None:
    """A person's note whose links followed a rename, or that went to a folder, does not come in twice."""
    old = make_vault(tmp_path / "old", {"Plan.md": "one\n", "Next.md": "see [[Plan]]\n"})
    with memory_of(old, clock) as memory:
        memory.index()
        memory.export(str(tmp_path / "x.jsonl"), "", notes=True)
    new = make_vault(tmp_path / "new", {"Plan.md": "another\n"})
    with memory_of(new, clock) as memory:
        for folder in ("", "Old vault"):
            assert 2 == memory.import_memories(str(tmp_path / "x.jsonl"), folder=folder).added
            again = memory.import_memories(str(tmp_path / "x.jsonl"), folder=folder)
            assert (0, 2, ()) == (again.added, again.known, again.differs)
    assert "see [[Plan 2]]\n" == (new / "Next.md").read_text()


FILES = {"mcp-memory": mcp_files(), "mem0": mem0_files(), "papez": papez_files()}
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).map(safe_name)
pieces = st.sampled_from(
    ["---\n", "tags: [x]\n", "genesys_pinned: true\n", "text", "\r\n", "\n", "字", "\ufeff", "[[a]]",
     "caused_by:: [[b]]\n"]
)  # fmt: skip


@settings(max_examples=25)
@given(
    st.dictionaries(names, st.lists(pieces, max_size=8).map("".join), max_size=4),
    st.sampled_from(["x.json", "x.jsonl", "x.graphml", "folder", "x.zip"]),
)
def test_any_vault_comes_back_whole(notes: dict[str, str], file: str) -> None:
    """Whatever names and texts: the vault that imports an export says what the exported one said."""
    by_key = {unicodedata.normalize("NFC", name).casefold(): name for name in notes}
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        old = make_vault(Path(folder, "old"), {f"{n}.md": notes[n] for n in by_key.values()})
        new = make_vault(Path(folder, "new"), {})
        with memory_of(old, clock) as memory:
            memory.index(embed=False)
            memory.remember("A fact", title="a", source_session="s", with_vectors=False)
            memory.export(str(Path(folder, file)), "", notes=True)
        with memory_of(new, clock) as memory:
            memory.import_memories(str(Path(folder, file)))
            memory.index(embed=False)
        assert everything(old, clock) == everything(new, clock)


@settings(max_examples=25)
@given(st.sampled_from(RECORD_FORMATS).flatmap(lambda kind: st.tuples(st.just(kind), FILES[kind])))
def test_any_file_of_another_program_comes_back_from_a_vault(given: tuple[str, Any]) -> None:
    """Whatever its names, texts and relations: the export in its format has the same records."""
    kind, data = given
    lines = "".join(json.dumps(row) + "\n" for row in data) if kind == "mcp-memory" else json.dumps(data)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "in").write_text(lines)
        with memory_of(make_vault(Path(folder, "new"), {}), Clock()) as memory:
            memory.import_memories(str(Path(folder, "in")), source=kind)
            memory.index(embed=False)
            memory.export(str(Path(folder, "out")), kind)
            assert 0 == memory.import_memories(str(Path(folder, "in")), source=kind).added
        assert records(kind, lines) == records(kind, Path(folder, "out").read_text())


def records(kind: str, text: str) -> list[str]:
    """What a file says, whatever its order."""
    found = read_records(kind, text.split("\n"), 1000)
    known = [(r.group, r.id, r.record, [(k.target, k.name, dict(k.rest)) for k in r.links]) for r in found]
    return sorted(told([*parts, sorted(map(told, links))]) for *parts, links in known)


def told(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def row_edges(memory: Genesys, path: str) -> list[Edge]:
    return memory._index.edges_of([row(memory, path).id], [EdgeType.CAUSED_BY], "out")


@pytest.mark.parametrize("path", ["../x.md", "/x.md", ".obsidian/x.md", "x.txt", ".x.md", "a/../b.md"])
def test_a_path_out_of_the_vault_is_refused(lived_in: Path, tmp_path: Path, clock: Clock, path: str) -> None:
    """One such note, and nothing of the file comes in."""
    with memory_of(lived_in, clock) as memory:
        memory.export(str(tmp_path / "x.json"), "")
    data = json.loads((tmp_path / "x.json").read_text())
    data["notes"][-1]["path"] = path
    (tmp_path / "x.json").write_text(json.dumps(data))
    new = empty_vault(tmp_path)
    code = invoke("import", str(tmp_path / "x.json"), "--no-embed", vault=new)
    assert code.code in (1, 2)
    assert {} == tree_bytes(new)


def test_secrets_stay_outside(tmp_path: Path, clock: Clock) -> None:
    """A record that looks like a secret is named and left out; the others come in."""
    file = tmp_path / "m.jsonl"
    secret = {"type": "entity", "name": "Key", "entityType": "x", "observations": ["ghp_" + "a1B2" * 10]}
    file.write_text(MCP + json.dumps(secret) + "\n")
    new = empty_vault(tmp_path)
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(file))
    assert (2, ["Key"]) == (report.added, [r.path for r in report.refused])
    assert not [raw for raw in tree_bytes(new).values() if b"ghp_" in raw]


def test_an_entity_is_a_memory_with_typed_edges(tmp_path: Path, clock: Clock) -> None:
    """Names that no file may have are still found, relations are edges, and the file comes back."""
    file, new = tmp_path / "m.jsonl", empty_vault(tmp_path)
    file.write_text(MCP)
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(file))
        assert ("mcp-memory", 2) == (report.format, report.added)
        maria, thing = (row(memory, p) for p in report.paths)
        assert ("Maria Ortiz", Kind.MEMORY, "person") == (maria.title, maria.kind, maria.category)
        kinds = {(e.source, e.target): e.type for e in memory._index.edges_of([maria.id])}
        assert EdgeType.RELATED_TO is kinds[maria.path, thing.path]
        assert EdgeType.CAUSED_BY is kinds[thing.path, maria.path]
        memory.export(str(tmp_path / "back.jsonl"), "mcp-memory")
        assert 0 == memory.import_memories(str(file)).added
    assert _rows(file) == _rows(tmp_path / "back.jsonl")


def _rows(file: Path) -> list[str]:
    return sorted(json.dumps(json.loads(line), sort_keys=True) for line in file.read_text().splitlines())


def test_what_changed_since_is_named_and_left_alone(tmp_path: Path, clock: Clock) -> None:
    """A person's edit of an imported memory wins over the file."""
    file, new = tmp_path / "m.jsonl", empty_vault(tmp_path)
    file.write_text(MCP)
    with memory_of(new, clock) as memory:
        path = memory.import_memories(str(file)).paths[0]
        note = new / path
        note.write_text(note.read_text().replace("Prefers tea", "Prefers coffee"))
        memory.index()
        assert (path,) == memory.import_memories(str(file)).differs
        memory.export(str(tmp_path / "back.jsonl"), "mcp-memory")
    assert "Prefers coffee" in note.read_text()
    assert "Prefers coffee" in (tmp_path / "back.jsonl").read_text()


FOLDER = {
    "notes/Coffee.md": "---\ntitle: Coffee\ntype: note\npermalink: notes/coffee\n---\n# Coffee\r\n\n"
    "- [method] Pour over #brew (home)\n- caused_by [[Tea]]\n",
    "Tea.md": "---\ntitle: Tea\npermalink: tea\n---\nbody",
}


def test_a_basic_memory_folder_comes_back(tmp_path: Path, clock: Clock) -> None:
    """Every file keeps its bytes, and its relations are edges meanwhile."""
    source, new = tmp_path / "bm", empty_vault(tmp_path)
    for path, text in FOLDER.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_bytes(text.encode())
    (source / "image.png").write_bytes(b"x")
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(source))
        assert ("basic-memory", 2, 1) == (report.format, report.added, report.left_out)
        edges = row_edges(memory, "Memories/basic-memory/notes/Coffee.md")
        assert ["Memories/basic-memory/Tea.md"] == [e.target for e in edges]
        memory.pin("Coffee")
        memory.export(str(tmp_path / "back"), "basic-memory")
        assert (0, ()) == (
            memory.import_memories(str(source)).added,
            memory.import_memories(str(source)).differs,
        )
    back = {
        p.relative_to(tmp_path / "back").as_posix(): p.read_bytes() for p in (tmp_path / "back").rglob("*.md")
    }
    assert {path: text.encode() for path, text in FOLDER.items()} == back


def test_claudes_own_memory_comes_in_and_goes_back(tmp_path: Path, clock: Clock) -> None:
    """Topic files and their index, byte for byte; feedback is procedural."""
    source, new = tmp_path / "memory", empty_vault(tmp_path)
    source.mkdir()
    files = {
        "MEMORY.md": b"- [Testing](testing.md): how to run tests\r\n",
        "testing.md": b"---\nname: Testing\ntype: feedback\n---\nRun make test.",
    }
    for name, content in files.items():
        (source / name).write_bytes(content)
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(source))
        assert "claude" == report.format
        testing = row(memory, "Memories/claude/testing.md")
        assert (Kind.MEMORY, MemoryType.PROCEDURAL) == (testing.kind, testing.memory_type)
        memory.export(str(tmp_path / "back"), "claude")
    assert files == {p.name: p.read_bytes() for p in (tmp_path / "back").iterdir()}


MEM0 = {
    "results": [
        {
            "id": "1",
            "memory": "Likes tea",
            "user_id": "ann",
            "metadata": {"a": [1]},
            "created_at": "2025-01-02T03:04:05Z",
        }
    ]
}
PAPEZ = {
    "u": {
        "nodes": {
            k: {"id": k, "content_summary": f"{k} happened", "status": "core", "pinned": k == "a",
                "reactivation_count": 3, "last_reactivated_at": "2026-01-01T00:00:00Z",
                "created_at": "2025-01-01T00:00:00Z"}
            for k in "ab"
        },
        "edges": [{"source_id": "a", "target_id": "b", "type": "caused_by", "weight": 0.7, "reason": "so"}],
    }
}  # fmt: skip


@pytest.mark.parametrize(("kind", "data"), [("mem0", MEM0), ("papez", PAPEZ)])
def test_other_records_come_back_from_the_vault(tmp_path: Path, clock: Clock, kind: str, data: Any) -> None:
    """The export in that program's format is what was imported."""
    new = empty_vault(tmp_path)
    (tmp_path / "in.json").write_text(json.dumps(data))
    with memory_of(new, clock) as memory:
        report = memory.import_memories(str(tmp_path / "in.json"))
        assert kind == report.format
        memory.decay()
        memory.export(str(tmp_path / "out.json"), kind)
        if kind == "papez":
            first = row(memory, report.paths[0])
            assert (True, 3) == (first.pinned, first.recalls)
            assert [report.paths[1]] == [e.target for e in row_edges(memory, first.path)]
    assert data == json.loads((tmp_path / "out.json").read_text())


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """It names what would come in."""
    file, new = tmp_path / "m.jsonl", empty_vault(tmp_path)
    file.write_text(MCP)
    result = invoke("import", str(file), "--dry-run", vault=new)
    assert "would add 2 notes" in result.stdout
    assert {} == tree_bytes(new)


def test_an_import_that_fails_half_way_is_taken_back(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the second note: no file and no folder stays."""
    file, new = tmp_path / "m.jsonl", empty_vault(tmp_path)
    file.write_text(MCP)
    real = importing.create
    calls = []

    def create(*args: Any) -> Any:
        calls.append(args)
        if len(calls) > 1:
            raise WriteRefused("full")
        return real(*args)

    with memory_of(new, clock) as memory:
        memory.index()
        before = sorted(p for p in new.rglob("*") if ".genesys" not in p.parts)
        monkeypatch.setattr(importing, "create", create)
        with pytest.raises(WriteRefused):
            memory.import_memories(str(file))
        assert before == sorted(p for p in new.rglob("*") if ".genesys" not in p.parts)
        assert 0 == memory._index.counts().notes
        monkeypatch.undo()
        assert 2 == memory.import_memories(str(file)).added


def test_a_killed_import_is_finished_by_the_next(tmp_path: Path, clock: Clock) -> None:
    """kill -9 among the writes, the same command again: the vault is as if nothing had happened."""
    rows = [
        {"type": "entity", "name": f"E{n}", "entityType": "x", "observations": [f"fact {n}"]}
        for n in range(120)
    ]
    rows += [
        {"type": "relation", "from": f"E{n}", "to": f"E{n + 1}", "relationType": "causes"} for n in range(119)
    ]  # type: ignore[misc]
    file = tmp_path / "m.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    whole, killed = empty_vault(tmp_path, "whole"), empty_vault(tmp_path, "killed")
    fake = {"GENESYS_EMBEDDER": "fake"}
    command = ["import", str(file), "--no-embed"]
    assert 0 == run_cli(*command, vault=whole, env=fake).code
    process = subprocess.Popen([sys.executable, "-m", "genesys", *command], env=child_env(killed, fake))
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None and len(list(killed.rglob("E*.md"))) < 20:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 0 < len(list(killed.rglob("E*.md")))
    assert 0 == run_cli(*command, vault=killed, env=fake).code
    left = {p: raw for p, raw in tree_bytes(killed).items() if TEMP_PREFIX not in p}  # swept a minute later
    assert tree_bytes(whole) == left
    with memory_of(whole, clock) as one, memory_of(killed, clock) as two:
        assert one.graph() == two.graph()


def test_an_export_is_not_written_over(lived_in: Path, tmp_path: Path, clock: Clock) -> None:
    """Only --force replaces a file, and no folder but an older export is ever replaced."""
    file, folder = tmp_path / "x.json", tmp_path / "folder"
    file.write_text("mine")
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    with memory_of(lived_in, clock) as memory:
        for target, force in ((file, False), (folder, False), (folder, True)):
            with pytest.raises(WriteRefused):
                memory.export(str(target), "json" if target == file else "markdown", force=force)
        assert ("mine", "mine") == (file.read_text(), (folder / "mine.txt").read_text())
        memory.export(str(file), "json", force=True)
        (tmp_path / "own").mkdir()
        memory.export(str(tmp_path / "own"), "markdown")
        memory.export(str(tmp_path / "own"), "markdown", force=True)
    assert not [p for p in os.listdir(tmp_path) if p.startswith(".")]


def test_a_vault_is_not_copied_into_itself(lived_in: Path, clock: Clock) -> None:
    """No folder in the vault is exported to or imported from: every note would be there twice."""
    before = tree_bytes(lived_in)
    with memory_of(lived_in, clock) as memory:
        with pytest.raises(UsageError, match="twice"):
            memory.export(str(lived_in / "backup"), "markdown")
        with pytest.raises(UsageError, match="read already"):
            memory.import_memories(str(lived_in / "Ordner"))
        with pytest.raises(UsageError, match="memories, not notes"):
            memory.export(str(lived_in.parent / "x"), "mem0", notes=True)
    assert before == tree_bytes(lived_in)


def test_a_zip_archive_can_not_reach_out_of_the_vault(tmp_path: Path) -> None:
    """A path that climbs is refused with the whole archive."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("good.md", "good")
        archive.writestr("../evil.md", "evil")
    new = empty_vault(tmp_path)
    assert 1 == invoke("import", str(tmp_path / "x.zip"), "--no-embed", vault=new).code
    assert {} == tree_bytes(new)
    assert not (tmp_path / "evil.md").exists()


def test_a_link_fetches_nothing_from_outside_the_folder(tmp_path: Path) -> None:
    """Files that links of an imported folder lead to stay where they are; those inside it come along."""
    (tmp_path / "secret.md").write_text("for nobody")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.md").write_text("fine")
    (tmp_path / "in" / "b.md").symlink_to("a.md")
    (tmp_path / "in" / "c.md").symlink_to("../secret.md")
    new = empty_vault(tmp_path)
    done = invoke("import", str(tmp_path / "in"), "--from", "markdown", "--no-embed", vault=new)
    assert 0 == done.code, done.stderr
    texts = b"".join(tree_bytes(new).values())
    assert b"fine" in texts
    assert b"nobody" not in texts


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_a_huge_note_in_a_small_archive_is_refused(tmp_path: Path, kind: str) -> None:
    """Before it is read whole; nothing is written."""
    source, size = tmp_path / f"x.{kind}", (1 << 25) + 1
    if kind == "zip":
        with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("good.md", "good")
            archive.writestr("bomb.md", bytes(size))
    else:
        source.mkdir()
        with (source / "bomb.md").open("wb") as file:
            file.truncate(size)
    new = empty_vault(tmp_path)
    done = invoke("import", str(source), "--from", "markdown", "--no-embed", vault=new)
    assert (2, {}) == (done.code, tree_bytes(new))
    assert "bomb.md is larger than 32 MB" in done.stderr


def test_the_command_line_exports_to_standard_output(lived_in: Path) -> None:
    """`-` prints the export and nothing else."""
    result = invoke("export", "-", "--format", "jsonl", vault=lived_in)
    assert 4 == len([json.loads(line) for line in result.stdout.splitlines()])


def test_a_file_of_no_known_format_says_so(tmp_path: Path, clock: Clock) -> None:
    """Text, an empty file, a folder that is not there: one line each."""
    new = empty_vault(tmp_path)
    (tmp_path / "a.txt").write_text("hello")
    (tmp_path / "b.json").write_text("")
    (tmp_path / "c.zip").write_bytes(b"PK\x03\x04rubbish")
    with memory_of(new, clock) as memory:
        for name in ("a.txt", "b.json", "c.zip", "missing"):
            with pytest.raises(UsageError):
                memory.import_memories(str(tmp_path / name))


@pytest.mark.model
def test_an_imported_memory_is_recalled(tmp_path: Path) -> None:
    """With the real model: the words of an MCP memory file answer a question asked in others."""
    file, new = tmp_path / "m.jsonl", empty_vault(tmp_path)
    file.write_text(MCP)
    done = run_cli("import", str(file), vault=new)
    assert 0 == done.code, done.stderr
    answer = json.loads(run_cli("recall", "which instrument does she play", "--json", vault=new).stdout)
    assert "Memories/mcp-memory/Maria Ortiz.md" == answer["hits"][0]["path"]


def test_an_import_of_nothing_leaves_nothing(tmp_path: Path) -> None:
    """A name that is misspelled makes no index in a vault that has none, and neither does a dry run."""
    vault = make_vault(tmp_path / "v", {"a.md": "A pear.\n"})
    done = invoke("import", str(tmp_path / "memroy.jsonl"), "--vault", str(vault))
    assert 2 == done.code
    assert "memroy.jsonl" in done.stderr
    (tmp_path / "memory.jsonl").write_text(MCP, encoding="utf-8")
    done = invoke("import", str(tmp_path / "memory.jsonl"), "--dry-run", "--vault", str(vault))
    assert 0 == done.code, done.stderr
    assert not (vault / ".genesys" / "index.db").exists()
    assert ["a.md"] == [path.name for path in vault.rglob("*.md")]
