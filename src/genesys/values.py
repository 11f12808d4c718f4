"""From text or TOML to a typed value, with an error that names the setting, the value and what is allowed."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from genesys.errors import SettingsError

__all__ = ["Option", "SettingDoc", "convert", "show", "unset"]

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_PLACEHOLDER = re.compile(r"\$\{[^}]*\}")  # what a client leaves of a variable it could not fill in


@dataclass(frozen=True, slots=True)
class SettingDoc:
    """A line of documentation: ``name`` is the environment variable, ``default`` as one would write it."""

    name: str
    default: str
    doc: str
    unit: str = ""
    group: str = ""
    allowed: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """One setting. ``group`` is the field of ``Settings`` that holds it ("" for ``Settings`` itself)."""

    name: str
    type: Any
    default: Any
    doc: str = ""
    unit: str = ""
    group: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def env(self) -> str:
        return "GENESYS_" + self.name.upper()

    @property
    def allowed(self) -> str:
        """What a value may be, in words."""
        if get_origin(self.type) is Literal:
            return ", ".join(map(str, get_args(self.type)))
        if self.type is bool:
            return "true or false"
        if self.type in (int, float):
            kind = "a whole number" if self.type is int else "a number"
            bounds = [f"at least {self.low:g}"] if self.low is not None else []
            bounds += [f"at most {self.high:g}"] if self.high is not None else []
            return " ".join([kind, " and ".join(bounds)]).strip()
        if _is_numbered(self.type):
            return f"pairs as word=number, with commas between, the number from {self.low:g} to {self.high:g}"
        if _is_pairs(self.type):
            return "pairs as key=value, with commas between"
        if get_origin(self.type) is tuple:
            return "words with commas between"
        return "a path" if self.type is Path or Path in get_args(self.type) else "text"


def unset(text: str | None) -> bool:
    """True where an environment variable says nothing: absent, blank, or a client's unfilled ``${…}``."""
    return text is None or not text.strip() or _PLACEHOLDER.fullmatch(text.strip()) is not None


def convert(option: Option, value: Any, source: str, base: Path) -> Any:
    """The typed value of a setting; relative paths start at ``base``. Raises :class:`SettingsError`."""
    try:
        return _check(option, _typed(option.type, value, base))
    except (ValueError, TypeError, OverflowError):
        shown = "…" if option.name.endswith("_key") else repr(value)
        raise SettingsError(
            f"{option.env} can't be {shown} (from {source})", hint=f"Allowed: {option.allowed}."
        ) from None


def _typed(kind: Any, value: Any, base: Path) -> Any:
    if get_origin(kind) is Literal:
        return _choice(kind, value)
    if kind is bool:
        return _bool(value)
    if kind in (int, float):
        return _number(kind, value)
    if _is_pairs(kind):
        return _numbered(value) if _is_numbered(kind) else _pairs(value)
    if get_origin(kind) is tuple:
        return _words(value)
    if not isinstance(value, str):
        raise TypeError(value)
    if kind is Path or Path in get_args(kind):
        return Path(os.path.abspath(base / Path(value.strip()).expanduser()))
    return value.strip()


def _choice(kind: Any, value: Any) -> Any:
    text = str(value).strip().lower()
    if value is False and "off" in get_args(kind):  # TOML and YAML users write a bare off
        text = "off"
    return get_args(kind)[[str(choice) for choice in get_args(kind)].index(text)]


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text not in _TRUE | _FALSE:
        raise ValueError(value)
    return text in _TRUE


def _number(kind: Any, value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise TypeError(value)
    number = float(value)
    if not math.isfinite(number) or (kind is int and number != int(number)):
        raise ValueError(value)
    return int(value) if kind is int else number


def _words(value: Any) -> tuple[str, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, Sequence) or not all(isinstance(item, str) for item in items):
        raise TypeError(value)
    return tuple(item.strip() for item in items if item.strip())


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(value, Mapping):
        pairs = [(key, item) for key, item in value.items() if isinstance(item, str)]
        if len(pairs) != len(value):
            raise TypeError(value)
    else:
        pairs = []
        for word in _words(value):
            key, equals, item = word.partition("=")
            if not equals:
                raise ValueError(value)
            pairs.append((key, item))
    result = tuple((key.strip(), item.strip()) for key, item in pairs)
    if not all(key and item for key, item in result):
        raise ValueError(value)
    return result


def _numbered(value: Any) -> tuple[tuple[str, float], ...]:
    if isinstance(value, Mapping):
        value = {key: str(item) for key, item in value.items() if not isinstance(item, bool)}
    return tuple((key, _number(float, item)) for key, item in _pairs(value))


def _check(option: Option, value: Any) -> Any:
    if _is_numbered(option.type):
        for _, item in value:
            _check(replace(option, type=float), item)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if option.low is not None and value < option.low:
            raise ValueError(value)
        if option.high is not None and value > option.high:
            raise ValueError(value)
    return value


def _is_pairs(kind: Any) -> bool:
    return get_origin(kind) is tuple and any(get_origin(part) is tuple for part in get_args(kind))


def _is_numbered(kind: Any) -> bool:
    return _is_pairs(kind) and get_args(get_args(kind)[0])[1] is float


def show(value: Any) -> str:
    """A default as one would write it in the environment."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return ",".join("=".join(map(str, item)) if isinstance(item, tuple) else str(item) for item in value)
    return str(value)
