"""The report in a real browser without a window: nothing is fetched, nothing complains, something is seen."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from engine.kit import TestVault
from genesys.page.document import render
from page.browser import Browser, find_browser, open_browser
from support import VAULT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason="no Chromium or Chrome: apt-get install chromium"),
]

EVIL = '"><script>window.hacked=1</script><img src=x onerror=window.hacked=1><svg onload=window.hacked=1>'
SCREENS = [(1280, False), (1280, True), (390, False), (390, True)]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    assert program
    with open_browser(program, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the fixture vault and two notes that would run a script and fetch a picture."""
    folder = tmp_path_factory.mktemp("report")
    vault = TestVault(Path(shutil.copytree(VAULT, folder / "vault", symlinks=True)))
    vault.write(
        '"><img src=x onerror=window.hacked=1>.md',
        f"# {EVIL}\n\n(caused_by:: [[Home]], {EVIL})\n\n[[Nowhere {EVIL[:90]}]]\n",
    )
    vault.index(embed=False)
    with vault.memory() as memory:
        memory.recall("cellular modems")
        memory.pin("ADR-001 Offline First")
        page = render(memory.overview())
    path = folder / "report.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "dark"), SCREENS)
def test_the_page_is_seen_and_fetches_nothing(browser: Browser, report: Path, width: int, dark: bool) -> None:
    """Only the file itself is asked for, the console is silent, the page fits and is not blank."""
    seen = browser.show(report, width=width, dark=dark)
    assert [report.as_uri()] == seen.requests
    assert [] == seen.complaints
    assert "What vault remembers" in browser.run("document.body.innerText")
    assert width >= browser.run("document.documentElement.scrollWidth")
    picture = Image.open(io.BytesIO(browser.picture(whole=True))).convert("RGB")
    assert picture.width == width
    colors = picture.getcolors(1 << 24)
    assert colors is not None
    assert len(colors) > 100
    _, paper = max(colors)  # the commonest color is the paper
    assert (sum(paper) < 150) is dark


def test_every_picture_is_drawn(browser: Browser, report: Path) -> None:
    """Charts and graph have a size, and titles that people write lie within their boxes."""
    browser.show(report)
    sizes = browser.run(
        "[...document.querySelectorAll('svg.chart, svg.graph')].map(s => s.getBoundingClientRect().height)"
    )
    assert 4 == len(sizes)
    assert min(sizes) > 100
    spilt = browser.run(
        """[...document.querySelectorAll('.box')].filter(box => {
            const edge = box.querySelector('rect').getBoundingClientRect().right + 1;
            return [...box.querySelectorAll('text')].some(t => t.getBoundingClientRect().right > edge);
        }).map(box => box.querySelector('title').textContent)"""
    )
    assert [] == [title for title in spilt if "hacked" not in title]  # that one is cut at the edge


def test_pointing_at_a_note_shows_what_hangs_on_it(browser: Browser, report: Path) -> None:
    """Its arrows and their ends light up, the rest steps back; leaving ends that."""
    browser.show(report)
    lit = """(() => {
        const box = [...document.querySelectorAll('.box')].find(b => b.textContent.includes('LoRa Mesh'));
        box.dispatchEvent(new PointerEvent('%s'));
        return [...document.querySelectorAll('.box.lit')].map(b => b.querySelector('title').textContent);
    })()"""
    names = " ".join(browser.run(lit % "pointerenter"))
    assert "Winter Outage 2026" in names
    assert "Data Stays" not in names
    assert [] == browser.run(lit % "pointerleave")


def test_no_note_runs_a_script(browser: Browser, report: Path) -> None:
    """What a note says is shown, and is never part of the page."""
    seen = browser.show(report)
    assert "window.hacked=1" in browser.run("document.body.innerText")
    assert browser.run("window.hacked === undefined")
    assert 0 == browser.run("document.images.length")
    assert [] == seen.complaints
