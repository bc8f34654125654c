"""Requests and answers, independent of the server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Head:
    """A request before its body is read. Header names are in lower case; the caller is an address, as the server says it."""

    method: str
    headers: Mapping[str, str]
    caller: str = ""


@dataclass(frozen=True)
class Answer:
    """An HTTP answer."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Respond(Exception):
    """Raised by a handler to answer with exactly this, such as a 429 with ``Retry-After``."""

    def __init__(self, status: int, body: str | bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"The endpoint answers with status {status}.")
        content = body.encode() if isinstance(body, str) else body
        self.answer = Answer(status, content, {"content-type": "text/plain; charset=utf-8", **(headers or {})})


class Refusal(Exception):
    """An answer that is an error: ``{"error": {"code", "message", "issues"?}}``, the same for the same reason."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        issues: list[dict[str, str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        error: dict[str, Any] = {"code": code, "message": message}
        if issues is not None:
            error["issues"] = issues
        self.answer = json_answer(status, {"error": error}, headers)

    def with_headers(self, headers: Mapping[str, str]) -> Refusal:
        """The same refusal with more headers."""
        self.answer = replace(self.answer, headers={**self.answer.headers, **headers})
        return self


def json_answer(status: int, body: object, headers: Mapping[str, str] | None = None) -> Answer:
    """Raises ``TypeError`` or ``ValueError`` if the body contains something that JSON cannot express."""
    content = json.dumps(body, allow_nan=False).encode()
    return Answer(status, content, {"content-type": "application/json", **(headers or {})})
