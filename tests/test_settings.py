"""Every setting has one name, documented once, and a bad value says what would be right."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from genesys import settings as module
from genesys.errors import SettingsError
from genesys.settings import Settings, describe, load_settings, machine_id
from support import child_env


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    return tmp_path / "vault"


def load(vault: Path, env: dict[str, str] | None = None, **arguments: object) -> Settings:
    return load_settings(vault, {"HOME": str(vault.parent), **(env or {})}, **arguments)


def configure(vault: Path, own: str = "", user: str = "") -> None:
    (vault / ".genesys.toml").write_text(own, encoding="utf-8")
    (vault.parent / ".config/genesys").mkdir(parents=True, exist_ok=True)
    (vault.parent / ".config/genesys/config.toml").write_text(user, encoding="utf-8")


def test_defaults_need_nothing(vault: Path) -> None:
    """The index lies in the vault, nothing leaves the machine, and no file has to exist."""
    settings = load(vault)
    assert vault / ".genesys/index.db" == settings.index
    assert ("local", "touched", 0.5) == (settings.embedder, settings.writeback, settings.score.actr_decay)
    assert vault.parent / ".cache/genesys" == settings.cache_dir or sys.platform != "linux"
    assert () == settings.notices
    assert settings.workers >= 1
    with pytest.raises(FrozenInstanceError):
        settings.vault = vault  # type: ignore[misc]


def test_the_nearest_source_wins(vault: Path) -> None:
    """Argument, environment, the vault's file, the person's file, default."""
    configure(
        vault,
        "actr_decay = 0.3\nhalf_life_days = 30\nthreads = 3",
        "actr_decay = 0.2\nthreads = 2\nembed_batch = 9",
    )
    settings = load(vault, {"GENESYS_ACTR_DECAY": "0.4", "GENESYS_HALF_LIFE_DAYS": "40"}, actr_decay=0.45)
    assert (0.45, 40, 3, 9) == (
        settings.score.actr_decay, settings.score.half_life_days, settings.threads, settings.embed_batch,
    )  # fmt: skip


def test_a_file_may_use_tables(vault: Path) -> None:
    """Named after the groups; keys with hyphens or the variable's name are understood."""
    configure(
        vault,
        'GENESYS_WRITEBACK = "all"\n[score]\nactr-decay = 0.3\n'
        '[parse.relation_keys]\nbecause_of = "caused_by"\n'
        '[lifecycle]\ncore_max = 7\n',
    )  # fmt: skip
    settings = load(vault)
    assert ("all", 0.3, 7) == (settings.writeback, settings.score.actr_decay, settings.lifecycle.core_max)
    assert (("because_of", "caused_by"),) == settings.parse.relation_keys


def test_a_blank_variable_says_nothing(vault: Path) -> None:
    """Clients pass on variables they could not fill in."""
    settings = load(vault, {"GENESYS_THREADS": "", "GENESYS_EMBEDDER": " ", "GENESYS_INDEX": "${INDEX}"})
    assert (0, "local", vault / ".genesys/index.db") == (settings.threads, settings.embedder, settings.index)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("GENESYS_CUES", "off", False),
        ("GENESYS_CUES", "YES", True),
        ("GENESYS_THREADS", " 4 ", 4),
        ("GENESYS_ACTR_THRESHOLD", "-2.5", -2.5),
        ("GENESYS_WRITEBACK", "OFF", "off"),
        ("GENESYS_PERSON_KEYS", "with, from ,", ("with", "from")),
        ("GENESYS_RELATION_KEYS", "due=caused_by, as=!supports", (("due", "caused_by"), ("as", "!supports"))),
        ("GENESYS_MEMORIES_FOLDER", "AI/Memories", "AI/Memories"),
    ],
)  # fmt: skip
def test_text_becomes_a_typed_value(vault: Path, name: str, value: str, expected: object) -> None:
    """Whatever its type, a setting can be written as one would expect."""
    settings = load(vault, {name: value})
    field = name.removeprefix("GENESYS_").lower()
    holders = (settings, settings.parse, settings.score)
    assert expected == next(getattr(holder, field) for holder in holders if hasattr(holder, field))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("GENESYS_EMBEDDER", "cloud", "local, openai, fake"),
        ("GENESYS_ACTR_DECAY", "much", "a number at least 0 and at most 1"),
        ("GENESYS_ACTR_DECAY", "nan", "a number"),
        ("GENESYS_ACTR_DECAY", "1.5", "at most 1"),
        ("GENESYS_THREADS", "2.5", "a whole number"),
        ("GENESYS_THREADS", "-1", "at least 0"),
        ("GENESYS_CUES", "perhaps", "true or false"),
        ("GENESYS_RELATION_KEYS", "because", "key=value"),
        ("GENESYS_RELATION_KEYS", "because=caused", "caused_by, supports"),
        ("GENESYS_CORE_MAX", "1e400", "a whole number"),
        ("GENESYS_CATEGORY_WEIGHT", "decision", "word=number"),
        ("GENESYS_CATEGORY_WEIGHT", "decision=11", "from 0 to 10"),
        ("GENESYS_CATEGORY_FLOOR", "decision=nan", "from 0 to 1"),
    ],
)
def test_a_bad_value_names_setting_value_and_remedy(vault: Path, name: str, value: str, allowed: str) -> None:
    """One line each, and the exit code of a wrong use."""
    with pytest.raises(SettingsError) as caught:
        load(vault, {name: value})
    assert name in caught.value.message
    assert allowed in caught.value.hint
    assert 2 == caught.value.exit_code


