"""Every test runs offline, at home in a temporary folder, and without a person's settings."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent / "guard"))
import offline
from support import GUARD, NOW, VAULT

offline.install()
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(GUARD), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
)

# Shared machines stall for seconds, so no example has a deadline. CI always tries the same examples: a
# run that fails there must fail the same way at home.
hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
_PROFILE = "ci" if os.environ.get("CI") else "dev"
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or _PROFILE)

_XDG = {"CONFIG": ".config", "CACHE": ".cache", "DATA": ".local/share", "STATE": ".local/state"}


@pytest.fixture(autouse=True)
def _no_network() -> Iterator[None]:
    """A refused connection fails the test even where the code under test swallowed the refusal."""
    offline.attempts.clear()
    yield
    tried = list(offline.attempts)
    offline.attempts.clear()
    assert not tried, f"the test tried to leave this machine: {tried}"


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """HOME and XDG folders of its own, so no user's configuration, registry or daemon is seen."""
    # GENESYS_CASES is no setting: it tells tests where the shared vault cases lie.
    for name in [n for n in os.environ if n.startswith("GENESYS_") and n != "GENESYS_CASES"]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, folder in _XDG.items():
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / folder))
    # A Unix socket's path has about 100 bytes: pytest's own folders are too deep for it.
    runtime = tempfile.mkdtemp(prefix="gs-")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    yield
    shutil.rmtree(runtime, ignore_errors=True)


@pytest.fixture
def fixture_vault(tmp_path: Path) -> Path:
    """A copy of ``fixtures/vault``: a test may do with it what it likes."""
    return Path(shutil.copytree(VAULT, tmp_path / "vault", symlinks=True))


@pytest.fixture
def now() -> float:
    """A frozen now, in UNIX seconds: noon of 1 June 2026, UTC, the day after the fixture vault ends."""
    return NOW
