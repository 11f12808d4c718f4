"""Every setting, and the only place that reads the environment and configuration files.

By precedence: an argument, the environment (``GENESYS_*``), ``<vault>/.genesys.toml``, the person's
``genesys/config.toml``, the default. The parameter groups of :mod:`genesys.model` are settings too: a
field ``actr_decay`` is ``GENESYS_ACTR_DECAY`` in the environment and ``actr_decay`` in a file.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_type_hints

from genesys.errors import SettingsError
from genesys.model import EdgeType, LifecycleParams, ParseOptions, ScoreParams
from genesys.registry import ObsidianConfig, find_vault, obsidian_config, registered_vaults
from genesys.settings_docs import PARAMETERS
from genesys.tuning import HookParams, RecallParams
from genesys.values import Option, SettingDoc, convert, show, unset

__all__ = [
    "VAULT_FILE",
    "ObsidianConfig",
    "SettingDoc",
    "Settings",
    "SettingsError",
    "describe",
    "find_vault",
    "lasting_variables",
    "load_settings",
    "machine_id",
    "obsidian_config",
    "other_vaults",
]

VAULT_FILE = ".genesys.toml"
# A vault may come from someone else. It can't say where notes are sent, nor hold the key for it.
_NOT_FROM_VAULT = frozenset({"embed_url", "embed_key", "llm_url", "llm_api_key", "org_vault"})
_OTHER_VARIABLES = (
    SettingDoc("GENESYS_VAULT", "", "The vault's folder, where no --vault is given", allowed="a path"),
    SettingDoc("GENESYS_MACHINE", "", "Name of this machine, where it has no lasting identity (containers)"),
)


def _option(default: Any, doc: str, unit: str = "", **bounds: float) -> Any:
    """A documented field of :class:`Settings`; bounds are ``low`` and ``high``, both allowed values."""
    return field(default=default, metadata={"doc": doc, "unit": unit, **bounds})


@dataclass(frozen=True, slots=True)
class Settings:
    """How one vault is treated. ``notices`` are lines about settings that had no effect.

    ``system_trash`` is the person's trash folder; None where this system has none we know. ``state_dir`` is
    for what must outlive a restart and belongs in no vault.
    """

    vault: Path
    index: Path = _option(Path(), "The index; elsewhere where the vault is synced")
    writeback: Literal["touched", "all", "off"] = _option(
        "touched", "Notes that get genesys_* properties: those Genesys has something to say of, all, or none"
    )
    writeback_delta: float = _option(0.1, "Least change of a note's score that is written", low=0.01, high=1)
    writeback_quiet_s: float = _option(600.0, "No write-back so soon after a person's edit", "seconds", low=0)
    writeback_max: int = _option(50, "Most notes written in one pass", "notes", low=1)
    preimage_days: float = _option(30.0, "How long the last state of a written note is kept", "days", low=0)
    memories_folder: str = _option("Memories", "Folder of the vault that new memories go to")
    follow_links: bool = _option(
        False, "Read files and folders outside the vault that symlinks in it lead to"
    )
    org_vault: Path | None = _option(None, "A second, shared vault that promote_to_org copies into")
    embedder: Literal["local", "openai", "fake"] = _option(
        "local", "Where vectors come from: a model on this machine, an endpoint, or a toy for tests"
    )
    embed_model: str = _option("", "A sentence-transformers model on disk, or the endpoint's model")
    embed_url: str = _option("", "Endpoint that speaks OpenAI's embeddings API, for GENESYS_EMBEDDER=openai")
    embed_key: str = _option("", "Key for the endpoint")
    llm_url: str = _option("", "Endpoint of a language model for digest and infer; none is asked unless set")
    llm_model: str = _option("", "The endpoint's model")
    llm_api_key: str = _option("", "Key for that endpoint")
    llm_api: Literal["openai", "anthropic"] = _option("openai", "What the endpoint speaks")
    llm_timeout_s: float = _option(60.0, "How long an answer may take", "seconds", low=0.1, high=3600)
    embed_batch: int = _option(32, "Passages embedded at once", "passages", low=1, high=4096)
    embed_precision: Literal["auto", "fp32", "bf16"] = _option(
        "auto", "Arithmetic of the local model; auto measures once whether bf16 is faster here and as good"
    )
    threads: int = _option(0, "Threads of the model; 0 leaves it to torch", "threads", low=0, high=1024)
    workers: int = _option(
        0, "Processes that parse a large vault; 0 is one a processor, at most 8", "processes", low=0, high=256
    )
    maintenance_interval_s: float = _option(600.0, "Time between maintenance passes", "seconds", low=1)
    evolve: Literal["off", "propose", "apply"] = _option(
        "propose", "What the daemon does once a day of what genesys evolve finds: nothing, log it, or do it"
    )
    evolve_likeness: float = _option(
        0.85, "Cosine from which two memories that differ are proposed to be joined", low=0.5, high=1
    )
    stale_days: float = _option(180.0, "A decision untouched for so long is stale; 0 is never", "days", low=0)
    stale_categories: tuple[str, ...] = _option(("decision",), "Categories of memories that grow stale")
    shared_categories: tuple[str, ...] = _option(
        ("error", "lesson"), "Categories of memories that genesys evolve shares, beside procedural ones"
    )
    promote_vaults: int = _option(
        3, "A memory recalled in so many of your vaults is shared; 0 is never", "vaults", low=0
    )
    idle_exit_s: float = _option(900.0, "The daemon ends so long after its last client", "seconds", low=1)
    debounce_ms: int = _option(300, "Quiet time before the watcher acts on a change", "milliseconds", low=0)
    watch: Literal["auto", "poll"] = _option(
        "auto", "How changes are noticed: by events where the disk gives any, or by looking every few seconds"
    )
    attachments: Literal["auto", "off"] = _option(
        "auto", "Text of PDF and Word files that notes embed: read where the extra is installed, or never"
    )
    attachment_mb: int = _option(50, "Larger attachments are not read", "megabytes", low=1, high=500)
    attachment_pages: int = _option(300, "Pages read of one attachment", "pages", low=1, high=5000)
    attachment_seconds: float = _option(
        30.0, "Time one attachment may take to be read", "seconds", low=1, high=600
    )
    recall_daemon: bool = _option(
        False, "genesys recall starts a daemon, so that the next question is instant"
    )
    log_level: Literal["debug", "info", "warning", "error"] = _option("info", "Least serious line logged")
    cache_dir: Path = _option(Path(), "Small files that are the same for all vaults")
    parse: ParseOptions = field(default_factory=ParseOptions)
    score: ScoreParams = field(default_factory=ScoreParams)
    lifecycle: LifecycleParams = field(default_factory=LifecycleParams)
    recall: RecallParams = field(default_factory=RecallParams)
    hooks: HookParams = field(default_factory=HookParams)
    system_trash: Path | None = None
    state_dir: Path = Path()
    notices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.index == Path():
            object.__setattr__(self, "index", self.vault / ".genesys" / "index.db")
        if not self.workers:
            object.__setattr__(self, "workers", min(8, _processors()))

    def __repr__(self) -> str:
        """Without the key, so that it can be logged."""
        return f"Settings(vault={str(self.vault)!r}, index={str(self.index)!r}, embedder={self.embedder!r})"

    def parse_digest(self) -> str:
        """Changes where a setting changes what is read from a note, so that a new parse is due."""
        import hashlib  # OpenSSL, which who asks a daemon does without

        return hashlib.blake2b(repr(self.parse).encode(), digest_size=8).hexdigest()


def _processors() -> int:
    """Those this process may use, not those the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def load_settings(
    vault: Path | None = None,
    env: Mapping[str, str] | None = None,
    *,
    cwd: Path | None = None,
    **arguments: Any,
) -> Settings:
    """The settings of a vault; ``arguments`` are fields by name and beat every other source.

    Raises :class:`VaultNotFound` and :class:`SettingsError`.
    """
    env = os.environ if env is None else env
    cwd = Path.cwd() if cwd is None else cwd
    root = find_vault(vault, cwd, env)
    notices: list[str] = []
    values: dict[str, Any] = {}
    own = _config_folder(env) / "config.toml"
    for file, refused in ((own, frozenset[str]()), (root / VAULT_FILE, _NOT_FROM_VAULT)):
        for name, value in _from_file(file, refused, notices):
            values[name] = convert(_options()[name], value, str(file), file.parent)
    for name, option in _options().items():
        if not unset(env.get(option.env)):
            values[name] = convert(option, env[option.env], "the environment", cwd)
        if arguments.get(name) is not None:
            values[name] = convert(option, _plain(arguments.pop(name)), "an argument", cwd)
    if unknown := [name for name, value in arguments.items() if value is not None]:
        raise SettingsError(f"no setting is called {unknown[0]}", hint=_nearest(unknown[0]))
    notices += _unknown_variables(env)
    _check_relations(values.get("relation_keys", ()))
    values.setdefault("cache_dir", _cache_folder(env))
    return _build(root, values, env, notices)


