"""P8: every number explains itself, in words, in JSON and drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from genesys.engine.session import Genesys
from genesys.plot import save_png, terminal_plot
from memory.helpers import DAY, Clock, make_vault, memory_of, row
from support import NOW, invoke

NOTES = {
    "Plan.md": "We plan the mesh because of [[Outage]].\n\ncaused_by:: [[Outage]]\n",
    "Outage.md": "The outage of 2026. [[Plan]]\n",
    "Alone.md": "Nobody links here.\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", NOTES, at=NOW - 50 * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(vault: Path, clock: Clock) -> Iterator[Genesys]:
    with memory_of(vault, clock, writeback="off") as opened:
        opened.index()
        opened.recall("outage of 2026", k=1)
        clock.later(3)
        yield opened


@pytest.mark.parametrize("path", NOTES)
def test_the_factors_multiply_to_the_score_that_decay_stored(memory: Genesys, path: str) -> None:
    """Exactly, as floating-point numbers; vectors, links and recent work included."""
    memory.pin("Plan")
    memory.decay()
    factors = memory.explain(path).factors
    assert factors.score == factors.relevance * factors.connectivity * factors.reactivation
    stored = row(memory, path)
    assert stored.score == pytest.approx(factors.score, abs=1e-12)
    assert stored.factors
    assert stored.factors.relevance == pytest.approx(factors.relevance, abs=1e-8)


def test_an_explanation_names_units_accesses_thresholds_and_outlook(memory: Genesys) -> None:
    """The shares of the accesses add up to one; the evidence of the causes is there."""
    found = memory.explain("Outage")
    assert {"days"} <= {amount.unit for amount in found.amounts}
    assert all(amount.meaning for amount in found.amounts)
    assert {"create", "recall"} <= {kind for _, kind, _ in found.accesses}
    assert 1.0 == pytest.approx(sum(share for _, _, share in found.accesses))
    assert any("0.15" in line for line in found.thresholds)
    assert found.outlook
    assert found.why
    assert ["Plan.md"] == [step.path for step in found.why.downstream]


def test_an_explanation_changes_nothing(memory: Genesys, vault: Path) -> None:
    """Looking is no access."""
    count = memory.stats().accesses
    memory.explain("Plan")
    memory.outlook("Plan")
    memory.year()
    assert count == memory.stats().accesses


def test_stats_count_what_there_is(memory: Genesys) -> None:
    """Statuses and the histogram have every note once."""
    memory.decay()
    found = memory.stats()
    assert (3, 3, 3) == (found.notes, sum(found.statuses.values()), sum(found.score_histogram))
    assert 0 < found.mean_score < 1
    assert memory.status().passages == found.passages


def test_stats_leave_out_a_note_that_opts_out(memory: Genesys) -> None:
    """Of every figure: it is none of ours."""
    memory.decay()
    path = memory.settings.vault / memory.resolve("Plan")
    path.write_text("---\ngenesys: false\n---\n" + path.read_text("utf-8").rpartition("---\n")[2], "utf-8")
    memory.index(embed=False)
    found = memory.stats()
    assert (2, 2, 2) == (found.notes, sum(found.statuses.values()), sum(found.score_histogram))
    assert found.core <= found.notes >= found.memories


def test_the_year_tells_the_four_stories_apart(memory: Genesys) -> None:
    """Recalled monthly or at widening intervals stays up; ten times in a day sinks like never recalled."""
    end = {line.label: line.y[-1] for line in memory.year().lines}
    assert end["every month"] > 2 * end["ten times on one day"]
    assert end["at widening intervals"] > 2 * end["ten times on one day"]
    assert end["ten times on one day"] >= end["never recalled"]


def test_a_recall_today_lifts_the_outlook(memory: Genesys) -> None:
    """The curve of one note starts at its score, and a recall raises it for the year."""
    alone, recalled = memory.outlook("Outage").lines
    assert alone.y[0] == pytest.approx(memory.explain("Outage").factors.score, abs=0.1)
    assert all(a <= b for a, b in zip(alone.y, recalled.y, strict=True))
    assert list(alone.y) == sorted(alone.y, reverse=True)


@pytest.mark.parametrize("width", [20, 60, 80, 110, 200])
def test_a_drawing_fits_the_terminal(memory: Genesys, width: int) -> None:
    """Its rows are no wider, every curve is named, and no colour is in a file."""
    text = terminal_plot(memory.year(), width)
    assert max(len(line) for line in text.splitlines()[1:-6]) <= max(width, 36)
    assert "\x1b" not in text
    assert all(line.label in text for line in memory.year().lines)
    assert "dormant 0.15" in text


def test_a_drawing_can_be_saved(memory: Genesys, tmp_path: Path) -> None:
    """As a PNG; where that can't be, one line says so."""
    save_png(memory.year(), tmp_path / "year.png")
    assert b"\x89PNG" == (tmp_path / "year.png").read_bytes()[:4]
    result = invoke("stats", "--png", str(tmp_path / "no" / "such.png"), vault=memory.settings.vault)
    assert (2, 1) == (result.code, result.stderr.count("can't write"))


def test_the_command_line_draws_and_prints_json(memory: Genesys, vault: Path) -> None:
    """`--plot` for people, `--json` for programs."""
    drawn = invoke("explain", "Outage", "--plot", vault=vault)
    assert (0, "") == (drawn.code, drawn.stderr)
    assert "recalled today" in drawn.stdout
    assert "0 " in drawn.stdout
    found = json.loads(invoke("explain", "Outage", "--json", vault=vault).stdout)
    factors = found["factors"]
    product = factors["relevance"] * factors["connectivity"] * factors["reactivation"]
    assert factors["score"] == pytest.approx(product, abs=1e-8)
    assert "never recalled" in invoke("stats", "--plot", vault=vault).stdout
