"""``genesys report``: one page that loads nothing, tells what is so, and lets no note speak as markup."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from engine.kit import TestVault
from genesys.engine.session import Genesys
from genesys.errors import NoteNotFound, UsageError, WriteRefused
from genesys.model import Status
from genesys.overview import Overview
from genesys.page import causes, charts, words
from genesys.page.document import render, save
from genesys.settings import load_settings
from memory.helpers import DAY, Clock, make_vault, memory_of
from support import NOW, invoke, run_cli, tree_bytes

EVIL = '"><script>hacked = 1</script><img src=//x.org/a.png onerror=hacked=1> {{ 7 * 7 }} \u202e</svg>'
# The name of a file has no slash.
NAME = '"><script>hacked = 1 <img src=x onerror=hacked=1> {{ 7 * 7 }} \u202e&lt;'
LOADING = {"src", "srcset", "data", "action", "poster", "background", "xlink:href", "formaction", "ping"}


class Page(HTMLParser):
    """Tags, attributes and words of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.blocks: dict[str, str] = {}
        self.words: list[str] = []
        self._open = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self._open = tag

    def handle_data(self, data: str) -> None:
        if self._open in ("style", "script"):
            self.blocks[self._open] = data
            self._open = ""
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def overview_of(vault: TestVault, *notes: str) -> Overview:
    vault.index(embed=False)
    with vault.memory(read_only=True) as memory:
        return memory.overview(notes)


def page_of(vault: TestVault) -> Page:
    return Page(render(overview_of(vault)))


def check_self_contained(page: Page) -> None:
    """No address to fetch from, one script and one style sheet, both the ones that the policy names."""
    assert page.tags["script"] == page.tags["style"] == 1
    assert not {"link", "img", "iframe", "object", "embed", "base", "form", "input"} & set(page.tags)
    for tag, name, value in page.attributes:
        assert name not in LOADING, (tag, name)
        assert not name.startswith("on"), (tag, name)
        assert name != "style"
        if name == "href":
            assert value.startswith("obsidian://open?vault="), value
        assert "url(" not in value or value.startswith("url(#head-")
    policy = next(value for _, name, value in page.attributes if name == "content" and "default-src" in value)
    assert policy.startswith("default-src 'none'; ")
    for block in page.blocks.values():
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
        assert not re.search(r"https?:|//\w|@import|url\(|fetch|XMLHttp", block)


def test_the_page_is_whole_and_says_what_the_vault_holds(story: TestVault) -> None:
    """Counts, every section, the graph with its sentences; nothing in it asks for a network."""
    view = overview_of(story)
    page = Page(render(view))
    check_self_contained(page)
    for heading in (
        "Status over time", "Scores", "How notes fade", "What led to what", "Core", "Recently recalled",
        "Forgotten, and why", "Changes of status", "Orphans", "Links to nowhere",
    ):  # fmt: skip
        assert heading in page.text
    assert f"notes {view.notes}" in page.text
    assert "ADR-003 LoRa Mesh" in page.text
    assert "since the free 868 MHz band allows one percent of air time" in page.text
    assert "Handover Guide" in page.text


def test_no_note_speaks_as_markup(vault: TestVault) -> None:
    """Titles, sentences, links to nowhere and reasons stand as text, whatever is in them."""
    vault.write(
        f"{NAME}.md", f"# {EVIL}\n\n(caused_by:: [[Other]], `{EVIL}`)\n\n[[Nowhere <b>{'x' * 300}</b>]]\n"
    )
    vault.write("Other.md", "x\n")
    vault.write("O'Brien & <Söhne> 100%.md", "alone\n")
    page = page_of(vault)
    check_self_contained(page)
    assert not {"b", "img"} & set(page.tags)
    assert '"><script>hacked = 1 <img src=x' in page.text
    assert "{{ 7 * 7 }}" in page.text
    assert "\u202e" not in page.text
    assert "O'Brien & <Söhne> 100%" in page.text


def test_an_empty_vault_has_a_page_too(vault: TestVault) -> None:
    """It says what to do, and draws nothing."""
    page = page_of(vault)
    check_self_contained(page)
    assert "no notes yet" in page.text
    assert 0 == page.tags["svg"]