def _build(root: Path, values: Mapping[str, Any], env: Mapping[str, str], notices: Sequence[str]) -> Settings:
    plain = {name: value for name, value in values.items() if not _options()[name].group}
    groups = {
        name: kind(**{k: v for k, v in values.items() if _options()[k].group == name})
        for name, kind in _groups().items()
    }
    return Settings(
        vault=root,
        **plain,
        **groups,
        system_trash=_system_trash(env),
        state_dir=_state_folder(env),
        notices=tuple(notices),
    )


def describe() -> list[SettingDoc]:
    """Every setting, in the order of documentation; ``.env.example`` and the README are made from it."""
    shown = {"index": "<vault>/.genesys/index.db", "cache_dir": "the system's cache folder"}
    return [
        *_OTHER_VARIABLES,
        *(
            SettingDoc(o.env, shown.get(o.name, show(o.default)), o.doc, o.unit, o.group, o.allowed)
            for o in _options().values()
        ),
    ]


def lasting_variables(env: Mapping[str, str], settings: Settings) -> tuple[tuple[str, str], ...]:
    """The settings that only this environment has, for another program that starts us without it.

    Keys are left out: they belong into no file that we write.
    """
    found = []
    for option in _options().values():
        if option.name.endswith("_key") or unset(env.get(option.env)):
            continue
        value = getattr(settings, option.name, None)
        found.append((option.env, str(value) if isinstance(value, Path) else env[option.env]))
    return tuple(found)


