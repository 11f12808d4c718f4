"""A language model is asked only where a setting names one, believed only as far as it can be checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from digest.endpoint import Model, running
from genesys.engine.digest import digest
from genesys.engine.digest_llm import chat_of
from genesys.engine.infer import infer
from genesys.engine.session import Genesys
from genesys.errors import ModelError
from genesys.inference import FindingKind
from genesys.llm import Chat, as_json
from genesys.model import CreatedBy, EdgeType, MemoryType
from genesys.remote import decode, encode, hints_of
from genesys.transcripts import DigestReport
from memory.helpers import Clock, make_vault, memory_of, row
from support import invoke, tree_bytes

KEY = "sk-test-0123456789"
TALK = "User: The boat has two sails.\nAssistant: Good.\nUser: We decided to sell the boat in autumn.\n"
SAILS = {
    "kind": "fact",
    "text": "The user sails a boat under two sails.",
    "turn": 1,
    "quote": "boat has two  sails",
}


@pytest.fixture
def model() -> Iterator[Model]:
    with running() as server:
        yield server


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", {"Boat.md": "A boat.\n"})


@pytest.fixture
def memory(vault: Path) -> Iterator[Genesys]:
    with memory_of(vault, Clock()) as opened:
        opened.index()
        yield opened


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    file = tmp_path / "talk.md"
    file.write_text(TALK, encoding="utf-8")
    return file


def chat(model: Model, **given: Any) -> Chat:
    return Chat(model.url, "m", KEY, **{"timeout": 5.0, "wait": 0.0, **given})


def proposals(report: DigestReport) -> list[tuple[str, str]]:
    return [(p.origin, p.text) for c in report.conversations for p in c.proposals]


RULES = [("rules", "We decided to sell the boat in autumn.")]


def test_no_model_is_asked_unless_a_setting_names_one(memory: Genesys) -> None:
    """Off by default."""
    assert chat_of(memory.settings) is None


def test_a_model_proposes_what_was_really_said(memory: Genesys, model: Model, talk: Path) -> None:
    """With the line of its quotation; what it made up, misquoted or misplaced is dropped and counted."""
    model.answer = lambda _: {
        "memories": [
            SAILS,
            {**SAILS, "quote": "the boat has three sails"},
            {**SAILS, "turn": 2},
            {**SAILS, "kind": "secret"},
            {**SAILS, "text": ["no text"]},
            "nonsense",
            {"kind": "decision", "text": "Sell it.", "turn": 3, "quote": "sell the boat in autumn"},
        ]
    }
    report = digest(memory, [talk], chat=chat(model))
    assert [*RULES, ("llm", SAILS["text"])] == proposals(report)
    [place] = report.conversations[0].proposals[1].places
    assert (1, 1, "boat has two sails") == (place.turn, place.line, place.quote)
    assert "5 of the model's proposals" in report.notices[0]


def test_what_a_model_proposed_is_stored_with_the_words_it_rests_on(
    memory: Genesys, vault: Path, model: Model, talk: Path
) -> None:
    """And once, though the next time the model says it in other words."""
    model.answer = lambda _: {"memories": [SAILS]}
    kept = digest(memory, [talk], apply=True, chat=chat(model)).kept
    text = (vault / kept[2].path).read_text(encoding="utf-8")
    assert "> boat has two sails" in text
    assert "language model" in text
    model.answer = lambda _: {"memories": [{**SAILS, "text": "Two sails are on the boat."}]}
    before = tree_bytes(vault)
    digest(memory, [talk], apply=True, chat=chat(model))
    assert before == tree_bytes(vault)


@pytest.mark.parametrize(
    ("api", "path", "header"),
    [("openai", "/v1/chat/completions", "authorization"), ("anthropic", "/v1/messages", "x-api-key")],
)
def test_both_apis_are_spoken(
    memory: Genesys, model: Model, talk: Path, api: Any, path: str, header: str
) -> None:
    """The conversation goes out quoted, the key in its header alone."""
    model.answer = lambda _: {"memories": [SAILS]}
    report = digest(memory, [talk], chat=chat(model, api=api))
    assert 2 == len(proposals(report))
    assert path == model.paths[0]
    assert KEY in model.headers[0][header]
    sent = json.dumps(model.requests[0])
    assert "> The boat has two sails." in sent
    assert KEY not in sent


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"status": 500}, "busy or failing (500)"),
        ({"status": 429}, "busy or failing (429)"),
        ({"status": 401}, "refused the key (401)"),
        ({"status": 404}, "knows no model"),
        ({"status": 302, "location": "http://127.0.0.1:9/"}, "sends requests elsewhere"),
        ({"raw": b"<html>"}, "did not answer as a language model does"),
        ({"raw": b""}, "did not answer as a language model does"),
        ({"raw": b'{"choices": []}'}, "did not answer as a language model does"),
        ({"answer": lambda _: "I can't help with that."}, "did not answer with the JSON"),
        ({"answer": lambda _: {"memories": {"a": 1}}}, "did not answer with the JSON"),
        ({"answer": lambda _: "{" * 100_000}, "did not answer with the JSON"),
        ({"mode": "hang"}, "can't be reached"),
        ({"mode": "trickle"}, "can't be reached"),
        ({"mode": "endless"}, "answers without end"),
    ],
)
def test_a_model_that_fails_costs_nothing_but_its_own(
    memory: Genesys, model: Model, talk: Path, given: dict[str, Any], words: str
) -> None:
    """One line says what happened, without the key; the rules' proposals are there and can be stored."""
    for name, value in given.items():
        setattr(model, name, value)
    timeout = 0.2 if given.get("mode") in ("hang", "trickle") else 5.0
    report = digest(memory, [talk], apply=True, chat=chat(model, timeout=timeout))
    assert RULES == proposals(report)
    [notice] = report.notices
    assert words in notice
    assert KEY not in notice
    assert [True, True] == [kept.created for kept in report.kept]


