"""Days that a text names: "March 2024", "5 May", "last week", "2023-05-08". Pure; ``now`` is an argument."""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["DateRange", "find_dates"]

_MONTHS = {
    name: i
    for i, names in enumerate(
        (
            "january jan januar janvier enero января январь",
            "february feb februar fevrier février febrero февраля февраль",
            "march mar märz marz mars marzo марта март",
            "april apr avril abril апреля апрель",
            "may mai mayo мая май",
            "june jun juni juin junio июня июнь",
            "july jul juli juillet julio июля июль",
            "august aug août aout agosto августа август",
            "september sep sept septembre septiembre сентября сентябрь",
            "october oct oktober octobre octubre октября октябрь",
            "november nov novembre noviembre ноября ноябрь",
            "december dec dezember décembre decembre diciembre декабря декабрь",
        ),
        1,
    )
    for name in names.split()
}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAYS = dict(zip(_DAYS.split(" "), range(7), strict=True))
_COUNTS = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {"a": 1} | {name: i for i, name in enumerate(_COUNTS.split(" "), 1)}
_COUNT = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_PATTERNS = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"(?<!\d){_YEAR}[-/.](?P<month_number>[01]?\d)[-/.]{_DAY}(?!\d)",
        rf"(?<!\d){_YEAR}年(?P<month_number>[01]?\d)月(?:{_DAY}[日号])?",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b",
        rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b",
        rf"\b{_YEAR}-(?P<month_number>[01]\d)\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?!\w)",
        rf"\b{_MONTH}\s+{_DAY}\b(?!\d)",
        rf"\b(?:in|since|during|of|last|im|seit|en)\s+{_MONTH}(?!\w)",
        rf"\b(?:in|since|during|of|im jahr|seit|en)\s+{_YEAR}\b",
        rf"{_YEAR}年",
    )
)
_RELATIVE = re.compile(
    r"\b(?:(?P<single>today|yesterday|tomorrow|heute|gestern|hier|aujourd'hui)|(?P<cjk>今天|昨天|前天|明天|上周|上个月|去年)"
    r"|(?P<which>this|last|next|past)\s+(?P<unit>week|month|year|weekend)"
    r"|last\s+(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
    r"|(?P<count>\d{1,3}|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s+"
    r"(?P<units>day|week|month|year)s?\s+ago)\b|(?P<cjk2>今天|昨天|前天|明天|上周|上个月|去年)",
    re.IGNORECASE,
)
# "in the last two weeks": days that have passed, where "last week" is the calendar's.
_TRAILING = re.compile(
    rf"\b(?:the|these)\s+(?:last|past)\s+(?:(?P<count>\d{{1,3}}|{_COUNT})\s+)?"
    r"(?P<units>day|week|month|year)s?\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?:\b(?:between|from|zwischen|von|vom|entre|du|от)|从)\s*$", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*(?:and|to|until|till|through|bis|und|et|y|[-–—~至到和])\s*", re.IGNORECASE)
_SINGLE = {
    "today": 0,
    "heute": 0,
    "aujourd'hui": 0,
    "今天": 0,
    "yesterday": -1,
    "gestern": -1,
    "hier": -1,
    "昨天": -1,
}
_SINGLE |= {"前天": -2, "tomorrow": 1, "明天": 1}
_CJK_UNITS = {"上周": "week", "上个月": "month", "去年": "year"}
_SPAN = {"day": 0, "week": 3, "month": 15, "year": 182}  # days that "N units ago" may be off
MAX_DATES = 8


@dataclass(frozen=True, slots=True)
class DateRange:
    """Days from ``start`` to ``end``, both included, as ISO dates."""

    start: str
    end: str


def find_dates(text: str, now: float, asked: str = "") -> tuple[DateRange, ...]:
    """Ranges of days that ``text`` names; relative ones count from ``asked`` (ISO date) or else ``now``.

    A day or month without a year is the last one that is not after that day.
    """
    today = _today(now, asked)
    found: list[tuple[int, int, DateRange]] = []
    for pattern, read in ((p, _absolute) for p in _PATTERNS):
        for m in pattern.finditer(text):
            span = None if _taken(found, m) else read(m, today)
            if span:
                found.append((*m.span(), span))
    for m in _TRAILING.finditer(text):
        if not _taken(found, m):
            found.append((*m.span(), _trailing(m, today)))
    for m in _RELATIVE.finditer(text):
        if not _taken(found, m):
            found += [(*m.span(), span) for span in _relative(m, today)]
    return tuple(dict.fromkeys(_joined(text, found)))[:MAX_DATES]


def _taken(found: list[tuple[int, int, DateRange]], m: re.Match[str]) -> bool:
    return any(m.start() < end and start < m.end() for start, end, _ in found)


def _joined(text: str, found: list[tuple[int, int, DateRange]]) -> Iterator[DateRange]:
    """The ranges in the order of the text; "between 11 August and 15 August" is one."""
    begun: DateRange | None = None
    for i, (start, end, days) in enumerate(found := sorted(found, key=lambda f: f[:2])):
        after = found[i + 1] if i + 1 < len(found) else None
        opens = begun is None and _opens(text[:start])
        if opens and after and _BETWEEN.fullmatch(text[end : after[0]]) and days.start <= after[2].end:
            begun = days
        elif begun:
            yield DateRange(begun.start, days.end)
            begun = None
        else:
            yield days


def _opens(before: str) -> bool:
    return _OPENING.search(before) is not None


def _trailing(m: re.Match[str], today: datetime.date) -> DateRange:
    count = (m["count"] or "one").lower()
    n = int(count) if count.isdigit() else _NUMBERS[count]
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[m["units"].lower()] * n
    return _range(today - datetime.timedelta(days=days), today)


def _today(now: float, asked: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(asked[:10])
    except ValueError:
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=max(now, 0.0) // 86_400)


def _range(start: datetime.date, end: datetime.date) -> DateRange:
    return DateRange(start.isoformat(), end.isoformat())


def _month(year: int, month: int) -> DateRange:
    last = calendar.monthrange(year, month)[1]
    return _range(datetime.date(year, month, 1), datetime.date(year, month, last))


def _absolute(m: re.Match[str], today: datetime.date) -> DateRange | None:
    parts = m.groupdict()
    name, number = parts.get("month"), parts.get("month_number")
    month = _MONTHS[name.lower()] if name else int(number) if number else 0
    day, year = int(parts.get("day") or 0), int(parts.get("year") or 0)
    try:
        if not month:
            return _range(datetime.date(year, 1, 1), datetime.date(year, 12, 31))
        if not year:
            past = (month, day) <= (today.month, today.day if day else 31)
            year = today.year if past else today.year - 1
        if not day:
            return _month(year, month)
        return _range(datetime.date(year, month, day), datetime.date(year, month, day))
    except ValueError:
        return None


def _relative(m: re.Match[str], today: datetime.date) -> Iterator[DateRange]:
    parts = {k: v.lower() for k, v in m.groupdict().items() if v}
    word = parts.get("single") or parts.get("cjk") or parts.get("cjk2")
    try:
        if word in _SINGLE:
            day = today + datetime.timedelta(days=_SINGLE[word])
            yield _range(day, day)
        elif word:
            yield _whole(_CJK_UNITS[word], -1, today)
        elif "unit" in parts:
            yield _whole(parts["unit"], {"this": 0, "next": 1}.get(parts["which"], -1), today)
        elif "weekday" in parts:
            back = (today.weekday() - _WEEKDAYS[parts["weekday"]] - 1) % 7 + 1
            day = today - datetime.timedelta(days=back)
            yield _range(day, day)
        else:
            yield _ago(parts["count"], parts["units"], today)
    except (OverflowError, ValueError):
        return


def _whole(unit: str, step: int, today: datetime.date) -> DateRange:
    """The calendar week, weekend, month or year ``step`` units away."""
    if unit == "year":
        return _range(datetime.date(today.year + step, 1, 1), datetime.date(today.year + step, 12, 31))
    if unit == "month":
        year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
        return _month(year, month + 1)
    monday = today - datetime.timedelta(days=today.weekday()) + datetime.timedelta(weeks=step)
    first = monday + datetime.timedelta(days=5 if unit == "weekend" else 0)
    return _range(first, monday + datetime.timedelta(days=6))


def _ago(count: str, unit: str, today: datetime.date) -> DateRange:
    n = int(count) if count.isdigit() else _NUMBERS[count]
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * n
    off = datetime.timedelta(days=_SPAN[unit])
    day = today - datetime.timedelta(days=days)
    return _range(day - off, day + off)