def other_vaults(vault: Path) -> tuple[Path, ...]:
    """The vaults that Obsidian knows of on this machine, without this one."""
    return tuple(v for v in registered_vaults(os.environ) if v != Path(os.path.realpath(vault)))


@cache
def machine_id() -> str:
    """16 hexadecimal digits that tell this machine from others; ``GENESYS_MACHINE`` overrides it."""
    import hashlib

    name = os.environ.get("GENESYS_MACHINE", "")
    for file in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        if not name:
            try:
                name = Path(file).read_text(encoding="ascii", errors="replace").strip()
            except OSError:
                continue
    if not name:
        import platform
        import uuid

        node = uuid.getnode()
        # Bit 40 marks a number made up for this process because no network card was found.
        name = f"{platform.node()}:{0 if node >> 40 & 1 else node}"
    return hashlib.blake2b(name.encode(), digest_size=8, person=b"genesys").hexdigest()


# ------------------------------------------------------------------ the options


@cache
def _groups() -> Mapping[str, Any]:
    """The fields of :class:`Settings` that are groups of parameters, with their classes."""
    hints = get_type_hints(Settings)
    return {f.name: hints[f.name] for f in fields(Settings) if is_dataclass(hints[f.name])}


@cache
def _options() -> Mapping[str, Option]:
    """Every option by name. Names are unique across the groups, which a test holds."""
    own = (Option(o.name, o.type, o.default, **o.metadata_) for o in _fields(Settings) if o.metadata_)
    options = {option.name: option for option in own}
    for group, kind in _groups().items():
        for item in _fields(kind):
            doc = item.metadata_ or PARAMETERS.get(item.name, {"doc": item.name.replace("_", " ")})
            options[item.name] = Option(item.name, item.type, item.default, group=group, **doc)
    return options


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    type: Any
    default: Any
    metadata_: Mapping[str, Any]