def test_a_bad_value_in_a_file_names_the_file(vault: Path) -> None:
    """Also where the type is wrong, or the file is no TOML at all."""
    for text, message in (
        ("threads = true", "GENESYS_THREADS can't be True"),
        ("threads = ", "no valid TOML"),
    ):
        configure(vault, text)
        with pytest.raises(SettingsError, match=message) as caught:
            load(vault)
        assert ".genesys.toml" in caught.value.message


def test_misspelt_settings_are_noticed(vault: Path) -> None:
    """In a file and in the environment; an argument that no setting has is an error."""
    configure(vault, "half_life_day = 30")
    settings = load(vault, {"GENESYS_EMBEDER": "fake"})
    assert (
        ".genesys.toml: no setting is called half_life_day. Did you mean half_life_days?",
        "no setting is called GENESYS_EMBEDER. Did you mean embedder?",
    ) == settings.notices
    with pytest.raises(SettingsError, match="colour"):
        load(vault, colour="red")


def test_a_vault_cannot_say_where_notes_are_sent(vault: Path) -> None:
    """A vault from someone else may hold a settings file; endpoint and key come from the person only."""
    text = 'embedder = "openai"\nembed_url = "https://elsewhere.example/v1"\nembed_key = "k"'
    configure(vault, text)
    settings = load(vault)
    assert ("openai", "", "") == (settings.embedder, settings.embed_url, settings.embed_key)
    assert 2 == sum("must not say where notes are sent" in line for line in settings.notices)
    configure(vault, 'llm_url = "https://elsewhere.example/v1"\nllm_api_key = "k"')
    assert ("", "") == (load(vault).llm_url, load(vault).llm_api_key)
    configure(vault, "", text)
    assert "https://elsewhere.example/v1" == load(vault).embed_url


def test_a_vault_does_not_name_the_vault_it_is_shared_with(vault: Path) -> None:
    """A folder that a stranger's vault names gets no copies; the person's own file may name one."""
    text = 'org_vault = "/srv/theirs"'
    configure(vault, text)
    settings = load(vault)
    assert settings.org_vault is None
    assert any("org_vault is ignored" in line for line in settings.notices)
    configure(vault, "", text)
    assert Path("/srv/theirs") == load(vault).org_vault


def test_the_key_is_never_shown(vault: Path) -> None:
    """Neither when settings are logged nor in an error."""
    settings = load(vault, {"GENESYS_EMBED_KEY": "sk-secret"})
    assert "sk-secret" == settings.embed_key
    assert "sk-secret" not in f"{settings} {settings!r}"
    configure(vault, "", "embed_key = 12345")
    with pytest.raises(SettingsError) as caught:
        load(vault)
    assert "12345" not in caught.value.message


def test_relative_paths_start_where_they_are_written(vault: Path, tmp_path: Path) -> None:
    """In a file beside that file, elsewhere in the folder one is in; ``~`` is home."""
    configure(vault, 'index = "idx/i.db"')
    assert vault / "idx/i.db" == load(vault).index
    assert tmp_path / "x.db" == load(vault, {"GENESYS_INDEX": "x.db"}, cwd=tmp_path).index
    assert Path.home() / "org" == load(vault, org_vault=Path("~/org")).org_vault


def test_every_setting_is_documented(vault: Path) -> None:
    """With a sentence of its own, its default as one would write it, and no name twice."""
    docs = describe()
    assert [] == [name for name, count in Counter(doc.name for doc in docs).items() if count > 1]
    assert all(doc.doc and doc.name.startswith("GENESYS_") for doc in docs)
    bare = [
        doc.name for doc in docs if doc.name.removeprefix("GENESYS_").lower().replace("_", " ") == doc.doc
    ]
    assert [] == bare, "give each a line in settings_docs.PARAMETERS"
    written = {
        doc.name: doc.default
        for doc in docs
        if doc.default and "<" not in doc.default and " " not in doc.default
    }
    assert load(vault) == load(
        vault, {name: text for name, text in written.items() if name != "GENESYS_MIN_AGE_DAYS"}
    )


def test_groups_of_parameters_share_no_name() -> None:
    """A field of two groups would be one variable with two meanings."""
    kinds = [Settings, *module._groups().values()]
    names = Counter(field.name for kind in kinds for field in fields(kind))
    assert [] == [name for name, count in names.items() if count > 1]


def test_only_what_is_read_changes_the_parse_digest(vault: Path) -> None:
    """A new relation key asks for a new parse; a scoring constant does not."""
    plain = load(vault).parse_digest()
    assert plain == load(vault, {"GENESYS_ACTR_DECAY": "0.4"}).parse_digest()
    assert plain != load(vault, {"GENESYS_RELATION_KEYS": "as=supports"}).parse_digest()


def test_a_machine_keeps_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same in every process; a container can be given one."""
    code = "from genesys.settings import machine_id; print(machine_id())"
    ids = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=child_env(),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    }
    assert {machine_id()} == ids
    assert 16 == len(machine_id())
    machine_id.cache_clear()
    monkeypatch.setenv("GENESYS_MACHINE", "box-7")
    assert machine_id() not in ids
    machine_id.cache_clear()


def test_settings_come_from_the_process_by_default(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder's vault, this process's environment."""
    monkeypatch.chdir(vault)
    monkeypatch.setenv("GENESYS_THREADS", "5")
    assert (os.path.realpath(vault), 5) == (os.path.realpath(load_settings().vault), load_settings().threads)
