"""``recall --batch``: one process, one model load, an answer line for each question line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from support import QUESTIONS, VAULT, run_cli

FAKE = {"GENESYS_EMBEDDER": "fake"}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    vault = Path(shutil.copytree(VAULT, tmp_path_factory.mktemp("batch") / "vault", symlinks=True))
    assert run_cli("index", vault=vault, env=FAKE).code == 0
    return vault


def ask(
    vault: Path, *lines: str | bytes, stdin: str | None = None, options: tuple[str, ...] = ()
) -> list[Any]:
    """The answers to a file of these lines (or to standard input)."""
    file = vault.parent / "questions.jsonl"
    file.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    name = "-" if stdin is not None else str(file)
    done = run_cli(
        "recall", "--batch", name, "--json", "--read-only", *options, vault=vault, env=FAKE, stdin=stdin
    )
    assert (done.code, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def question(id: object, query: object, **more: object) -> str:
    return json.dumps({"id": id, "query": query, **more}, ensure_ascii=False)


def test_each_answer_has_the_shape_that_benchmarks_read(vault: Path) -> None:
    """``{"id", "hits": [{"path", "score", …}], "ms"}``, in the order asked."""
    answers = ask(vault, question("a", "pressure sensors", k=3), question(7, "battery", k=2))
    assert [a["id"] for a in answers] == ["a", 7]
    assert [len(a["hits"]) for a in answers] == [3, 2]
    for answer in answers:
        assert answer["ms"] > 0
        assert all(isinstance(hit["path"], str) and hit["score"] >= 0 for hit in answer["hits"])
        scores = [hit["score"] for hit in answer["hits"]]
        assert scores == sorted(scores, reverse=True)


def test_a_batch_answers_as_single_recalls_do(vault: Path) -> None:
    """Path for path and score for score, whatever was asked before."""
    queries = ["why pressure sensors", "交换机", "battery in winter", "Henrik", "Älvmöte"]
    batch = ask(vault, *[question(i, q, k=5) for i, q in enumerate(queries)])
    for query, answer in zip(queries, batch, strict=True):
        done = run_cli("recall", query, "-k", "5", "--json", "--read-only", vault=vault, env=FAKE)
        single = [(h["path"], h["score"]) for h in json.loads(done.stdout)["hits"]]
        assert single == [(h["path"], h["score"]) for h in answer["hits"]]


BAD = [
    "not json",
    "[]",
    "42",
    "null",
    '{"id": 1}',
    '{"id": 1, "query": null}',
    '{"id": 1, "query": ["x"]}',
    '{"id": 1, "query": "x", "k": "many"}',
    '{"id": 1, "query": "x", "k": 1e999}',
    '{"id": 1, "query": "x", "k": [3]}',
    '{"id": 1, "query": "x"',
    "[" * 100_000,
    b"\xff\xfe\x00",
]


@pytest.mark.parametrize("line", BAD, ids=range(len(BAD)))
def test_a_bad_line_answers_with_its_error_and_costs_no_other(vault: Path, line: str | bytes) -> None:
    """Its number is given; the lines around it are answered."""
    before, bad, after = ask(vault, question(1, "battery"), line, question(2, "battery"))
    assert bad["line"] == 2
    assert "error" in bad
    assert before["hits"] == after["hits"] != []


def test_odd_files_are_read_as_they_are_meant(vault: Path) -> None:
    """A byte-order mark, blank lines, Windows line ends, no final newline, nothing at all."""
    assert (
        len(ask(vault, b"\xef\xbb\xbf" + question(1, "battery").encode() + b"\r", b"", question(2, "x"))) == 2
    )
    assert ask(vault) == []
    assert ask(vault, "", "   ", "") == []


def test_a_batch_comes_from_standard_input_too(vault: Path) -> None:
    """``--batch -``, in UTF-8."""
    (answer,) = ask(vault, stdin=question("é", "交换机", k=2) + "\n")
    assert answer["id"] == "é"
    assert answer["hits"][0]["path"] == "Hardware/交换机选型.md"


def test_the_number_of_hits_is_held_within_reason(vault: Path) -> None:
    """k of 0 or less is 1, a huge one ends with the vault; without k the option decides."""
    answers = ask(
        vault,
        question(1, "battery", k=0),
        question(2, "battery", k=-5),
        question(3, "battery", k=10**9),
        question(4, "battery"),
        options=("-k", "2"),
    )
    assert [len(a["hits"]) for a in answers[:2]] == [1, 1]
    assert 2 < len(answers[2]["hits"]) <= 50
    assert len(answers[3]["hits"]) == 2


def test_questions_of_any_letters_are_answered(vault: Path) -> None:
    """Operators of full text, quotes, emoji, lone surrogates, NUL, control characters, a very long text."""
    odd = [
        '" OR *',
        "NEAR(a b)",
        "a AND NOT b",
        "🦊",
        "\0",
        "\x1b[31m",
        "",
        "?!.",
        "word " * 20_000,
        "x" * 100_000,
    ]
    lines = [json.dumps({"id": q[:10], "query": q}) for q in odd]
    lines.append('{"id": "\\ud800", "query": "\\ud800 battery"}')
    answers = ask(vault, *lines)
    assert len(answers) == len(lines)
    assert all("hits" in a for a in answers)
    assert answers[-1]["id"] == "\ud800"


def test_the_fixture_questions_find_their_notes(vault: Path) -> None:
    """By words and links and a toy model, four of five are among the first five."""
    asked = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines() if line.strip()]
    answers = ask(vault, *[question(q["id"], q["query"], k=5) for q in asked])
    right = [q["expect"] in [h["path"] for h in a["hits"]] for q, a in zip(asked, answers, strict=True)]
    assert sum(right) >= 0.8 * len(right)