def test_one_note_alone_has_every_empty_state(vault: TestVault) -> None:
    """Each list says that it is empty and what would fill it."""
    vault.write("A.md", "alone\n")
    page = page_of(vault)
    for told in (
        "No note says yet what led to it", "No note is core yet", "Nothing was recalled yet",
        "Nothing. A note that you wrote", "None yet. A maintenance pass", "every link finds",
    ):  # fmt: skip
        assert told in page.text


def test_every_moment_counts_every_note(story: TestVault) -> None:
    """Past and future run in order, add up to the vault, and meet at the present."""
    view = overview_of(story)
    times = [look.time for look in view.timeline]
    assert times == sorted(times)
    assert {view.notes} == {sum(look.statuses.values()) for look in view.timeline if look.ahead}
    present = [look for look in view.timeline if not look.ahead][-1]
    assert view.statuses == present.statuses
    assert sum(view.statuses.values()) == view.notes == sum(sum(row) for row in view.score_bins.values())


def test_the_past_is_what_the_events_say(tmp_path: Path) -> None:
    """A note is active until the pass that moved it; one that was forgotten counts until then."""
    clock = Clock(NOW)
    root = make_vault(tmp_path / "vault", {"Idle.md": "nobody reads this\n", "Kept.md": "kept\n"})
    with memory_of(root, clock) as memory:
        memory.index()
        memory.decay()
        gone = memory.remember("The pump house key hangs behind the map.", title="Key").path
        memory.pin("Kept")
        clock.later(100)
        memory.decay()
        memory.forget(gone)
        clock.later(100)
        view = memory.overview()
    past = [look for look in view.timeline if not look.ahead]
    assert {"active": 1, "core": 1, "dormant": 1} == past[1].statuses
    assert {"dormant": 1, "core": 1} == past[-1].statuses
    active = [look.statuses.get("active", 0) for look in past]
    assert active == sorted(active, reverse=True)
    before = [look for look in past if look.time < NOW + 100 * DAY][-1]
    assert 3 == sum(before.statuses.values())
    assert [(gone, False)] == [(f.path, f.pruned) for f in view.forgotten]
    assert "asked for" == view.forgotten[0].reason
    assert view.forgotten[0].undo.startswith("genesys forget --undo ")
    assert "Idle.md" in {m.path for m in view.moved if (m.old, m.new) == ("active", "dormant")}


def test_a_curve_falls_and_jumps_where_the_note_was_recalled(tmp_path: Path) -> None:
    """Left alone it only falls; a recall of the past shows as a rise; the present meets ``explain``."""
    clock = Clock(NOW)
    root = make_vault(tmp_path / "vault", {"Boiler.md": "the boiler is in the cellar\n"})
    with memory_of(root, clock) as memory:
        memory.index()
        clock.later(60)
        memory.recall("boiler cellar")
        clock.later(60)
        (life,) = memory.overview(["Boiler"]).lives
        now = memory.explain("Boiler").factors.score
    curve = dict(zip(life.days, life.scores, strict=True))
    ahead = [score for day, score in curve.items() if day >= 0]
    assert ahead == sorted(ahead, reverse=True)
    assert curve[-55.0] > curve[-65.0]
    assert curve[0.0] == pytest.approx(now, abs=1e-4)


def test_chosen_notes_are_drawn_and_unknown_ones_named(story: TestVault) -> None:
    """``--note`` takes what a wikilink takes; a name that nothing has is an error with a hint."""
    assert ["Home.md"] == [life.note.path for life in overview_of(story, "Home").lives]
    with pytest.raises(NoteNotFound):
        overview_of(story, "No such note")


def test_a_big_graph_is_cut_to_what_fits(vault: TestVault) -> None:
    """At most 48 notes, none of them alone, the best joined first; the page says of how many."""
    for at in range(120):
        vault.write(f"Note {at:03}.md", f"caused_by:: [[Note {at // 2:03}]]\n" if at else "first\n")
    view = overview_of(vault)
    assert 120 == view.joined
    assert len(view.graph) <= 48
    ends = {path for edge in view.reasons for path in (edge.source, edge.target)}
    assert {note.path for note in view.graph} == ends
    assert "of 120 joined notes" in Page(render(view)).text