def test_a_model_that_is_not_there(memory: Genesys, model: Model, talk: Path) -> None:
    """A refused connection, a key that no header takes."""
    model.server_close()
    report = digest(memory, [talk], chat=chat(model))
    assert RULES == proposals(report)
    assert "can't be reached" in report.notices[0]
    with pytest.raises(ModelError, match="malformed") as caught:
        Chat("http://127.0.0.1:9", "m", f"{KEY}\n").ask("s", "p", "memories")
    assert KEY not in f"{caught.value} {caught.value.hint}"
    with pytest.raises(ModelError, match="no language model"):
        Chat("http://127.0.0.1:9", "")


def test_the_second_of_two_conversations_fails(memory: Genesys, model: Model, tmp_path: Path) -> None:
    """What the model said of the first is kept."""
    files = []
    for name in ("a", "b"):
        files.append(tmp_path / f"{name}.md")
        files[-1].write_text(TALK.replace("two sails", f"two sails and {name}"), encoding="utf-8")
    answers = iter([{"memories": [SAILS]}, "no"])
    model.answer = lambda _: next(answers)
    report = digest(memory, files, chat=chat(model))
    assert ["rules", "llm"] == [origin for origin, _ in proposals(report)]
    assert report.notices


def test_a_secret_is_not_sent(memory: Genesys, model: Model, talk: Path) -> None:
    """Its turn is left out."""
    secret = "ghp_" + "a1B2" * 10
    talk.write_text(f"{TALK}User: The token is {secret} for now.\n", encoding="utf-8")
    digest(memory, [talk], chat=chat(model))
    assert secret not in json.dumps(model.requests)
    assert "(left out)" in json.dumps(model.requests)


def test_what_was_shown_is_what_is_stored(memory: Genesys, model: Model, talk: Path, tmp_path: Path) -> None:
    """The same question has the same answer a moment later, so numbers mean what they meant."""
    cache = tmp_path / "cache" / "llm.json"
    model.answer = lambda _: {"memories": [SAILS]}
    first = digest(memory, [talk], chat=chat(model, cache=cache))
    model.answer = lambda _: {"memories": []}
    assert proposals(first) == proposals(digest(memory, [talk], chat=chat(model, cache=cache)))
    assert 1 == len(model.requests)
    cache.write_text("[", encoding="utf-8")
    assert RULES == proposals(digest(memory, [talk], chat=chat(model, cache=cache)))


def test_json_is_found_among_words() -> None:
    """Fences and prose around it, braces that open nothing before it."""
    assert {"a": 1} == as_json('So {this} is it:\n```json\n{"a": 1}\n```')
    assert as_json("none") is None


# ------------------------------------------------------------------ infer


@pytest.fixture
def known(memory: Genesys) -> Genesys:
    memory.remember("The harbour dries out at low water in spring.", title="Low water")
    memory.remember("The boat in the harbour was hauled out in spring.", title="Hauled out")
    return memory


def about(name: str, answer: dict[str, Any]) -> Any:
    """Answers so where the note asked about is ``name``, and finds nothing in others."""

    def say(request: dict[str, Any]) -> dict[str, Any]:
        prompt = str(request["messages"][-1]["content"])
        return (
            answer
            if prompt.startswith("The note") and f'"{name}"' in prompt.split("\n")[0]
            else {"edges": [], "notes": []}
        )

    return say


EDGE = {
    "note": 1,
    "type": "caused_by",
    "direction": "out",
    "confidence": 0.8,
    "reason": "No water, no berth.",
}


