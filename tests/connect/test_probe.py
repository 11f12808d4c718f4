"""Setup's own first talk with the server: what a faulty one is, and that it never hangs."""

from __future__ import annotations

import os
import sys

import pytest

from genesys.connect.probe import notes_served
from genesys.errors import GenesysError

ANSWERS = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}))
        result = {"structuredContent": {"notes": 7}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def asked(program: str, wait_s: float = 60) -> int:
    return notes_served([sys.executable, "-c", program], os.environ, wait_s=wait_s)


def test_notes_are_counted_by_the_server() -> None:
    """Whatever else it sends in between, or says on its stderr."""
    assert 7 == asked("import sys; sys.stderr.write('x' * 200_000)\n" + ANSWERS)


FAULTY = {
    "it ends at once": ("import sys; sys.exit('no vault at /x')", "no vault at /x"),
    "it says what to do next": (
        "import sys; sys.exit('genesys: no folder at /x\\n  next: look there')",
        "no folder at /x",
    ),
    "it prints what is no MCP": ("print('hello', flush=True); input()", "it said nothing"),
    "it refuses": ('print(\'{"id": 1, "error": {}}\', flush=True); input()', "it said nothing"),
    "it answers nonsense": ("print('[]', flush=True); input()", "it said nothing"),
}


@pytest.mark.parametrize(("program", "why"), FAULTY.values(), ids=FAULTY)
def test_a_server_that_is_none_is_said_to_be(program: str, why: str) -> None:
    """With the last thing that it said."""
    with pytest.raises(GenesysError) as fault:
        asked(program)
    assert why in fault.value.message
    assert "genesys doctor" == fault.value.hint


def test_a_server_that_stays_silent_is_ended() -> None:
    """After the time that a client would wait."""
    with pytest.raises(GenesysError, match="does not answer"):
        asked("input(); import time; time.sleep(600)", wait_s=0.5)


def test_a_program_that_is_not_there_is_named() -> None:
    """Before anything is waited for."""
    with pytest.raises(GenesysError, match=r"/nowhere/genesys can't be started"):
        notes_served(["/nowhere/genesys", "serve"], os.environ)
