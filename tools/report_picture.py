"""The README's picture of ``genesys report``, of a copy of the fixture vault after half a year of use.

Run it from the root of a checkout: ``python tools/report_picture.py docs/report.png``. It needs Chromium.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from genesys.engine.session import Genesys  # noqa: E402 - the paths come first
from genesys.model import EdgeType  # noqa: E402
from genesys.page.document import render  # noqa: E402
from genesys.settings import load_settings  # noqa: E402
from page.browser import find_browser, open_browser  # noqa: E402

DAY = 86_400.0
START, DAYS = datetime(2026, 6, 1, 9, tzinfo=UTC).timestamp(), 185
WIDTH, COLORS = 1280, 224


def lived_in(folder: Path) -> str:
    """The report of a vault that was asked a few things again and again."""
    vault = Path(shutil.copytree(ROOT / "fixtures" / "vault", folder / "Arnvik", symlinks=True))
    lines = (ROOT / "fixtures" / "questions.jsonl").read_text("utf-8").splitlines()
    asked = [json.loads(line)["query"] for line in lines]
    clock = [START]
    with Genesys.open(load_settings(vault, {"GENESYS_EMBEDDER": "fake"}), clock=lambda: clock[0]) as memory:
        memory.index()
        key = memory.remember("The pump house key hangs behind the map.", title="Pump house key").path
        mesh = [("ADR-003 LoRa Mesh", EdgeType.DERIVED_FROM)]
        memory.remember("Spare radio boards are ordered each March.", title="Spare boards", related=mesh)
        for day in range(0, DAYS, 5):
            clock[0] = START + day * DAY
            memory.recall(asked[(day // 5) % 3], 3)
            if day % 35 == 0:
                memory.recall(asked[3 + day // 35], 4)
            if day == 60:
                memory.pin("ADR-003 LoRa Mesh")
            if day == 150:
                memory.forget(key)
            memory.decay()
        return render(memory.overview(["Winter Outage 2026", "ADR-003 LoRa Mesh", "Field Box", "Home"]))


def main(target: Path) -> None:
    """Write the picture: the page down to the end of the graph, in few colors."""
    program = find_browser()
    if program is None:
        sys.exit("no Chromium or Chrome was found")
    with tempfile.TemporaryDirectory() as name:
        page = Path(name) / "report.html"
        page.write_text(lived_in(Path(name)), encoding="utf-8")
        os.environ.setdefault("TZ", "UTC")
        with open_browser(program, Path(name) / "profile") as browser:
            browser.show(page, width=WIDTH)
            end = browser.run(
                "document.querySelector('.scroll').getBoundingClientRect().bottom + scrollY + 8"
            )
            picture = Image.open(io.BytesIO(browser.picture(whole=True)))
    few = picture.crop((0, 0, WIDTH, int(end))).convert("RGB").quantize(COLORS, Image.Quantize.MAXCOVERAGE)
    few.save(target, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
