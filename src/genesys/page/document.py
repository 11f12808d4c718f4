"""The page itself: charts and lists in one file, every word of a note escaped, nothing loaded.

Its policy lets the browser run the one script and use the one style sheet that are in it, and fetch nothing:
what a note says can neither run nor call home, even if it found a way through the escaping.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from importlib.resources import files
from pathlib import Path

from genesys.errors import UsageError, WriteRefused
from genesys.overview import Overview
from genesys.page import causes, charts, words
from genesys.quote import clean

__all__ = ["MARK", "render", "save"]

MARK = '<meta name="generator" content="Genesys report">'
_LOOKED_AT = 2_000  # bytes of a file within which the mark stands
_STATUSES = ("core", "active", "dormant", "fading", "pruned")


def render(view: Overview) -> str:
    """The page as HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    env = Environment(
        loader=PackageLoader("genesys", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {"day": words.day, "kilo": words.kilo, "month": words.month}
    css, script = _asset("page.css"), _asset("page.js")
    return env.get_template("page.html").render(
        v=view,
        css=css,
        script=script,
        policy=_policy(css, script),
        mark=MARK,
        statuses=[s for s in _STATUSES if view.statuses.get(s)],
        times=charts.times(view),
        scores=charts.scores(view),
        lives=charts.lives(view),
        picture=causes.picture(view),
        ago=lambda when: words.ago(view.now, when),
    )


def _cleaned(value: object) -> object:
    """Text without what only a machine sees; what is markup already stays as it is."""
    return clean(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _asset(name: str) -> str:
    return (files("genesys.page") / name).read_text(encoding="utf-8")


def _policy(css: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_hash(css)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def save(page: str, path: Path) -> None:
    """Write the page, whole or not at all, over nothing but another report.

    Raises:
        WriteRefused: another file has that name. UsageError: it can't be written there.
    """
    try:
        if path.exists() and not _is_report(path):
            raise WriteRefused(f"{path} is there, and it is no report", hint="name another file")
        temp = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
        try:
            with os.fdopen(os.open(temp, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
                stream.write(page.encode("utf-8", "replace"))
            os.replace(temp, path)
        finally:
            temp.unlink(missing_ok=True)
    except OSError as e:
        raise UsageError(f"can't write {path}: {e.strerror}", hint="name a file that can be written") from e


def _is_report(path: Path) -> bool:
    with path.open("rb") as stream:
        return MARK.encode() in stream.read(_LOOKED_AT)
