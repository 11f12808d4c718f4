"""JSON that came from outside, read strictly: what is wrong is said with its place. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast

from genesys.errors import UsageError
from genesys.model import Json

__all__ = [
    "MAX_RECORDS",
    "broken",
    "encodable",
    "json_lines",
    "load_json",
    "same",
    "text_of",
    "typed",
    "yaml_value",
]

#: Records one import takes: a person's memory has thousands, and each becomes a file.
MAX_RECORDS = 100_000

_T = TypeVar("_T")
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def broken(where: str, why: str) -> UsageError:
    """The one error of a file that can't be imported."""
    return UsageError(
        f"{where}: {why}", hint="nothing was changed; correct the file, or name its format with --from"
    )


def load_json(text: str, where: str) -> Json:
    """Raises :class:`UsageError` for anything that is not plain JSON."""
    try:
        return cast(Json, json.loads(text, parse_constant=_no_number))
    except RecursionError:
        raise broken(where, "nested too deeply") from None
    except ValueError as error:
        raise broken(where, f"not JSON ({error})") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def json_lines(lines: Iterable[str], limit: int) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Each line that is not blank, with its place ("line 3"), as an object.

    Raises :class:`UsageError`: a line is no object, or there are more than ``limit``.
    """
    count = 0
    for number, line in enumerate(lines, 1):
        if line.strip():
            count += 1
            if count > limit:
                raise broken("the file", f"it holds more than {limit:,} records; split it")
            yield f"line {number}", typed(load_json(line, f"line {number}"), dict, f"line {number}", "it")


def typed(value: Any, kind: type[_T], where: str, name: str) -> _T:
    """The value, if it is of this kind. Raises :class:`UsageError`."""
    if isinstance(value, kind) and not (kind is not bool and isinstance(value, bool)):
        return value
    words = {str: "a text", dict: "an object", list: "a list", int: "a whole number", float: "a number"}
    raise broken(where, f"{name} is not {words.get(kind, kind.__name__)}")


def text_of(record: Mapping[str, Json], name: str, where: str) -> str:
    """A text that a record must have. Raises :class:`UsageError`."""
    if name not in record:
        raise broken(where, f"it has no {name!r}")
    return typed(record[name], str, where, repr(name))


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON: True is not 1, and 1 is not 1.0."""
    return _canonical(one) == _canonical(other)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def encodable(text: str) -> str:
    """The text with half surrogate pairs, which no file can hold, as question marks."""
    return text.encode("utf-8", "replace").decode()


def yaml_value(value: Json) -> str:
    """A value on one line that YAML reads as JSON does."""
    text = encodable(json.dumps(value, ensure_ascii=False))
    return _UNSAFE.sub(lambda m: f"\\u{ord(m[0]):04x}", text)
