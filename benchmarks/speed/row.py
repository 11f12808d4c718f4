"""One line of the table: a figure beside its floor, and what is asked of their ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Row", "as_json", "table"]


@dataclass(frozen=True)
class Row:
    """``figure`` may be ``most`` × ``floor`` + ``slack``, all in ``unit``.

    Without a floor (0) ``slack`` alone is the limit. A ``note`` says what else a reader should know.
    """

    name: str
    what: str
    floor_is: str
    floor: float
    figure: float
    unit: str = "s"
    most: float = 0.0
    slack: float = 0.0
    at_least: bool = False  # the figure is a quality: more is better
    note: str = ""

    @property
    def ratio(self) -> float:
        return self.figure / self.floor if self.floor else 0.0

    @property
    def met(self) -> bool:
        limit = self.most * self.floor + self.slack
        return self.figure >= limit if self.at_least else self.figure <= limit

    @property
    def target(self) -> str:
        sign = "≥" if self.at_least else "≤"
        parts = [f"{self.most:g} ×"] if self.floor else []
        if self.slack or not parts:
            parts.append(f"{self.slack:g} {self.unit}".rstrip())
        return f"{sign} {' + '.join(parts)}"


def table(rows: Sequence[Row]) -> str:
    """The rows for a reader, columns aligned."""
    cells = [("", "floor", "figure", "ratio", "target", "", "floor is")]
    for row in rows:
        floor = _number(row.floor, row.unit) if row.floor else "–"
        ratio = f"{row.ratio:.2f} ×" if row.floor else "–"
        met = "met" if row.met else "NOT MET"
        note = f"{row.floor_is}; {row.note}" if row.note else row.floor_is
        cells.append((row.what, floor, _number(row.figure, row.unit), ratio, row.target, met, note))
    wide = [max(len(line[at]) for line in cells) for at in range(6)]
    lines = []
    for line in cells:
        left, *middle = line[:4]
        numbers = "  ".join(text.rjust(width) for text, width in zip(middle, wide[1:4], strict=True))
        lines.append(f"{left:<{wide[0]}}  {numbers}  {line[4]:<{wide[4]}}  {line[5]:<{wide[5]}}  {line[6]}")
    return "\n".join(line.rstrip() for line in lines)


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{**asdict(row), "ratio": round(row.ratio, 4), "met": row.met} for row in rows]


def _number(value: float, unit: str) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 3
    return f"{value:.{digits}f} {unit}".rstrip()