def _fields(kind: Any) -> Iterator[_Field]:
    hints = get_type_hints(kind)
    for item in fields(kind):
        default = None if item.default is MISSING else item.default
        yield _Field(item.name, hints[item.name], default, dict(item.metadata))


# ------------------------------------------------------------------ the sources


def _from_file(file: Path, refused: frozenset[str], notices: list[str]) -> Iterator[tuple[str, Any]]:
    """The settings in a TOML file: at the top, or in a table named after their group."""
    try:
        raw = file.read_bytes()
    except OSError:
        return
    import tomllib  # few vaults have such a file

    try:
        table = tomllib.loads(raw.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is no valid TOML: {error}", hint="Correct it, or remove it.") from None
    for name, value in _flat(table):
        if name in refused:
            notices.append(f"{file.name}: {name} is ignored; a vault must not say where notes are sent")
        elif name in _options():
            yield name, value
        else:
            notices.append(f"{file.name}: no setting is called {name}. {_nearest(name)}".strip())


def _flat(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if key in _groups() and isinstance(value, Mapping):
            yield from _flat(value)
        else:
            yield key.lower().replace("-", "_").removeprefix("genesys_"), value


def _unknown_variables(env: Mapping[str, str]) -> list[str]:
    known = {option.env for option in _options().values()} | {doc.name for doc in _OTHER_VARIABLES}
    return [
        f"no setting is called {name}. {_nearest(name.removeprefix('GENESYS_').lower())}".strip()
        for name in sorted(env)
        if name.startswith("GENESYS_") and name not in known
    ]


def _nearest(name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, list(_options()), n=1)
    return f"Did you mean {close[0]}?" if close else ""


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def _check_relations(pairs: tuple[tuple[str, str], ...]) -> None:
    allowed = [str(kind) for kind in EdgeType]
    for key, kind in pairs:
        if kind.removeprefix("!") not in allowed:
            raise SettingsError(
                f"GENESYS_RELATION_KEYS can't map {key} to {kind!r}",
                hint=f"Allowed: {', '.join(allowed)}; a leading ! turns the edge around.",
            )


# ------------------------------------------------------------------ a person's folders


def _home(env: Mapping[str, str]) -> Path:
    return Path(env.get("HOME") or env.get("USERPROFILE") or os.path.expanduser("~"))


def _config_folder(env: Mapping[str, str]) -> Path:
    return Path(env.get("XDG_CONFIG_HOME") or _home(env) / ".config") / "genesys"


def _cache_folder(env: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return _home(env) / "Library" / "Caches" / "genesys"
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or _home(env) / "AppData" / "Local") / "genesys" / "cache"
    return Path(env.get("XDG_CACHE_HOME") or _home(env) / ".cache") / "genesys"


def _state_folder(env: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return _home(env) / "Library" / "Application Support" / "genesys"
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or _home(env) / "AppData" / "Local") / "genesys" / "state"
    return Path(env.get("XDG_STATE_HOME") or _home(env) / ".local" / "state") / "genesys"


def _system_trash(env: Mapping[str, str]) -> Path | None:
    if sys.platform == "win32":
        return None
    if sys.platform == "darwin":
        return _home(env) / ".Trash"
    return Path(env.get("XDG_DATA_HOME") or _home(env) / ".local" / "share") / "Trash"
