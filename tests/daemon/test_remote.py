"""Values and errors go to the daemon and back without a change."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from daemon.helpers import settings_of
from genesys import errors, model, reports
from genesys.engine.session import Genesys
from genesys.model import EdgeType, Filters, Kind, MemoryType, Status
from genesys.remote import CALLS, Remote, answer, decode, encode, hints_of
from genesys.service_files import launchd, systemd

ADR = "ADR-003 LoRa Mesh"


def there_and_back(kind: Any, value: Any) -> Any:
    return decode(kind, json.loads(json.dumps(encode(value))))


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("recall", {"query": "cellular modems", "read_only": True}),
        ("search", {"query": "modems"}),
        ("context", {"query": "cellular modems"}),
        ("why", {"name": ADR}),
        ("canvas", {"name": ADR}),
        ("traverse", {"name": ADR}),
        ("explain", {"name": ADR}),
        ("outlook", {"name": ADR}),
        ("year", {}),
        ("stats", {}),
        ("overview", {"notes": [ADR]}),
        ("status", {}),
        ("graph", {"inferred": True}),
        ("graphml", {}),
        ("core", {}),
        ("resolve", {"name": ADR}),
        ("is_person_note", {"name": ADR}),
        ("decay", {"dry_run": True}),
        ("digest_known", {"session": "s", "marks": ["^g-1"], "texts": [f"Because of {ADR} we stopped."]}),
        ("infer_candidates", {"limit": 3}),
    ],
)
def test_every_answer_comes_through_as_it_is(vault: Path, name: str, given: Mapping[str, Any]) -> None:
    """What the method returns is what the other side gets, type and all."""
    with Genesys.open(settings_of(vault), clock=lambda: 1_780_000_000.0) as memory:
        result = getattr(memory, name)(**given)
        kind = hints_of(getattr(Genesys, name))["return"]
        assert result == there_and_back(kind, result)


def test_arguments_come_through() -> None:
    """Filters, typed links, kinds that may be missing."""
    filters = Filters(statuses=(Status.CORE,), kinds=(Kind.MEMORY,), tag="a/b", since=12.5)
    assert filters == there_and_back(Filters, filters)
    hints = hints_of(Genesys.remember)
    related = (("Note", EdgeType.CAUSED_BY),)
    assert related == there_and_back(hints["related"], related)
    assert MemoryType.INSIGHT is there_and_back(hints["memory_type"], MemoryType.INSIGHT)
    assert there_and_back(hints["memory_type"], None) is None


def test_every_call_is_a_method() -> None:
    """The list of calls names methods, and every type they use can be read back."""
    for name in CALLS:
        method = getattr(Genesys, name)
        assert inspect.isfunction(method)
        assert "return" in hints_of(method)
    for module in (model, reports):
        for kind in vars(module).values():
            if dataclasses.is_dataclass(kind):
                hints_of(kind)


def test_what_is_said_twice_is_said_alike() -> None:
    """A method that the client has of its own takes and gives what the memory's does."""
    own = [name for name in CALLS if name in vars(Remote)]
    assert own
    for name in own:
        mine, theirs = vars(Remote)[name], getattr(Genesys, name)
        assert inspect.signature(theirs) == inspect.signature(mine)
        assert hints_of(theirs) == hints_of(mine)


def asked(memory: Genesys, line: bytes) -> dict[str, Any]:
    return dict(json.loads(answer(line, lambda work: work(memory), lambda given: None)))


def test_errors_come_through_as_themselves(vault: Path) -> None:
    """Their kind, what they say, what to do; and what is no call is refused."""
    with Genesys.open(settings_of(vault)) as memory:
        missing = asked(memory, b'{"call": "why", "given": {"name": "No such note"}}')
        assert errors.NoteNotFound.__name__ == missing["error"]["kind"]
        assert "close" in json.dumps(asked(memory, b'{"call": "close", "given": {}}'))
        assert errors.UsageError.__name__ == asked(memory, b'{"call": "close", "given": {}}')["error"]["kind"]
        assert "error" in asked(memory, b"garbage")
        assert "result" in asked(memory, b'{"call": "status", "given": {}}')


@pytest.mark.parametrize("vault", ["/home/me/notes", "/home/me/My Notes/50% done", "/x/$HOME & <Co>"])
def test_service_files_name_the_vault_whatever_it_is_called(vault: str) -> None:
    """Spaces, percent signs, dollars and markup are quoted as systemd and XML want it."""
    import plistlib

    unit = systemd(Path(vault), "/usr/bin/python3")
    line = next(x for x in unit.splitlines() if x.startswith("ExecStart="))
    assert line.replace("%%", "%").replace("$$", "$").rstrip('"').endswith(vault)
    assert (' "' in line) is (" " in vault)
    plist = plistlib.loads(launchd(Path(vault), "/usr/bin/python3").encode())
    assert vault == plist["ProgramArguments"][-1]
