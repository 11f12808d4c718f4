"""One POST of JSON to an endpoint that a setting names: bounded in time, size and tries, never redirected.

The key goes into a header and nowhere else: no error, log or repr has it, and no other host gets it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from genesys.errors import ModelError, ModelMissing

if TYPE_CHECKING:
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector

__all__ = ["Endpoint"]

TRIES = 4
MAX_WAIT_S = 30.0
MAX_BYTES = 256 * 1024 * 1024  # of an answer: a batch of 4,096 long vectors as JSON
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. ``name`` begins the settings' names ("GENESYS_EMBED"), ``key`` ends that of the key;
    ``later`` is the hint where trying again may help; ``wait`` seconds are doubled after each try,
    ``timeout`` is for a whole answer."""

    url: str
    model: str
    name: str
    later: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float = 60.0
    wait: float = 0.5
    tries: int = TRIES
    max_bytes: int = MAX_BYTES
    key: str = "KEY"

    @property
    def shown(self) -> str:
        """The address without what may be a secret of it: a password before the host, a query behind."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"

    def post(self, body: Mapping[str, Any]) -> bytes:
        """The answer's body.

        Raises:
            ModelMissing: the endpoint knows no such model. ModelError: it failed, or answers without end;
            ``transient`` where trying later may help.
        """
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.request import Request

        headers = {"Content-Type": "application/json", "User-Agent": "genesys", **self.headers}
        opener = _opener()
        for attempt in range(self.tries):
            wait = None
            try:
                request = Request(self.url, json.dumps(body).encode(), headers)
                return self._read(opener, request)
            except HTTPError as error:
                with error:
                    failure = self._failure(error)
                    wait = _retry_after(error)
            except OSError as error:
                reason = " ".join(str(getattr(error, "reason", None) or error).split())
                failure = self._transient(f"{self.shown} can't be reached: {reason}")
            except ValueError:  # its words would repeat the key
                hint = f"Check {self.name}_URL and {self.name}_{self.key}."
                failure = ModelError(
                    f"{self.shown} can't be asked: its address or key is malformed", hint=hint
                )
            except HTTPException as error:
                failure = self._transient(f"{self.shown} broke off its answer ({type(error).__name__})")
            if not failure.transient or attempt == self.tries - 1:
                raise failure from None
            time.sleep(self.wait * 2**attempt if wait is None else wait)
        raise AssertionError("unreachable")

    def _read(self, opener: OpenerDirector, request: Any) -> bytes:
        """The body, within the time and size that are allowed it; a trickle is no answer."""
        end = time.monotonic() + self.timeout
        held = bytearray()
        with opener.open(request, timeout=self.timeout) as answer:
            while chunk := answer.read1(_CHUNK):
                held += chunk
                if len(held) > self.max_bytes:
                    raise ModelError(f"{self.shown} answers without end", hint=f"Check {self.name}_URL.")
                if time.monotonic() > end:
                    raise TimeoutError("timed out")
        return bytes(held)

    def _transient(self, message: str) -> ModelError:
        failure = ModelError(message, hint=self.later)
        failure.transient = True
        return failure

    def _failure(self, error: HTTPError) -> ModelError:
        """Our error for a status code. The answer's body is not repeated: it may echo what was sent."""
        if error.code in (401, 403):
            return ModelError(
                f"{self.shown} refused the key ({error.code})", hint=f"Check {self.name}_{self.key}."
            )
        if error.code == 404:
            hint = f"Check {self.name}_MODEL and {self.name}_URL."
            return ModelMissing(f"{self.shown} knows no model {self.model!r}", hint=hint)
        if error.code in (408, 409, 425, 429, 529) or error.code >= 500:
            return self._transient(f"{self.shown} is busy or failing ({error.code})")
        if 300 <= error.code < 400:
            return ModelError(
                f"{self.shown} sends requests elsewhere ({error.code})", hint=f"Check {self.name}_URL."
            )
        return ModelError(
            f"{self.shown} refused the request ({error.code})", hint=f"Check {self.name}_MODEL."
        )


def _opener() -> OpenerDirector:
    """Follows no redirect: what was meant for one host, the key above all, goes to no other."""
    from urllib.request import HTTPRedirectHandler, build_opener

    class Stay(HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    return build_opener(Stay)


def _retry_after(error: HTTPError) -> float | None:
    try:
        return min(MAX_WAIT_S, max(0.0, float(error.headers.get("Retry-After", ""))))
    except ValueError:
        return None