def test_boxes_of_the_graph_do_not_overlap(story: TestVault) -> None:
    """Whatever side a group runs to, no box covers another, and all lie inside the picture."""
    drawn = causes.picture(overview_of(story))
    assert drawn is not None
    spots = [box.spot for box in drawn.boxes]
    for i, a in enumerate(spots):
        assert 0 <= a.x <= a.x + drawn.box <= drawn.width
        assert 0 <= a.y <= a.y + a.height <= drawn.height
        for b in spots[:i]:
            apart = a.x + drawn.box <= b.x or b.x + drawn.box <= a.x
            assert apart or a.y + a.height <= b.y or b.y + b.height <= a.y


@pytest.mark.parametrize(
    ("gone", "told"),
    [(5, "just now"), (7200, "2 hours ago"), (DAY, "1 day ago"), (40 * DAY, words.day(NOW - 40 * DAY))],
)
def test_times_are_told_as_people_do(gone: float, told: str) -> None:
    """Near ones by distance, far ones by their day."""
    assert told == words.ago(NOW, NOW - gone)


@pytest.mark.parametrize(("most", "top"), [(0, 2), (7, 8), (13_415, 15_000), (49, 50), (1, 2), (101, 120)])
def test_an_axis_ends_at_a_round_number(most: int, top: int) -> None:
    """The least round number that everything fits under."""
    assert top == charts._ceiling(most)


# ------------------------------------------------------------------ the file


def test_a_report_replaces_a_report_and_nothing_else(story: TestVault, tmp_path: Path) -> None:
    """Readable by its owner alone, whole or not there, never over another file."""
    html = render(overview_of(story))
    path = tmp_path / "report.html"
    save(html, path)
    assert 0o600 == path.stat().st_mode & 0o777
    save(html + "<!-- later -->", path)
    assert path.read_text("utf-8").endswith("<!-- later -->")
    path.write_text("<h1>mine</h1>", encoding="utf-8")
    with pytest.raises(WriteRefused):
        save(html, path)
    assert "<h1>mine</h1>" == path.read_text("utf-8")
    assert ["report.html"] == [f.name for f in tmp_path.iterdir() if f.is_file()]
    with pytest.raises(UsageError):
        save(html, tmp_path / "no" / "such" / "folder.html")


def test_the_command_writes_beside_the_index_and_no_note_changes(fixture_vault: Path) -> None:
    """Without a FILE the page is hidden from Obsidian; the vault's own files stay as they are."""
    assert run_cli("index", "--no-embed", vault=fixture_vault).code == 0
    before = tree_bytes(fixture_vault)
    done = invoke("report", vault=fixture_vault)
    assert done.code == 0, done.stderr
    path = fixture_vault / ".genesys" / "report.html"
    assert f"wrote {path}\n" == done.stdout
    assert before == tree_bytes(fixture_vault)
    assert "What <em>vault</em> remembers" in path.read_text("utf-8")


def test_a_report_inside_the_vault_is_no_note(story: TestVault) -> None:
    """Where the person puts it among the notes, the next pass takes nothing from it."""
    story.index(embed=False)
    with story.memory(read_only=True) as memory:
        save(render(memory.overview()), story.root / "Report.html")
    report = story.index(embed=False)
    assert report.notes == len([f for f in story.paths() if f.endswith(".md")])
    assert [] == [path for path in story.paths() if "Report" in path]


def test_json_has_all_of_it(fixture_vault: Path) -> None:
    """What the page shows, for programs; no page is written."""
    assert run_cli("index", "--no-embed", vault=fixture_vault).code == 0
    data: Any = json.loads(invoke("report", "--json", vault=fixture_vault).stdout)
    with Genesys.open(load_settings(fixture_vault), read_only=True) as memory:
        assert set(memory.stats().statuses) | set(data["statuses"]) <= {s.value for s in Status}
        assert memory.stats().notes == data["notes"]
    assert not os.path.exists(fixture_vault / ".genesys" / "report.html")