def test_causes_are_kept_in_the_index_alone(known: Genesys, vault: Path, model: Model) -> None:
    """With reason and confidence, by the model's name, and taken out again; not a byte of a note changes."""
    model.answer = about("Hauled out", {"edges": [EDGE]})
    before = tree_bytes(vault)
    shown = infer(known, chat(model))
    assert [FindingKind.EDGE] == [finding.kind for finding in shown.findings]
    assert not [e for e in known._index.all_edges() if e.created_by is CreatedBy.LLM]
    infer(known, chat(model), apply=True)
    [edge] = [e for e in known._index.all_edges() if e.created_by is CreatedBy.LLM]
    assert (EdgeType.CAUSED_BY, 0.8, "No water, no berth.") == (edge.type, edge.weight, edge.evidence)
    assert edge.source.endswith("Hauled out.md")
    assert edge.target in [step.path for step in known.why("Hauled out").upstream]
    assert before == tree_bytes(vault)
    again = infer(known, chat(model))
    assert not any(edge.target in finding.sources for finding in again.findings), "the pair has its cause"
    assert 1 == known.drop_inferred()
    assert not known.why("Hauled out").upstream


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 0.6},
        {"confidence": 7},
        {"confidence": "high"},
        {"confidence": None},
        {"reason": ""},
        {"reason": "x" * 1000},
        {"type": "supersedes"},
        {"note": 99},
        {"note": 0},
        {"note": True},
        {"direction": "sideways"},
    ],
)
def test_an_edge_that_can_not_be_checked_is_none(
    known: Genesys, model: Model, change: dict[str, Any]
) -> None:
    """Too little confidence, no reason, another type, a note that was not shown."""
    model.answer = about("Hauled out", {"edges": [{**EDGE, **change}, "x"], "contradictions": "x"})
    assert not infer(known, chat(model)).findings


def test_contradictions_are_hints(known: Genesys, vault: Path, model: Model) -> None:
    """They are told and never stored."""
    answer = {"edges": [], "contradictions": [{"note": 1, "reason": "Both can't be."}]}
    model.answer = about("Hauled out", answer)
    before = tree_bytes(vault)
    [finding] = infer(known, chat(model), apply=True).findings
    assert (FindingKind.CONTRADICTION, "Both can't be.") == (finding.kind, finding.reason)
    assert before == tree_bytes(vault)


def test_episodes_about_one_subject_are_summed_up(memory: Genesys, vault: Path, model: Model) -> None:
    """A semantic memory derived from each; those are not asked about again."""
    for day in ("Monday", "Tuesday", "Friday"):
        text = f"On {day} the pump at the weir tripped after heavy rain and had to be reset."
        memory.remember(text, title=f"Pump {day}", memory_type=MemoryType.EPISODIC)
    answer = {
        "edges": [],
        "title": "Pump and rain",
        "text": "The pump trips after rain.",
        "notes": [1, 2, 3, 9],
    }
    model.answer = lambda _: answer
    report = infer(memory, chat(model), apply=True)
    [finding] = report.findings
    assert row(memory, finding.stored).memory_type is MemoryType.SEMANTIC
    edges = memory._index.edges_of([row(memory, finding.stored).id], [EdgeType.DERIVED_FROM], "out")
    assert set(finding.sources) == {edge.target for edge in edges}
    assert 3 == len(edges)
    again = infer(memory, chat(model), apply=True)
    assert not [f for f in again.findings if f.kind is FindingKind.SUMMARY]


def test_infer_on_the_command_line(
    known: Genesys, vault: Path, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an endpoint it says which settings it needs; a model that fails is one line and exit code 1."""
    monkeypatch.setenv("GENESYS_EMBEDDER", "fake")
    done = invoke("infer", vault=vault)
    assert 2 == done.code
    assert "GENESYS_LLM_URL" in done.stderr
    for name, value in {"URL": model.url, "MODEL": "m", "API_KEY": KEY, "TIMEOUT_S": "5"}.items():
        monkeypatch.setenv(f"GENESYS_LLM_{name}", value)
    model.answer = about("Hauled out", {"edges": [EDGE]})
    assert "1 finding, nothing is stored yet" in invoke("infer", vault=vault).stdout
    assert "kept: " in invoke("infer", "--apply", "--only", "1", vault=vault).stdout
    assert "1 inferred edges taken out" in invoke("infer", "--undo", vault=vault).stdout
    model.status = 400
    known.remember("Something new about the boat in the harbour.", title="New")
    failed = invoke("infer", vault=vault)
    assert 1 == failed.code
    assert "Traceback" not in failed.stderr
    assert KEY not in failed.stdout + failed.stderr


def test_what_is_asked_goes_through_a_daemon_as_it_is(known: Genesys) -> None:
    """The command line may reach the vault through its daemon: the notes to ask about arrive whole."""
    memory, kind = known, hints_of(Genesys.infer_candidates)["return"]
    for day in ("Monday", "Tuesday", "Friday"):
        memory.remember(f"On {day} the pump at the weir tripped.", memory_type=MemoryType.EPISODIC)
    asked = memory.infer_candidates(5)
    assert asked.questions
    assert asked.groups
    assert asked == decode(kind, json.loads(json.dumps(encode(asked))))


def test_a_model_is_asked_so_often_and_no_more(
    memory: Genesys, model: Model, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An export of years costs no fortune; the rest goes by rules, and that is said."""
    monkeypatch.setattr("genesys.engine.digest_llm.MAX_ASKED", 1)
    other = talk.with_name("other.md")
    other.write_text(TALK.replace("boat", "ship"), encoding="utf-8")
    report = digest(memory, [talk, other], chat=chat(model))
    assert 1 == len(model.requests)
    assert 2 == len(proposals(report))
    assert "Digest fewer" in report.notices[0]
