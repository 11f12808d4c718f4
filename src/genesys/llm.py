"""A language model behind an endpoint (OpenAI's chat API or Anthropic's), asked only if a setting names one.

What it answers is a stranger's text: it is read as JSON, checked by whoever asked, and never obeyed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from genesys.endpoint import Endpoint
from genesys.errors import ModelError

__all__ = ["Chat", "as_json"]

MAX_BYTES = 4 * 1024 * 1024  # of an answer
MAX_TOKENS = 4_000  # of an answer, where the API asks for a limit
TRIES = 3
REMEMBERED = 200  # answers kept, so that what was shown is what is stored a moment later
_LATER = "Try again later; without the endpoint the rules still work."
_VERSION = "2023-06-01"  # of Anthropic's API


class Chat:
    """Client of one model. ``cache`` is a file for answers; without one every question is asked anew.

    Raises :class:`ModelError` where the address or the model is missing.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        api: Literal["openai", "anthropic"] = "openai",
        *,
        timeout: float = 60.0,
        wait: float = 0.5,
        cache: Path | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ModelError("no endpoint for a language model", hint="Set GENESYS_LLM_URL, as https://…/v1.")
        if not model:
            raise ModelError("no language model is named", hint="Set GENESYS_LLM_MODEL.")
        self._anthropic = api == "anthropic"
        path = "/messages" if self._anthropic else "/chat/completions"
        base = url.rstrip("/").removesuffix(path)
        if self._anthropic:
            base = base.removesuffix("/v1") + "/v1"
            headers = {"x-api-key": key, "anthropic-version": _VERSION} if key else {}
        else:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._endpoint = Endpoint(
            base + path, model, "GENESYS_LLM", _LATER, headers, timeout, wait, TRIES, MAX_BYTES, "API_KEY"
        )
        self._cache = cache

    def __repr__(self) -> str:
        return f"Chat({self._endpoint.shown!r}, {self._endpoint.model!r})"

    def ask(self, system: str, prompt: str, wanted: str) -> dict[str, Any]:
        """The JSON object in the model's answer, which has a list under the key ``wanted``.

        Raises:
            ModelError: no answer, or none of that shape.
        """
        digest = hashlib.blake2b(f"{self!r}\0{system}\0{prompt}".encode("utf-8", "replace"), digest_size=16)
        key = digest.hexdigest()
        known = self._remembered()
        if key in known:
            return dict(as_json(known[key]))
        text = self._text(self._endpoint.post(self._body(system, prompt)))
        value = as_json(text)
        if not isinstance(value, dict) or not isinstance(value.get(wanted), list):
            hint = "Check GENESYS_LLM_MODEL: it should be able to answer in JSON."
            raise ModelError(
                f"{self._endpoint.shown} did not answer with the JSON it was asked for", hint=hint
            )
        self._remember({**known, key: text})
        return value

    def _body(self, system: str, prompt: str) -> Mapping[str, Any]:
        said = {"role": "user", "content": prompt}
        if self._anthropic:
            body = {"system": system, "max_tokens": MAX_TOKENS, "messages": [said]}
        else:
            body = {"messages": [{"role": "system", "content": system}, said]}
        return {"model": self._endpoint.model, **body}

    def _text(self, raw: bytes) -> str:
        try:
            answer = json.loads(raw)
            if self._anthropic:
                return "".join(b["text"] for b in answer["content"] if b["type"] == "text")
            return str(answer["choices"][0]["message"]["content"] or "")
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            message = f"{self._endpoint.shown} did not answer as a language model does"
            raise ModelError(message, hint="Check GENESYS_LLM_URL and GENESYS_LLM_API.") from None

    def _remembered(self) -> dict[str, str]:
        try:
            data = json.loads(self._cache.read_bytes()) if self._cache else {}
        except (OSError, ValueError, RecursionError):
            return {}
        kept = data.items() if isinstance(data, dict) else ()
        return {str(k): v for k, v in kept if isinstance(v, str) and isinstance(as_json(v), dict)}

    def _remember(self, answers: dict[str, str]) -> None:
        """Best effort: without it a question is simply asked again."""
        if self._cache is None:
            return
        last = dict(list(answers.items())[-REMEMBERED:])
        with suppress(OSError):
            self._cache.parent.mkdir(parents=True, exist_ok=True)
            temp = self._cache.with_name(f"{self._cache.name}.{os.getpid()}")
            temp.write_text(json.dumps(last), encoding="utf-8")
            os.replace(temp, self._cache)


def as_json(text: str) -> Any:
    """The first JSON object in a text, whatever words or fences stand around it; None where there is none."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    for _ in range(10):  # braces that open no object are prose
        if at < 0:
            return None
        with suppress(ValueError, RecursionError):
            return decoder.raw_decode(text, at)[0]
        at = text.find("{", at + 1)
    return None
