"""Credentials that have no place in a note. Pure.

Only what can hardly be anything else: a miss costs little, since people are told not to store secrets, but a
false alarm keeps an agent from remembering. The token shapes are those that their issuers document.
"""

from __future__ import annotations

import re

__all__ = ["PATTERNS", "find_secret"]

_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"


def _token(shape: str) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{shape}){_END}")


#: (what it is, its shape); the first that matches names it.
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a private key", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")),
    ("an AWS access key", _token(r"(?:AKIA|ASIA)[A-Z2-7]{16}")),
    ("a GitHub token", _token(r"gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,}")),
    ("a GitLab token", _token(r"glpat-[A-Za-z0-9_-]{20,}")),
    ("a Slack token", _token(r"xox[abeprs]-[A-Za-z0-9-]{20,}|xapp-\d-[A-Za-z0-9-]{20,}")),
    ("a Slack webhook", re.compile(r"https://hooks\.slack\.com/services/T\w+/B\w+/\w{16,}")),
    ("an Anthropic API key", _token(r"sk-ant-[A-Za-z0-9_-]{20,}")),
    (
        "an OpenAI API key",
        _token(r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{32,}"),
    ),
    ("a Google API key", _token(r"AIza[A-Za-z0-9_-]{35}")),
    ("a Stripe key", _token(r"[rs]k_live_[A-Za-z0-9]{20,}")),
    ("a Hugging Face token", _token(r"hf_[A-Za-z0-9]{30,}")),
    ("an npm token", _token(r"npm_[A-Za-z0-9]{36}")),
    ("a PyPI token", _token(r"pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{40,}")),
    ("a signed token", _token(r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}")),
    (
        "an address with a password in it",
        re.compile(r"\b[a-z][a-z0-9+]{2,15}://[^\s:/@]+:([^\s:/@]+)@[\w.-]+"),
    ),
)

# "password: x" names a secret only where x looks like one: a run without blanks that no word of prose is.
_NAMED = re.compile(
    r"(?im)\b(?P<name>pass(?:word|phrase|wd|wort)|kennwort|密码|api[ _-]?key|secret[ _-]?key|"
    r"client[ _-]?secret|access[ _-]?token|auth[ _-]?token)"
    r"[\"'`*_]*[ \t]*(?:[:=：]|is(?=[ \t]))[ \t]*[\"'`*_]*"
    r"(?P<value>[^\s\"'`,;]{6,})"
)
_PLACEHOLDER = re.compile(
    r"(?i)[<{$%\[(].*|.*(?:\.\.\.|…|\*\*\*|xxx|example|placeholder|change-?me|your[-_]|redacted|hidden).*"
    r"|https?://.*|.*\.(?:md|txt|py|env|json|ya?ml|toml|kdbx)[.)]?"
)


def find_secret(text: str) -> str:
    """What kind of credential ``text`` holds ("an AWS access key"); "" where it holds none we know."""
    for what, shape in PATTERNS:
        found = shape.search(text)
        if found and not (found.groups() and _PLACEHOLDER.fullmatch(found[1])):
            return what
    for found in _NAMED.finditer(text):
        if _is_value(found["value"]):
            return f"a secret ({' '.join(found['name'].split())})"
    return ""


def _is_value(value: str) -> bool:
    """Letters with digits or signs among them: no word, number, date, path or placeholder."""
    value = value.rstrip(".)!?]")
    if len(value) < 6 or _PLACEHOLDER.fullmatch(value):
        return False
    letters = any(c.isalpha() for c in value)
    others = any(c.isdigit() or c in "!@#$%^&*+=?~" for c in value)
    return letters and others
