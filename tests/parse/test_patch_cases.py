"""The shared vault cases: what write-back must leave alone, judged by their own checker."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest

from genesys.errors import WriteRefused
from genesys.parse.patch import Value, patch, unpatch

FOLDER = Path(os.environ.get("GENESYS_CASES") or Path(__file__).parents[3] / "shared" / "cases")
VALUES: dict[str, Value] = {"genesys_status": "core", "genesys_score": 0.5, "genesys_pinned": True}


def _writebacks() -> list[Any]:
    found = []
    for file in sorted(FOLDER.glob("*/expect.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        for spec in case.get("writeback", []):
            if "original_b64" in spec:
                found.append(pytest.param(spec, id=f"{case['id']}:{spec['path']}"))
    skip = pytest.mark.skip(reason=f"no vault cases in {FOLDER.name}; set GENESYS_CASES")
    return found or [pytest.param({}, marks=skip)]


def _checker() -> Any:
    spec = importlib.util.spec_from_file_location("vault_case_check", FOLDER / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("spec", _writebacks())
def test_case(spec: dict[str, Any]) -> None:
    """The case's checker accepts the edit, a second one changes nothing, and undoing restores the bytes."""
    before = base64.b64decode(spec["original_b64"])
    try:
        after = patch(before, VALUES)
    except WriteRefused:
        after = before
    assert [] == _checker().check_writeback(spec, before, after)
    if after != before:
        assert after == patch(after, VALUES)
        assert before == unpatch(after)
