"""A typed client of Kept's REST interface, for Python 3.11 or newer, without dependencies.

`npm run openapi` makes this file from docs/openapi.json, so do not change it.
"""

from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from email.message import Message
from typing import Any, Literal, Required, TypedDict, Unpack

# {{types}}


class KeptError(Exception):
    """A refusal of Kept. Its text is the service's own sentence, with the next step."""

    def __init__(self, status: int, answer: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(answer.get("message", f"HTTP {status}"))
        self.status = status  # the HTTP status; 0 if no answer came
        self.code: str = answer.get("code", "invalid" if "errors" in answer else "unknown")
        self.fields: dict[str, list[str]] = answer.get("errors", {})  # sentences by field name
        self.applied: str = answer.get("applied", "no")  # "unknown" if the change may have been made
        self.retry_after = retry_after  # seconds


class NoAnswerError(KeptError):
    """Kept did not answer any attempt."""


class WaitingError(KeptError):
    """Nothing is changed yet: the person has to approve this request first."""

    def __init__(self, request: WaitingRequest) -> None:
        super().__init__(202, {"message": request["message"], "code": "waiting"})
        self.request = request


_TRANSIENT = (429, 502, 503, 504)
_ATTEMPT_SECONDS = 15.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.3, 5.0

_Answer = tuple[int, Message, bytes]


class Kept:
    """A client of one Kept for one token. Changes are made once, however often they have to be sent."""

    def __init__(
        self, token: str, url: str = "http://localhost:3000", *, attempts: int = 5, total_seconds: float = 90.0
    ) -> None:
        self._token = token
        self._base = f"{url.rstrip('/')}/api/v1"
        self._attempts = attempts
        self._total_seconds = total_seconds

    def changes_since(self, cursor: str | None = None) -> Iterator[Changes]:
        """Pages of changes up to the present: since a cursor, or everything without one."""
        while True:
            page = self.list_changes(cursor=cursor)
            yield page
            if not page["has_more"]:
                return
            cursor = page["next_cursor"]

    # {{operations}}

    def _every(self, list_page: Callable[[int], Any]) -> Iterator[Any]:
        page, has_next = 1, True
        while has_next:
            answer = list_page(page)
            yield from answer["data"]
            page, has_next = page + 1, answer["links"]["next"] is not None

    def _call(
        self, method: str, path: str, query: Mapping[str, Any] = {}, body: Any = None, key: str | None = None
    ) -> Any:
        given = {name: _text(value) for name, value in query.items() if value is not None}
        address = f"{self._base}{path}{'?' if given else ''}{urllib.parse.urlencode(given)}"
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        if method != "GET":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers, method=method)
        return _value_of(*self._send(request))

    def _send(self, request: urllib.request.Request) -> _Answer:
        """Repeats a request when the network failed, or when the service asks for a later attempt."""
        deadline = time.monotonic() + self._total_seconds
        for attempt in range(self._attempts):
            outcome = _send_once(request, min(_ATTEMPT_SECONDS, max(0.001, deadline - time.monotonic())))
            pause = _pause_before(attempt, outcome)
            is_last = attempt + 1 >= self._attempts or time.monotonic() + pause >= deadline
            if is_last or not (isinstance(outcome, Exception) or outcome[0] in _TRANSIENT):
                break
            time.sleep(pause)
        if isinstance(outcome, Exception):
            applied = "no" if request.method == "GET" else "unknown"
            answer = {"message": f"Kept does not answer ({outcome}).", "code": "no_answer", "applied": applied}
            raise NoAnswerError(0, answer) from outcome
        return outcome


def _send_once(request: urllib.request.Request, timeout: float) -> _Answer | Exception:
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as refusal:
        try:
            return refusal.code, refusal.headers, refusal.read()
        except (OSError, http.client.HTTPException) as error:
            return error
    except (OSError, http.client.HTTPException) as error:
        return error


def _pause_before(attempt: int, outcome: _Answer | Exception) -> float:
    """Waits as long as the service asks, or longer each time, plus a random part."""
    growing = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0**attempt) / 2
    asked = None if isinstance(outcome, Exception) else _retry_after(outcome[1])
    return (growing if asked is None else asked) + random.random() * growing


def _retry_after(headers: Message) -> float | None:
    text = str(headers.get("Retry-After", ""))
    return float(text) if text.isdigit() else None


def _value_of(status: int, headers: Message, content: bytes) -> Any:
    try:
        value = json.loads(content) if content else None
    except ValueError:
        value = None
    if status == 202:
        raise WaitingError(value)
    if status >= 400:
        raise KeptError(status, value if isinstance(value, dict) else {}, _retry_after(headers))
    return value


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
